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
