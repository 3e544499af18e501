//! What stdout may carry, and that no client waits for a reader of stderr.

use serde_json::{Value, json};

use super::{ODD, opened, run, start, text};

#[test]
fn stdout_carries_protocol_only() {
    let mut gateway = opened(&["serve", "--log", "trace", "--", ODD, "garbage"]);
    gateway.tools();
    assert_eq!(text(&gateway.call("echo", json!({"text": "clear"}))), "clear");
    gateway.line("no JSON");
    let ended = gateway.finish();
    let skipped = [
        "skipped output that is not an MCP message",
        "Starting odd-upstream...",
        "computing...",
        "upstream=\"odd\"",
    ];
    for line in ended.says(0, &skipped).stdout.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    assert_eq!(run(&["serve", "--strategy", "nope"]).says(64, &[]).stdout, "");
}

#[test]
fn a_closed_stderr_does_not_matter() {
    let mut gateway = start(&["serve", "--strategy", "full", "--", ODD, "ordinary"]);
    gateway.logged("starting");
    gateway.close_stderr();
    gateway.initialize();
    assert_eq!(gateway.call("nope", json!({}))["error"]["code"], -32602);
    assert_eq!(text(&gateway.call("echo", json!({"text": "here"}))), "here");
    assert_eq!(gateway.finish().code, Some(0));
}
