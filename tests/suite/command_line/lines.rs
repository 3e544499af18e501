//! Lines that a client should not send, and what stdout may carry.

use serde_json::{Value, json};

use super::{ODD, error, opened, run, start};

#[test]
fn a_request_that_cannot_be_answered_is_refused_with_the_reason_and_the_next_one_served() {
    // Under `full`, what is malformed would be left to the upstream.
    let mut gateway = opened(&["serve", "--strategy", "search", "--", ODD]);
    gateway.line("hello?");
    let answer = gateway.error_without_id("not JSON: expected value at line 1 column 1");
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    for (method, params, code, expected) in [
        ("ping", json!([1]), -32602, "must be an object"),
        ("resources/read", json!({}), -32602, "params.uri must be a string"),
        ("tools/dance", json!({}), -32601, "Method not found"),
        ("tools/call", json!({"name": 7}), -32602, "params.name must be a string"),
        ("tools/call", json!({"name": ""}), -32602, "must not be empty"),
        ("logging/setLevel", json!({"level": "loud"}), -32602, "params.level"),
        ("tools/list", json!({"cursor": "x"}), -32602, "params.cursor"),
        ("initialize", json!({"protocolVersion": "2025-11-25"}), -32600, "already initialized"),
    ] {
        let answer = gateway.request(method, params);
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
        assert!(error(&answer).contains(expected), "{method}: {answer}");
    }
    assert_eq!(gateway.tools().len(), 2, "the next line is served");
    gateway.finish().says(0, &[]);
}

#[test]
fn before_initialize_only_ping_is_answered() {
    let mut gateway = start(&["serve"]);
    for method in ["tools/list", "tools/call", "resources/read"] {
        let answer = gateway.request(method, json!({}));
        assert_eq!(answer["error"]["code"], -32602);
        assert!(
            error(&answer).contains(method) && error(&answer).contains("Send initialize first"),
            "{answer}"
        );
    }
    assert_eq!(gateway.request("ping", json!({}))["result"], json!({}));
    let wrong = gateway.request("initialize", json!({"protocolVersion": 7}));
    assert_eq!(wrong["error"]["message"], "params.protocolVersion must be a string");
    assert_eq!(gateway.initialize()["protocolVersion"], "2025-11-25");
    gateway.finish().says(0, &[]);
}

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
