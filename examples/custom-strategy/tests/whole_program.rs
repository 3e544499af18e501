//! The custom strategy through the whole program: command, flag, offer.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_search-disclosure");

/// Sends these requests over stdio and returns the results, in the order of the requests.
fn exchange(arguments: &[&str], capabilities: Value, requests: &[(&str, Value)]) -> Vec<Value> {
    let mut child = Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the example was built");
    let mut input = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let initialize = json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}
    });
    let all = [("initialize", initialize)];
    let mut answers = Vec::new();
    for (id, (method, params)) in all.iter().chain(requests).enumerate() {
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .expect("open");
        let line = lines.next().expect("an answer").expect("text");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["id"], id);
        answers.push(answer["result"].clone());
    }
    drop(input);
    assert!(child.wait().expect("it ran").success());
    answers
}

#[test]
fn by_flag_it_serves_finds_and_calls() {
    let requests = [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "find_tools", "arguments": {"query": "solve equations"}})),
        (
            "tools/call",
            json!({"name": "use_tool", "arguments": {"tool": "symbolic_solve", "arguments": {"equations": "x**2 - 4"}}}),
        ),
        (
            "tools/call",
            json!({"name": "use_tool", "arguments": {"tool": "symbolic_solve", "arguments": {"equations": 4}}}),
        ),
        ("tools/call", json!({"name": "symbolic_sovle", "arguments": {"equations": "x**2 - 4"}})),
    ];
    let answers = exchange(&["serve", "--strategy", "find"], json!({}), &requests);
    let names: Vec<_> =
        answers[1]["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["find_tools", "use_tool"]);
    assert_eq!(answers[2]["structuredContent"]["tools"][0]["name"], "symbolic_solve");
    assert_eq!(answers[3]["structuredContent"]["solutions"], json!([-2, 2]));
    assert_eq!(answers[4]["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
    assert_eq!(answers[5]["structuredContent"]["suggestions"][0], "symbolic_solve");
}

#[test]
fn by_offer_it_is_negotiated() {
    let id = "io.github.mcp-disclosure/progressive-disclosure";
    let offer = json!({"extensions": {id: {"strategies": ["find"]}}});
    let answers = exchange(&["serve"], offer, &[("tools/list", json!({}))]);
    assert_eq!(answers[0]["capabilities"]["extensions"][id]["selected"], "find");
    assert_eq!(answers[1]["tools"].as_array().expect("tools").len(), 2);
}

#[test]
fn a_filter_narrows_the_list_by_what_the_client_says() {
    let listed = |team: &str| {
        let settings =
            json!({"extensions": {"io.github.mcp-disclosure/progressive-disclosure": {"team": team}}});
        let answers = exchange(&["serve", "--strategy", "team+full"], settings, &[("tools/list", json!({}))]);
        answers[1]["tools"].as_array().expect("tools").len()
    };
    assert_eq!((listed("math-mcp"), listed("red")), (11, 0));
}

#[test]
fn it_is_compared_with_the_others() {
    let arguments = ["compare", "--strategies", "find", "--format", "json"];
    let output = Command::new(PROGRAM).args(arguments).output().expect("it runs");
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // By the strategy's lesson, a model learns a tool by a search: two searches, with complete definitions.
    let learning = &report["strategies"][1]["discovery_tokens"];
    assert!(learning.as_u64() > Some(100), "{report}");
}

#[test]
fn q5_what_it_finds_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let queries = folder.path().join("queries.jsonl");
    let labelled = r#"{"query": "fast fourier transform", "tools": ["fft"]}"#;
    std::fs::write(&queries, format!("{labelled}\n{{\"query\": \"zzzz\", \"tools\": []}}\n"))
        .expect("written");
    let arguments = ["compare", "--strategies", "find", "--format", "json", "--queries"];
    let output = Command::new(PROGRAM).args(arguments).arg(&queries).output().expect("it runs");
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = &report["retrieval"][0];
    assert_eq!((found["strategy"].as_str(), found["tool"].as_str()), (Some("find"), Some("find_tools")));
    assert_eq!(found["possible"]["hit_at_5"], 1.0, "{report}");
    assert_eq!(found["impossible"]["nothing_found"], 1, "{report}");
}

#[test]
fn a_strategy_that_cannot_be_built_is_reported_before_anything_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("disclosure.toml");
    let serve = |settings: &str| {
        std::fs::write(&config, format!("demo = true\n[strategy.find]\n{settings}")).expect("written");
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--strategy", "find", "--config"]).arg(&config);
        command.stdin(Stdio::null()).output().expect("it runs")
    };
    let synonyms = folder.path().join("synonyms.json");
    let output = serve(&format!("synonyms = {synonyms:?}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{errors}");
    assert!(errors.contains("strategy 'find' cannot be built: No such file"), "{errors}");
    std::fs::write(&synonyms, r#"{"equation": ["solve"]}"#).expect("written");
    assert!(serve(&format!("synonyms = {synonyms:?}")).status.success());
}
