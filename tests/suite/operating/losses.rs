//! A7: a disk that is full costs records, or under `--audit-strict` calls.

use std::{fs, process::Command};

use kit::process::{Process, until};
use serde_json::{Value, json};

use super::{counts, records, serve, status};
use crate::command_line::{ODD, error, program, text};

/// Every write there fails, as on a full disk.
const FULL: &str = "/dev/full";

#[test]
fn a7_a_full_disk_loses_records_and_no_calls() {
    let mut gateway = serve(&["--strategy", "full", "--audit", FULL], &["ordinary"]);
    for _ in 0..3 {
        assert_eq!(text(&gateway.call("echo", json!({"text": "x"}))), "x");
    }
    counts(&gateway, "mcp_disclosure_audit_lost_total 3");
    assert_eq!(status(&gateway)["audit"], json!({"written": 0, "lost": 3}));
    let ended = gateway.finish();
    let logged =
        ended.stderr.lines().filter(|line| line.contains("records of the audit log are lost")).count();
    assert_eq!(logged, 1, "{ended:?}");
}

#[test]
fn a7_strict_refuses_calls_that_cannot_be_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let called = directory.path().join("called");
    let flags = ["--strategy", "full", "--audit", FULL, "--audit-strict"];
    let mut gateway = serve(&flags, &["records", called.to_str().unwrap()]);
    let answer = gateway.call("echo", json!({"text": "x"}));
    assert!(error(&answer).contains("--audit-strict"), "{answer}");
    assert_eq!(fs::read_to_string(&called).unwrap(), "", "the upstream was not called");
    counts(&gateway, r#"mcp_disclosure_calls_total{outcome="unrecorded",strategy="full"} 1"#);
    gateway.finish().says(0, &[]);
}

/// A file that takes every line and that no disk keeps: `fsync` of it fails.
const UNKEPT: &str = "/proc/self/comm";

#[test]
fn a7_records_that_the_disk_does_not_confirm_are_lost() {
    let mut gateway = serve(&["--strategy", "full", "--audit", UNKEPT, "--audit-strict"], &["ordinary"]);
    let answer = gateway.call("echo", json!({"text": "x"}));
    assert!(error(&answer).contains("--audit-strict"), "{answer}");
    counts(&gateway, "mcp_disclosure_audit_lost_total 1");
    gateway.finish().says(0, &["records of the audit log are lost"]);
}

#[test]
fn a7_strict_writes_the_decision_before_the_call() {
    let directory = tempfile::tempdir().unwrap();
    let (file, never) = (directory.path().join("audit.jsonl"), directory.path().join("never"));
    let flags = ["--strategy", "full", "--audit", file.to_str().unwrap(), "--audit-strict"];
    let mut gateway = serve(&flags, &["ordinary"]);
    let id = gateway.ask("tools/call", json!({"name": "wait", "arguments": {"file": never}}));
    assert!(until(|| directory.path().join("never.began").exists()));
    let decided = records(&file);
    assert_eq!((&decided[1]["event"], &decided[1]["outcome"]), (&json!("decision"), &json!("forwarded")));
    fs::write(&never, "").unwrap();
    gateway.answer(id);
    gateway.finish().says(0, &[]);
    let all = records(&file);
    assert_eq!((all.len(), &all[2]["outcome"]), (3, &json!("ok")));
    assert_eq!(all[1]["arguments_hmac"], all[2]["arguments_hmac"]);
}

/// A limit on the size of files lets a write succeed in part, as a disk does that fills up.
#[test]
fn a7_a_disk_that_fills_up_leaves_whole_lines_and_none_that_is_untrue() {
    let directory = tempfile::tempdir().unwrap();
    let (file, called) = (directory.path().join("audit.jsonl"), directory.path().join("called"));
    let served = program(&["serve", "--strategy", "full", "--remember", "off", "--audit-strict", "--audit"]);
    let mut command = Command::new("sh");
    // The signal that comes with the limit would end the program.
    command.args(["-c", "trap '' XFSZ; ulimit -f 5; exec \"$0\" \"$@\""]);
    command.arg(served.get_program()).args(served.get_args()).arg(&file).args(["--", ODD, "records"]);
    let mut gateway = Process::start(command.arg(&called));
    gateway.initialize();
    let mut call = |text: &str| gateway.call("echo", json!({"text": text}));
    let refused = |answer: &Value| {
        let message = answer["error"]["message"].as_str();
        message.is_some_and(|message| message.contains("--audit-strict"))
    };
    assert!((0..50).any(|_| refused(&call("x"))), "the file is full in the end");
    assert!(refused(&call("y")) && refused(&call("z")));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.ends_with('\n'), "{text}");
    let forwarded = records(&file).iter().filter(|record| record["outcome"] == "forwarded").count();
    let ran = fs::read_to_string(&called).unwrap().lines().count();
    assert!(forwarded == ran && ran > 0, "{ran} calls ran: {text}");
    // There is room again.
    fs::rename(&file, directory.path().join("full")).unwrap();
    gateway.hang_up();
    gateway.logged("opened the audit log again");
    assert!(gateway.call("echo", json!({"text": "x"}))["result"].is_object());
    gateway.finish().says(0, &["records of the audit log are lost"]);
    let outcomes: Vec<Value> = records(&file).iter().map(|record| record["outcome"].clone()).collect();
    assert_eq!(outcomes, [json!(null), json!("forwarded"), json!("ok")]);
}
