//! `compare`: its JSON is that of docs/CONTRACT.md, its figures are consistent, and no tool of a user's is run unasked.

use std::{fs, path::Path};

use kit::process::Ended;
use mcp_disclosure_compare::Tokenizer;
use serde_json::{Value, json};

use crate::command_line::{ODD, program};

/// Runs `compare` to its end.
#[track_caller]
fn compare(arguments: &[&str]) -> Ended {
    kit::process::Process::start(&mut program(&[&["compare"], arguments].concat())).finish()
}

/// Its report as JSON.
#[track_caller]
fn report(arguments: &[&str]) -> Value {
    let ended = compare(&[&["--format", "json", "--repeat", "1"], arguments].concat());
    serde_json::from_str(&ended.says(0, &[]).stdout).unwrap()
}

fn strategies(report: &Value) -> impl Iterator<Item = &Value> {
    report["strategies"].as_array().unwrap().iter()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_json_is_the_contracts() {
    let report = report(&["--use", "symbolic_solve,fft"]);
    for key in ["source", "tools", "tokenizer", "used", "strategies"] {
        assert!(!report[key].is_null(), "{key}");
    }
    assert_eq!((&report["tools"], &report["tokenizer"]), (&json!(11), &json!("o200k_base")));
    assert_eq!(report["used"], json!(["symbolic_solve", "fft"]));
    let names: Vec<_> = strategies(&report).map(|strategy| strategy["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["full", "resource", "describe", "info"]);
    let contract = [
        "name",
        "initial_tokens",
        "discovery_tokens",
        "total_tokens",
        "initial_saving",
        "total_saving",
        "round_trips",
        "wire_bytes",
        "latency_ms",
        "break_even_tools",
    ];
    for strategy in strategies(&report) {
        assert_eq!(keys(strategy)[..contract.len()], contract);
        assert_eq!(keys(&strategy["latency_ms"]), ["connect", "list", "discover", "call"]);
        let basis = &report["basis"];
        assert!(keys(strategy)[1..].iter().all(|figure| basis[figure].is_string()), "{basis}");
    }
}

#[test]
fn figures_hold_together() {
    for flags in
        [&[][..], &["--info-tools", "entry-only"], &["--transport", "http"], &["--omit-input-schema"]]
    {
        let report = report(&[&["--detail", "--use", "3", "--turns", "7"], flags].concat());
        let full = &report["strategies"][0];
        for strategy in strategies(&report) {
            let [initial, discovery, total] =
                ["initial_tokens", "discovery_tokens", "total_tokens"].map(|key| number(&strategy[key]));
            assert_eq!(initial + discovery, total, "{strategy}");
            let saved = |key: &str, tokens: i64| {
                let share = 1.0 - tokens as f64 / number(&full[key]) as f64;
                (share * 1e4).round() / 1e4
            };
            assert_eq!(strategy["initial_saving"], json!(saved("initial_tokens", initial)));
            assert_eq!(strategy["total_saving"], json!(saved("total_tokens", total)));
            parts_add_up(strategy, 7);
            break_even_is_the_smallest(strategy, number(&full["total_tokens"]));
        }
        assert_eq!(full["discovery_tokens"], 0);
    }
}

/// Parts, steps and the conversation add up to the reported sums.
#[track_caller]
fn parts_add_up(strategy: &Value, turns: i64) {
    let detail = &strategy["detail"];
    let initial: i64 = detail["initial"].as_object().unwrap().values().map(number).sum();
    assert_eq!(initial, number(&strategy["initial_tokens"]));
    let steps = detail["steps"].as_array().unwrap();
    let step = |step: &Value| number(&step["request_tokens"]) + number(&step["answer_tokens"]);
    assert_eq!(steps.iter().map(step).sum::<i64>(), number(&strategy["discovery_tokens"]));
    let requests = turns + i64::try_from(steps.len()).unwrap();
    let learned: i64 = steps.iter().zip(1..).map(|(one, at)| step(one) * (requests - at)).sum();
    assert_eq!(number(&strategy["conversation_tokens"]), initial * requests + learned);
    // Handshake and list, lists of resources and templates where needed, learning, and three calls.
    let lists = if number(&detail["initial"]["resources"]) > 0 { 3 } else { 1 };
    let learning: i64 = steps.iter().map(|step| number(&step["requests"])).sum();
    assert_eq!(number(&strategy["round_trips"]), 1 + lists + learning + 3);
    assert_eq!(detail["calls"]["failed"], 0, "{strategy}");
}

#[track_caller]
fn break_even_is_the_smallest(strategy: &Value, full: i64) {
    let curve = strategy["detail"]["curve"].as_array().unwrap();
    let tools: Vec<i64> = curve.iter().map(|point| number(&point["tools"])).collect();
    assert_eq!(tools, (0..=11).collect::<Vec<_>>());
    let over = curve.iter().find(|point| number(&point["tokens"]) > full);
    assert_eq!(strategy["break_even_tools"], over.map_or(Value::Null, |point| point["tools"].clone()));
    let tokens: Vec<i64> = curve.iter().map(|point| number(&point["tokens"])).collect();
    assert!(tokens.is_sorted() && tokens[0] == number(&strategy["initial_tokens"]), "{tokens:?}");
}

#[test]
fn the_figure_of_full_is_that_of_its_list_counted_by_oneself() {
    let mut gateway =
        kit::process::Process::start(&mut program(&["serve", "--strategy", "full", "--", ODD, "ordinary"]));
    gateway.initialize();
    let tools = gateway.tools();
    let counted = Tokenizer::O200kBase.count(&serde_json::to_string(&tools).unwrap());
    let report = report(&["--detail", "--", ODD, "ordinary"]);
    assert_eq!(report["strategies"][0]["initial_tokens"], counted);
}

/// The figures of a strategy as tables show them, from the JSON report.
fn shown_figures(strategy: &Value) -> Vec<String> {
    let grouped = |key: &str| {
        let number = number(&strategy[key]);
        if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
    };
    let saved = match strategy["total_saving"].as_f64().unwrap() {
        0.0 => "–".to_owned(),
        share if share < 0.0 => format!("+{:.1} %", -100.0 * share),
        share => format!("−{:.1} %", 100.0 * share),
    };
    let break_even =
        strategy["break_even_tools"].as_i64().map_or("never".to_owned(), |tools| tools.to_string());
    [
        strategy["name"].as_str().unwrap().to_owned(),
        grouped("initial_tokens"),
        grouped("discovery_tokens"),
        grouped("total_tokens"),
        saved,
        grouped("conversation_tokens"),
        break_even,
        grouped("round_trips"),
    ]
    .into()
}

/// The first row of this strategy in a format, cell by cell.
fn row(format: &str, text: &str, strategy: &str) -> Vec<String> {
    let cells: Vec<String> = match format {
        "table" => {
            let is_row = |line: &&str| line.starts_with(&format!("{strategy} "));
            let line = text.lines().find(is_row).unwrap_or_else(|| panic!("no row {strategy} in {text}"));
            line.split("  ").map(str::to_owned).collect()
        }
        "markdown" => {
            let is_row = |line: &&str| line.starts_with(&format!("| {strategy} "));
            let line = text.lines().find(is_row).unwrap_or_else(|| panic!("no row {strategy} in {text}"));
            line.split('|').map(str::to_owned).collect()
        }
        _ => {
            let is_row = |row: &&str| row.contains(&format!(">{strategy}</td>"));
            let row =
                text.split("<tr>").find(is_row).unwrap_or_else(|| panic!("no row {strategy} in {text}"));
            let row = row.split("</tr>").next().unwrap();
            // Cells are the texts between tags.
            row.split('<').map(|part| part.split_once('>').map_or("", |(_, text)| text).to_owned()).collect()
        }
    };
    let is_bar = |cell: &str| cell.chars().all(|character| ('▁'..='▏').contains(&character));
    let cells = cells.iter().map(|cell| cell.trim());
    cells.filter(|cell| !cell.is_empty() && !is_bar(cell)).map(str::to_owned).collect()
}

#[test]
fn every_format_has_the_same_figures() {
    let written = |format| {
        let ended = compare(&["--format", format, "--repeat", "1"]);
        ended.says(0, &[]).stdout.clone()
    };
    let report = report(&[]);
    let page = written("html");
    for (format, text) in [("table", &written("table")), ("markdown", &written("markdown")), ("html", &page)]
    {
        for strategy in strategies(&report) {
            let name = strategy["name"].as_str().unwrap();
            assert_eq!(row(format, text, name), shown_figures(strategy), "{format}");
        }
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("default-src 'none'"));
    for loading in ["src=", "href=", "url(", "@import"] {
        assert!(!page.contains(loading), "the page has {loading}");
    }
}

/// What is the same in every run, and fits a terminal of 100 columns.
#[test]
fn the_demonstrations_table_and_markdown() {
    let table = compare(&["--repeat", "1"]);
    assert!(table.stdout.lines().all(|line| line.chars().count() <= 100), "{}", table.stdout);
    insta::assert_snapshot!("compare_table", table.says(0, &[]).stdout);
    insta::assert_snapshot!("compare_markdown", compare(&["--format", "markdown"]).says(0, &[]).stdout);
    let detailed = compare(&["--detail", "--info-tools", "entry-only"]);
    assert!(detailed.stdout.lines().all(|line| line.chars().count() <= 100), "{}", detailed.stdout);
}

/// The calls that an upstream had.
fn recorded(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn nothing_of_the_users_is_run() {
    let directory = tempfile::tempdir().unwrap();
    let calls = directory.path().join("calls");
    let ended = compare(&["--use", "echo,wait", "--", ODD, "records", calls.to_str().unwrap()]);
    let report = &ended.says(0, &[]).stdout;
    assert!(report.contains("odd: 2 tools, used: echo, wait"), "{report}");
    assert_eq!((recorded(&calls), &*ended.stderr), (vec![], ""));
}

#[test]
fn a_script_reaches_the_real_tools_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let [calls, script] = ["calls", "script"].map(|name| directory.path().join(name));
    let call = json!({"tool": "echo", "arguments": {"text": "hello"}});
    fs::write(&script, json!([call]).to_string()).unwrap();
    let upstream = [ODD, "records", calls.to_str().unwrap()];
    let flags = ["--script", script.to_str().unwrap(), "--strategies", "resource,info", "--"];
    let ended = compare(&[&flags[..], &upstream].concat());
    ended.says(0, &["runs the real tools: 1 call under each of 3 strategies"]);
    assert!(ended.stdout.contains("were sent to the real tools"), "{}", ended.stdout);
    assert_eq!(recorded(&calls), vec![r#""echo" {"text":"hello"}"#; 3]);
}

#[test]
fn a_script_that_is_none_is_refused_before_anything_starts() {
    let directory = tempfile::tempdir().unwrap();
    let [script, started] = ["script", "pid"].map(|name| directory.path().join(name));
    let upstream = ["--", ODD, "ordinary", started.to_str().unwrap()];
    let place = script.display().to_string();
    for (text, expected) in [
        ("", "EOF"),
        ("{}", "invalid type"),
        ("[]", "the script is empty"),
        (r#"[{"arguments": {}}, {"tool": "a", "args": {}}]"#, "call 1 has no string 'tool'"),
        (r#"[{"tool": "a", "args": {}}]"#, "call 1 has an unknown member 'args'"),
        (r#"[{"tool": "a", "arguments": 7}]"#, "call 1 has 'arguments' that are not an object"),
    ] {
        fs::write(&script, text).unwrap();
        compare(&[&["--script", &place][..], &upstream].concat()).says(64, &[&place, expected, "JSON array"]);
    }
    assert!(!started.exists());
}

#[test]
fn a_budget_is_guarded_by_the_exit_code() {
    let written = |flags: &[&str], code| {
        let ended = compare(&[&["--format", "json", "--repeat", "1", "--fail-over"], flags].concat());
        ended.says(code, &[]);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        (report, ended.stderr)
    };
    let (report, stderr) = written(&["1"], 1);
    for strategy in strategies(&report) {
        let [name, tokens] = ["name", "total_tokens"].map(|key| strategy[key].to_string());
        let expected =
            format!("strategy '{}' costs {tokens} tokens; --fail-over allows 1", name.trim_matches('"'));
        assert!(stderr.contains(&expected), "{stderr}");
    }
    let describe = report["strategies"][2]["total_tokens"].to_string();
    // The baseline is measured, but was not asked for.
    let (_, stderr) = written(&[&describe, "--strategies", "describe"], 0);
    assert_eq!(stderr, "");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_remedy() {
    compare(&["--use", "symbolic_solv,fft,nothing"]).says(
        2,
        &["--use: unknown tool 'symbolic_solv'; did you mean 'symbolic_solve'?", "unknown tool 'nothing'"],
    );
    compare(&["--use", "0"]).says(2, &["at least one tool"]);
    compare(&["--tokenizer", "words"]).says(2, &["o200k_base, cl100k_base, chars/4"]);
    compare(&["--format", "pdf"]).says(2, &["table, json, markdown, html"]);
    compare(&["--strategies", "nope,full+full"])
        .says(64, &["unknown strategy 'nope'", "'full+full' is not a valid stack"]);
    compare(&["--out", "/no/such/place"]).says(1, &["cannot write /no/such/place"]);
    compare(&["--", "/no/such/program"]).says(1, &["/no/such/program"]);
}

#[test]
fn briefs_that_are_too_long_are_shortened_and_that_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let long =
        "Echoes a text back to whoever sent it, which is good for seeing whether anything works at all.";
    let described =
        json!({"name": "echo", "description": "Echoes.", "brief": long, "inputSchema": {"type": "object"}});
    fs::write(directory.path().join("echo.json"), described.to_string()).unwrap();
    let files = ["--tool-descriptions", directory.path().to_str().unwrap()];
    let ended = compare(&[&files[..], &["--", ODD, "ordinary"]].concat());
    let stdout = &ended.says(0, &[]).stdout;
    assert!(
        stdout.contains("describe: compared with --long-briefs shorten") && stdout.contains("'echo'"),
        "{stdout}"
    );
}

#[test]
fn a_sample_larger_than_the_source_is_all_of_it_and_that_is_said() {
    let report = report(&["--use", "5", "--detail", "--", ODD, "ordinary"]);
    assert_eq!((&report["used"], &report["tools"]), (&json!(["wait", "echo"]), &json!(2)));
    assert_eq!(report["notes"], json!(["5 tools were requested for use; the source has 2."]));
}

#[test]
fn q4_a_source_that_discloses_already_is_recognized() {
    let direct = report(&["--use", "echo", "--name", "odd", "--", ODD, "ordinary"]);
    let gateway = program(&[]).get_program().to_str().unwrap().to_owned();
    for strategy in ["resource", "info"] {
        let inner = [&*gateway, "serve", "--strategy", strategy, "--", ODD, "ordinary"];
        let behind = report(&[&["--use", "echo", "--detail", "--name", "odd", "--"], &inner[..]].concat());
        let note = behind["notes"][0].as_str().unwrap_or_else(|| panic!("{behind}"));
        assert!(
            note.starts_with("upstream 'odd' discloses progressively already (it is mcp-disclosure)"),
            "{note}"
        );
        for (expected, seen) in strategies(&direct).zip(strategies(&behind)) {
            assert_eq!(expected["initial_tokens"], seen["initial_tokens"], "{}", expected["name"]);
        }
    }
}
