//! Lines that a client should not send, and what stdout may carry.

use serde_json::{Value, json};

use super::{ODD, error, opened, run, serve_odd, start, text};

/// One session over stdio: each line, and the answer's id, code and words.
fn answers(lines: &[(&str, Value, i64, &str)]) {
    // Under `full`, what is malformed would be left to the upstream.
    let mut gateway = opened(&["serve", "--strategy", "search", "--", ODD, "ordinary"]);
    for (line, id, code, expected) in lines {
        gateway.line(line);
        if id.is_null() {
            // Answers without an id are distinguished by their messages.
            let answer = gateway.error_without_id(expected);
            assert_eq!(answer["error"]["code"], *code, "{line}: {answer}");
            continue;
        }
        let answer = gateway.answer(id.clone());
        assert_eq!(answer["error"]["code"], *code, "{line}: {answer}");
        assert!(error(&answer).contains(expected), "{line}: {answer}");
    }
    assert_eq!(gateway.tools().len(), 2, "the next line is served");
    gateway.finish().says(0, &[]);
}

#[test]
fn a_line_that_is_no_message_is_answered_and_the_next_one_served() {
    answers(&[
        ("{\"jsonrpc\":", Value::Null, -32700, "not JSON"),
        ("hello?", Value::Null, -32700, "not JSON: expected value at line 1 column 1"),
        ("[]", Value::Null, -32600, "batches are not supported"),
        ("17", Value::Null, -32600, "not a JSON-RPC message"),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, -32600, "'id' must be a string"),
        (r#"{"jsonrpc":"1.0","id":"old","method":"ping"}"#, json!("old"), -32600, "'jsonrpc' must be"),
        (r#"{"jsonrpc":"2.0","id":"mute"}"#, json!("mute"), -32600, "needs 'method'"),
        (
            r#"{"jsonrpc":"2.0","id":"list","method":"ping","params":[1]}"#,
            json!("list"),
            -32602,
            "must be an object",
        ),
    ]);
}

#[test]
fn unknown_methods_and_wrong_params_are_errors_f7() {
    let call = |id: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let (nameless, wrong) = (call("a", json!({})), call("b", json!({"name": 7})));
    let (empty, unknown) = (call("c", json!({"name": ""})), call("d", json!({"name": "nope"})));
    answers(&[
        (r#"{"jsonrpc":"2.0","id":"m","method":"tools/dance"}"#, json!("m"), -32601, "Method not found"),
        (&nameless, json!("a"), -32602, "params.name must be a string"),
        (&wrong, json!("b"), -32602, "params.name must be a string"),
        (&empty, json!("c"), -32602, "must not be empty"),
        (&unknown, json!("d"), -32602, "Unknown tool: nope"),
        (
            r#"{"jsonrpc":"2.0","id":"r","method":"resources/read"}"#,
            json!("r"),
            -32602,
            "params.uri must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"p","method":"prompts/get"}"#,
            json!("p"),
            -32602,
            "params.name must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"loud"}}"#,
            json!("l"),
            -32602,
            "params.level",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"k","method":"tools/list","params":{"cursor":"x"}}"#,
            json!("k"),
            -32602,
            "params.cursor",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            json!("i"),
            -32600,
            "already initialized",
        ),
    ]);
}

#[test]
fn a_message_of_17_mb_is_refused_and_the_next_one_served() {
    let mut gateway = serve_odd(&[], &["ordinary"]);
    gateway.line(vec![b'x'; 17 * 1024 * 1024]);
    let answer = gateway.error_without_id("17825792 bytes");
    assert_eq!(answer["error"]["code"], -32600);
    assert!(error(&answer).contains("at most 16777216 are read"));
    assert_eq!(text(&gateway.call("echo", json!({"text": "still here"}))), "still here");
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
fn a_client_of_an_unknown_version_gets_the_latest_with_sessions() {
    for version in ["1999-01-01", "", "delta-mcp/9", "2026-07-28"] {
        let mut gateway = start(&["serve"]);
        let answer = gateway.request("initialize", json!({"protocolVersion": version, "capabilities": {}}));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{version}");
        gateway.finish().says(0, &[]);
    }
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
