//! Messages that are too deep, and answers that are none (P6): whoever waits is answered at once.

use std::time::Duration;

use kit::Options;
use serde_json::{Value, json};

use super::{STATELESS, WITH_SESSION, connect, healthy, healthy_beside, odd_child, others_are_served};

/// Longer than a test may take: nothing here is settled by a time-out.
const PATIENCE: Duration = Duration::from_secs(600);

/// `[[…]]`, this many levels.
fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test]
async fn p6_a_message_that_is_too_deep_is_refused_and_reaches_no_upstream() {
    let (bench, client) = connect(healthy(), WITH_SESSION).await;
    let call = |id: u64, levels: usize| {
        let params = client.complete(json!({"name": "small", "arguments": {"text": "DEEP"}}));
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        // The message, its parameters and the arguments are three levels.
        message.to_string().replace("\"DEEP\"", &nested(levels - 3))
    };
    for levels in [129, 1_000, 200_000] {
        let reply = client.send_text(&call(70, levels)).await;
        let error = reply.error();
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], -32600, "{levels}: {error}");
        assert!(message.contains("128 levels (limits.message_depth)"), "{message}");
    }
    let passed: Value = serde_json::from_str(&call(1, 100)).unwrap();
    client.request("tools/call", passed["params"].clone()).await.result();
    assert_eq!(client.calls_forwarded().await.len(), 1);
    others_are_served(&bench).await;
}

/// What an upstream says instead of its answer, and what the caller hears.
fn malformed() -> Vec<(String, &'static str)> {
    let answer = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":ID,{rest}}}"#);
    let result = r#""result":{"content":[]}"#;
    vec![
        (answer(r#""result":{"x":NaN}"#), "not JSON"),
        (answer(r#""result":{"x":-Infinity}"#), "not JSON"),
        (answer(r#""result":"it works""#), ""),
        (answer(r#""error":"it broke""#), ""),
        (answer(r#""result":{"content":[]},"error":{"code":1,"message":"m"}"#), "'result' or 'error'"),
        (r#"{"jsonrpc":"2.0","id":ID}"#.to_owned(), "'result' or 'error'"),
        (format!(r#"{{"id":ID,{result}}}"#), "'jsonrpc'"),
        (answer(&format!(r#""id":ID,{result}"#)), "duplicate field"),
        (answer(&format!("{result},{result}")), "duplicate field"),
        (answer(r#""result":{"content":[{"type":"te"#).trim_end_matches('}').to_owned(), "not JSON"),
        (format!("[{}]", answer(result)), "batches are not supported"),
        (answer(&format!(r#""result":{{"x":{}}}"#, nested(127))), "128 levels (limits.message_depth)"),
        (answer(&format!(r#""result":{{"x":{}}}"#, "[".repeat(100_000))), "not JSON"),
        (answer(&format!("{result},\"extra\":01")), "not JSON"),
    ]
}

/// One waits for ever beside them: what is meant for another must not end it, nor what names none.
#[tokio::test]
async fn p6_a_malformed_answer_settles_its_request_at_once_and_no_other() {
    let (bench, client) =
        connect(Options { patience: PATIENCE, ..healthy_beside(odd_child("says")) }, STATELESS).await;
    let waiting =
        client.start("tools/call", json!({"name": "wait", "arguments": {"say": "just words"}})).await;
    for (line, reason) in malformed() {
        let error = client.call("echo", json!({"say": line})).await.error();
        let message = error["message"].as_str().unwrap();
        assert_eq!((&error["code"], &error["data"]["upstream"]), (&json!(-32000), &json!("bad")), "{line}");
        assert!(message.starts_with("upstream 'bad' ") && message.contains(reason), "{line}: {message}");
    }
    for spelt in ["\"ID\"", "ID.0"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{spelt},"result":{{"content":[]}}}}"#);
        client.call("echo", json!({"say": line})).await.result();
    }
    let nameless = r#"{"jsonrpc":"2.0","result":{"content":[]}}"#;
    let lost = client.start("tools/call", json!({"name": "echo", "arguments": {"say": nameless}})).await;
    assert_eq!(client.call("echo", json!({"text": "well"})).await.result()["content"][0]["text"], "well");
    client.cancel(&lost).await;
    others_are_served(&bench).await;
    client.cancel(&waiting).await;
}

#[tokio::test]
async fn p6_an_answer_that_is_no_utf8_settles_its_request_at_once() {
    let (_bench, client) =
        connect(Options { patience: PATIENCE, ..healthy_beside(odd_child("says-bytes")) }, STATELESS).await;
    client.call("echo", json!({})).await.error_with("not UTF-8");
}
