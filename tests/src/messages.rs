//! Messages that tests write.

use serde_json::{Value, json};

use crate::process;

/// A request.
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A call of a tool.
pub fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// The request that opens a session, of a client with these capabilities.
pub fn hello(capabilities: Value) -> Value {
    let mut params = process::hello();
    params["capabilities"] = capabilities;
    request(1, "initialize", params)
}

/// The `_meta` of a request without a session, of a client with these capabilities.
pub fn stateless(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

/// A tool that takes any arguments.
pub fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

/// A notification.
pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

/// The response to a request of this id.
pub fn response(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The same with an error.
pub fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The result by which a server opens a session of this revision.
pub fn introduction(name: &str, revision: &str, capabilities: Value) -> Value {
    let server = json!({"name": name, "version": "1"});
    json!({"protocolVersion": revision, "capabilities": capabilities, "serverInfo": server})
}

/// The same where there are no sessions.
pub fn discovery(capabilities: Value) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
        "ttlMs": 0, "cacheScope": "public",
    })
}
