//! The host that scores models: what a model sees is what an ordinary client sees, and only calls that reach an
//! upstream count.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

const ACCURACY: &str = env!("CARGO_BIN_EXE_accuracy");

/// The gateway, which a build of the workspace puts beside.
fn gateway() -> PathBuf {
    let gateway = Path::new(ACCURACY).with_file_name("mcp-disclosure");
    assert!(gateway.is_file(), "no {}: cargo build", gateway.display());
    gateway
}

/// A model that reads nothing and makes these turns, one line each.
fn scripted(folder: &Path, turns: &[Value]) -> String {
    let lines: Vec<String> = turns.iter().map(Value::to_string).collect();
    fs::write(folder.join("turns"), lines.join("\n") + "\n").unwrap();
    format!(
        "exec 3< {}/turns; while read -r said && read -r turn <&3; do echo \"$turn\"; done",
        folder.display()
    )
}

#[test]
fn a_model_is_scored_by_what_reaches_the_upstreams() {
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str| json!({"name": name, "description": format!("Does {name}"), "inputSchema": {"type": "object", "properties": {"a": {}}}});
    let recorded = json!({"server": {"name": "x", "version": "1"}, "tools": [tool("plus"), tool("minus")]});
    fs::create_dir(folder.path().join("recordings")).unwrap();
    fs::write(folder.path().join("recordings/kit.json"), recorded.to_string()).unwrap();
    let task = |id: &str, tools: &[&str], args: Value| json!({"id": id, "request": id, "tools": tools, "args": args});
    let tasks = [
        task("early", &["kit:plus"], json!({"a": 1})),
        task("wrong", &["kit:minus"], json!({"a": 1})),
        task("none", &[], json!({})),
    ];
    let tasks: Vec<String> = tasks.iter().map(Value::to_string).collect();
    fs::write(folder.path().join("tasks"), tasks.join("\n")).unwrap();
    let call = |task: &str, tool: &str, arguments: Value| json!({"task": task, "tool": tool, "arguments": arguments});
    let turns = [
        json!({"calls": [call("early", "plus", json!({"a": 1})), call("wrong", "plus", json!({"a": 1}))]}),
        json!({
            "calls": [
                call("early", "describe_tools", json!({"names": ["plus"]})),
                call("early", "plus", json!({"a": 1})),
                call("wrong", "plus", json!({"a": 1})),
            ],
            "finished": ["early", "wrong", "none"],
        }),
    ];
    // The same gateway as a row of ours, and as any other program's.
    let gateway = gateway();
    let gateway = gateway.to_str().unwrap();
    let by_command = format!("by/command={gateway} serve --log error --strategy 'resource' --mcp-config");
    for (row, label, transcript) in [
        (["--behind", "--strategy resource"], "--strategy resource", "strategy-resource.jsonl"),
        (["--server", &by_command], "by/command", "by-command.jsonl"),
    ] {
        let ended = Command::new(ACCURACY)
            .args(["run", "--batch", "3", "--bin", gateway])
            .arg("--recordings")
            .arg(folder.path().join("recordings"))
            .arg("--tasks")
            .arg(folder.path().join("tasks"))
            .arg("--transcripts")
            .arg(folder.path())
            .args(["--model", &scripted(folder.path(), &turns)])
            .args(row)
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{stderr}");
        let table = String::from_utf8(ended.stdout).unwrap();
        // A row that is named is the only one.
        assert_eq!(table.lines().count(), 3, "{table}");
        assert!(table.contains(&format!("| {label} | 1 of 2 | 1 of 1 | 1.67 | 1 |")), "{table}");
        let transcript = fs::read_to_string(folder.path().join(transcript)).unwrap();
        let judged: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdicts: Vec<&str> = judged.iter().map(|task| task["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, ["right", "tool", "right"]);
        // The first call was refused, and the same call ran once its description was delivered.
        assert!(judged[0]["steps"][0]["answer"].as_str().unwrap().contains("TOOL_DESCRIPTION_REQUIRED"));
        assert_eq!(judged[0]["reached"], json!([{"tool": "kit:plus", "arguments": {"a": 1}}]));
    }
}

#[test]
fn a_server_needs_a_label_and_a_command() {
    for server in ["python server.py", "=python server.py", "FastMCP= "] {
        let ended = Command::new(ACCURACY)
            .args(["run", "--recordings", ".", "--model", "true", "--server", server])
            .output()
            .unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert!(!ended.status.success() && stderr.contains("expected LABEL=COMMAND"), "{server}: {stderr}");
    }
}

#[test]
fn tokens_are_counted_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    fs::write(&texts, "\"hello world\"\n\"\"\n\"one\\ntwo\"\n").unwrap();
    let ended = Command::new(ACCURACY).arg("count").stdin(fs::File::open(texts).unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "2\n0\n3\n");
}
