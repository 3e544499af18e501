//! A server for unit tests that is one function, for behaviour that no real server of this project has.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{EXTENSION, Host, Link, Preferences};

/// What the function returns.
pub(crate) enum Say {
    /// The result.
    Result(Value),
    /// The error.
    Error(i64, &'static str),
    /// The error object.
    Refusal(Value),
    /// A notification, then the result.
    Notify(&'static str, Value),
    /// No response.
    Nothing,
}

/// The messages that the fake received, in order.
pub(crate) type Log = Arc<Mutex<Vec<(String, Value)>>>;

/// The result of a handshake with these capabilities.
pub(crate) fn able(capabilities: Value) -> Value {
    let server = json!({"name": "fake", "version": "1"});
    json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": server})
}

/// The result of one in which this strategy is selected.
pub(crate) fn selecting(strategy: &str) -> Value {
    let settings = json!({"strategies": [strategy], "selected": strategy});
    able(json!({"tools": {}, "extensions": {EXTENSION: settings}}))
}

/// A link to a server that responds as the function returns.
pub(crate) fn fake(mut answer: impl FnMut(&str, &Value) -> Say + Send + 'static) -> (Link, Log) {
    let (near, far) = tokio::io::duplex(1 << 16);
    let log = Log::default();
    let noted = Arc::clone(&log);
    tokio::spawn(async move {
        let (input, mut output) = tokio::io::split(far);
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            let params = message["params"].clone();
            noted.lock().push((method.clone(), params.clone()));
            let id = &message["id"];
            if id.is_null() {
                continue;
            }
            let ok = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
            let said = match answer(&method, &params) {
                Say::Result(result) => ok(result),
                Say::Error(code, message) => {
                    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
                        .to_string()
                }
                Say::Refusal(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string(),
                Say::Notify(method, result) => {
                    format!("{}\n{}", json!({"jsonrpc": "2.0", "method": method}), ok(result))
                }
                Say::Nothing => continue,
            };
            output.write_all(format!("{said}\n").as_bytes()).await.unwrap();
        }
    });
    let (input, output) = tokio::io::split(near);
    (Link::streams(input, output), log)
}

/// A host connected to a fake that selects this strategy, and responds to other requests as the function returns.
pub(crate) async fn connected(
    strategy: &'static str,
    mut answer: impl FnMut(&str, &Value) -> Say + Send + 'static,
) -> (Host, Log) {
    let (link, log) = fake(move |method, params| match method {
        "initialize" => Say::Result(selecting(strategy)),
        _ => answer(method, params),
    });
    let host = Host::connect(link, Preferences::default()).await.unwrap();
    (host, log)
}

/// The methods that the fake received after the handshake.
pub(crate) fn asked(log: &Log) -> Vec<String> {
    let log = log.lock();
    let later =
        log.iter().filter(|(method, _)| !matches!(&**method, "initialize" | "notifications/initialized"));
    later.map(|(method, _)| method.clone()).collect()
}
