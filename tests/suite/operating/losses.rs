//! A7: a disk that is full costs records, or under `--audit-strict` calls.

use std::fs;

use kit::process::until;
use serde_json::json;

use super::{counts, records, serve, status};

/// Every write there fails, as on a full disk.
const FULL: &str = "/dev/full";

#[test]
fn a7_a_full_disk_loses_records_and_no_calls() {
    let mut gateway = serve(&["--strategy", "full", "--audit", FULL], &["ordinary"]);
    for _ in 0..3 {
        assert_eq!(gateway.call("echo", json!({"text": "x"}))["result"]["content"][0]["text"], "x");
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
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("--audit-strict"), "{answer}");
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
    assert!(answer["error"]["message"].as_str().unwrap().contains("--audit-strict"), "{answer}");
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
