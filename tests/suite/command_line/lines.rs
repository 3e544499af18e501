//! What stdout may carry.

use serde_json::{Value, json};

use super::{ODD, opened, run};

#[test]
fn stdout_carries_protocol_only() {
    let mut gateway = opened(&["serve", "--log", "trace", "--", ODD, "garbage"]);
    gateway.tools();
    gateway.call("echo", json!({"text": "hello"}));
    gateway.line("no JSON");
    let ended = gateway.finish();
    for line in ended.says(0, &["ready"]).stdout.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    assert_eq!(run(&["serve", "--strategy", "nope"]).says(64, &[]).stdout, "");
}
