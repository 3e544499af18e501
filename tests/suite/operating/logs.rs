//! O2: every line is JSON, and a call is one line.

use std::io::{BufRead, Write, pipe, read_to_string};

use kit::{
    Apart,
    messages::{call, hello},
    process::{Ended, Process},
};
use serde_json::{Value, json};

use super::serve;
use crate::command_line::{ODD, opened, program, serve_odd};

#[track_caller]
fn lines(ended: &Ended) -> Vec<Value> {
    let lines = ended.stderr.lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn o2_every_line_is_an_object_that_nothing_forges() {
    let mut gateway =
        serve(&["--log-format", "json", "--log", "debug", "--strategy", "full"], &["dies-on-call"]);
    let forged = "x\"}\n{\"level\":\"ERROR\",\"message\":\"all is lost\"} \u{1b}[31m\u{202e}";
    gateway.call(forged, json!({}));
    gateway.call(&"y".repeat(100_000), json!({}));
    gateway.call("echo", json!({"text": "s3cret"}));
    let ended = gateway.finish();
    let lines = lines(&ended);
    for line in &lines {
        assert!(
            line["timestamp"].is_string() && line["level"].is_string() && line["message"].is_string(),
            "{line}"
        );
        assert!(line["message"] != "all is lost", "{line}");
    }
    assert!(!ended.stderr.contains(['\u{1b}', '\u{202e}']) && !ended.stderr.contains("s3cret"), "{ended:?}");
    assert!(ended.stderr.lines().all(|line| line.len() < 2_500), "{ended:?}");
    // What an upstream writes to its stderr is a line of ours.
    assert!(
        lines.iter().any(|line| line["message"].as_str().unwrap().contains("segmentation fault")),
        "{ended:?}"
    );
}

#[test]
fn o2_a_call_is_one_line_at_info_with_what_it_belongs_to() {
    let mut gateway = serve(&["--log-format", "json", "--strategy", "resource"], &["ordinary"]);
    gateway.call("echo", json!({}));
    gateway.request("resources/read", json!({"uri": "resource:///tool_descriptions?tools=echo"}));
    gateway.call("echo", json!({"text": "x"}));
    gateway.call("none", json!({}));
    let lines = lines(&gateway.finish());
    let calls: Vec<&Value> = lines.iter().filter(|line| line["method"] == "tools/call").collect();
    let outcomes: Vec<&Value> = calls.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["refused", "ok", "unknown"], "{calls:?}");
    let opened = lines.iter().find(|line| line["message"] == "session opened").unwrap();
    for call in &calls {
        assert_eq!((&call["level"], &call["session"]), (&json!("INFO"), &opened["session"]));
        assert_eq!(call["strategy"], "resource");
        assert!(call["duration_ms"].is_f64() && call["request"].is_string(), "{call}");
    }
    assert_eq!((&calls[1]["upstream"], &calls[1]["tool"]), (&json!("odd"), &json!("echo")));
    // What happens within a request says whose it is.
    let delivered = lines.iter().find(|line| line["message"] == "description delivered").unwrap();
    assert_eq!((&delivered["method"], &delivered["session"]), (&json!("resources/read"), &opened["session"]));
}

#[test]
fn o2_a_warning_that_a_client_is_answered_is_not_logged_as_well() {
    let set = ["--set", "concerns.bridge=always", "--set", "concerns.on_invalid_value=ignore"];
    let mut gateway = opened(&[&["serve", "--strategy", "concerns+full"], &set[..]].concat());
    let chosen = gateway.call("choose_concerns", json!({"concerns": {"precision": "exact", "mood": "calm"}}));
    assert!(chosen.to_string().contains("Unknown concern 'mood' was ignored"), "{chosen}");
    let ended = gateway.finish();
    assert!(!ended.stderr.contains("was ignored"), "{}", ended.stderr);
}

#[test]
fn o2_a_warning_has_what_it_belongs_to_at_every_level() {
    let mut gateway =
        serve(&["--log-format", "json", "--log", "warn", "--strategy", "full"], &["dies-on-call"]);
    gateway.call("echo", json!({}));
    let lines = lines(&gateway.finish());
    let failed = lines.iter().find(|line| line["message"] == "upstream request failed").unwrap();
    assert!(failed["request"].is_string() && failed["session"].is_string(), "{failed}");
    assert_eq!((&failed["method"], &failed["strategy"]), (&json!("tools/call"), &json!("full")));
}

