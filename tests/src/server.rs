//! What servers of tests on standard streams hear and say. Their programs include this file by its path: linked with the kit, each
//! would be twelve times as large.

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};

/// The messages on stdin; what is no JSON is passed over.
pub fn messages() -> impl Iterator<Item = Value> {
    stdin().lock().lines().map_while(Result::ok).filter_map(|line| serde_json::from_str(&line).ok())
}

/// Answers a request.
pub fn answer(id: &Value, result: Value) {
    put(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

/// Answers a request with an error.
pub fn fail(id: &Value, error: Value) {
    put(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
}

/// Notifies.
pub fn notify(method: &str, params: Value) {
    put(&json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params}));
}

/// Says a message.
pub fn put(message: &Value) {
    say(&message.to_string());
}

/// Says a line. Whoever started the server may have ended.
pub fn say(line: &str) {
    let mut out = stdout().lock();
    let _gone = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A result of this text.
pub fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