#[test]
fn o2_failures_at_the_start_are_lines_too() {
    for (arguments, code) in [
        (&["serve", "--config", "/nowhere/disclosure.toml"][..], 64),
        (&["serve", "--", ODD, "exits"], 1),
        (&["serve", "--strategy", "no-such", "--", ODD], 64),
    ] {
        let mut command = program(arguments);
        command.env("MCP_DISCLOSURE_LOG_FORMAT", "json");
        let ended = Process::start(&mut command).finish();
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let lines = lines(&ended);
        let last = lines.last().unwrap();
        assert_eq!(last["level"], "ERROR", "{last}");
    }
}

#[test]
fn o2_text_stays_text_and_has_one_line_for_a_call() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    gateway.call("echo", json!({"text": "x"}));
    let ended = gateway.finish();
    let calls: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("tool called")).collect();
    assert_eq!(calls.len(), 1, "{ended:?}");
    assert!(
        calls[0].contains("INFO tool called session=") && calls[0].contains("tool=echo outcome=ok"),
        "{calls:?}"
    );
}

/// Lines of calls are gathered, and a warning is written at once with all that came before it.
#[test]
fn o2_no_line_is_lost_or_out_of_order() {
    let mut gateway = serve(&["--log-format", "json", "--strategy", "full"], &["says"]);
    for number in 0..300 {
        match number % 50 {
            // A result that is none: a warning, before the line of the call.
            49 => gateway.call("echo", json!({"say": r#"{"jsonrpc":"2.0","id":ID,"result":7}"#})),
            _ => gateway.call("echo", json!({"text": "x"})),
        };
    }
    let lines = lines(&gateway.finish());
    let calls = lines.iter().filter(|line| line["message"] == "tool called");
    let ids: Vec<u64> = calls.map(|line| line["request"].as_str().unwrap().parse().unwrap()).collect();
    assert!(ids.len() == 300 && ids.is_sorted(), "{ids:?}");
    let times: Vec<&str> = lines.iter().map(|line| line["timestamp"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(lines.iter().filter(|line| line["message"] == "upstream request failed").count(), 6);
}

/// Writes a request and reads lines up to its answer.
fn answered(stdin: &mut impl Write, stdout: &mut impl BufRead, message: &Value) {
    writeln!(stdin, "{message}").unwrap();
    let mut line = String::new();
    while serde_json::from_str::<Value>(&line).ok().is_none_or(|answer| answer["id"] != message["id"]) {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0, "{message} is not answered");
    }
}

#[test]
fn o2_a_stderr_that_is_closed_or_not_read_holds_up_neither_clients_nor_the_end_p8() {
    for (is_closed, is_read_at_the_end) in [(true, false), (false, false), (false, true)] {
        let (stderr, written) = pipe().unwrap();
        let stderr = (!is_closed).then_some(stderr);
        let mut command = program(&["serve", "--strategy", "full"]);
        let (mut child, mut stdin, mut stdout) = Apart::start(&mut command, written.into());
        // It has the other end of the pipe.
        drop(command);
        answered(&mut stdin, &mut stdout, &hello(json!({})));
        // Each is a line of some hundred bytes; together they are more than a pipe and what may wait.
        for id in 2..=4_000 {
            answered(&mut stdin, &mut stdout, &call(id, &"x".repeat(200), json!({})));
        }
        drop(stdin);
        if let (Some(stderr), true) = (&stderr, is_read_at_the_end) {
            let text = read_to_string(stderr).unwrap();
            let calls = text.lines().filter(|line| line.contains("unknown tool called")).count();
            let lost = |line: &str| line.split_once("was not read lines=")?.1.parse::<usize>().ok();
            let lost: usize = text.lines().filter_map(lost).sum();
            // Lines beside those of calls are few.
            assert!((3_999..4_020).contains(&(calls + lost)), "{calls} and {lost}");
        }
        assert_eq!(child.ended(), Some(0));
    }
}
