//! An MCP server on standard streams that discloses progressively by itself, to every client, in the way that its first
//! argument names:
//!
//! - `resource`: tool-descriptions-resource, to the letter. A refusal is a text without `isError`, as in the guide's
//!   reference server.
//! - `receipts`: the same without sessions: the delivered schema has an argument that a call must bring.
//! - `method`: `tools/describe`, and lists without schemas.
//! - `broken`: it lists descriptions, and delivers none.
//!
//! The description of `secret` is never delivered. `change` changes all definitions without a notification, `announce`
//! with one. `add` says how often it has run.

#![allow(clippy::unwrap_used, reason = "a server for tests; where it panics, the test fails")]

#[allow(unreachable_pub, reason = "shared with the kit")]
#[path = "../server.rs"]
mod server;

use std::{collections::HashSet, env};

use serde_json::{Value, json};
use server::{answer, fail, messages, notify, text};

const DESCRIPTIONS: &str = "resource:///tool_descriptions";

fn main() {
    let mode = env::args().nth(1).unwrap_or_else(|| "resource".to_owned());
    let mut server = Server { mode, version: 1, runs: 0, authorized: HashSet::new() };
    for message in messages() {
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            match server.answer(method, &message["params"]) {
                Ok(result) => answer(id, result),
                Err((code, text)) => fail(id, json!({"code": code, "message": text})),
            }
            if method == "tools/call" && message["params"]["name"] == "announce" {
                notify("tools/list_changed", json!({}));
            }
        }
    }
}

struct Server {
    mode: String,
    version: usize,
    runs: usize,
    authorized: HashSet<String>,
}

type Answer = Result<Value, (i64, String)>;

impl Server {
    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        match method {
            "initialize" => Ok(self.initialize()),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(self.list()),
            "tools/call" => Ok(self.call(params)),
            "tools/describe" if self.mode == "method" => self
                .definition(params["name"].as_str().unwrap_or_default())
                .ok_or((-32602, "Unknown tool".to_owned())),
            "resources/list" => Ok(json!({"resources": [
                {"uri": DESCRIPTIONS, "name": "Tool Descriptions", "description": "Fetch before use."},
                {"uri": "x:///doc", "name": "doc"},
            ]})),
            "resources/templates/list" => Ok(
                json!({"resourceTemplates": [{"uriTemplate": format!("{DESCRIPTIONS}{{?tools}}"), "name": "d"}]}),
            ),
            "resources/read" => self.read(params["uri"].as_str().unwrap_or_default()),
            _ => Err((-32601, format!("Method not found: {method}"))),
        }
    }

    fn initialize(&self) -> Value {
        let capabilities = match &*self.mode {
            "method" => json!({"tools": {"progressiveDisclosure": true, "listChanged": true}}),
            _ => json!({"tools": {"listChanged": true}, "resources": {}}),
        };
        json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": {"name": "foreign", "version": "1"},
        })
    }

    fn list(&self) -> Value {
        let brief = |(name, brief)| match &*self.mode {
            "method" => json!({"name": name, "description": brief}),
            _ => json!({"name": name, "description": brief,
                "inputSchema": {"type": "object", "additionalProperties": true}}),
        };
        let tools =
            [("add", "Add numbers"), ("secret", "Keep it"), ("change", "Change"), ("announce", "Announce")];
        json!({"tools": tools.map(brief)})
    }

    /// The complete definition.
    fn definition(&self, name: &str) -> Option<Value> {
        let description = format!("Version {} of {name}, in full", self.version);
        let mut schema = json!({"type": "object", "properties": {}});
        match name {
            "add" => {
                let number = json!({"type": "number"});
                schema = json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]});
            }
            "change" | "announce" => {}
            _ => return None,
        }
        Some(json!({"name": name, "description": description, "inputSchema": schema}))
    }

    fn receipt(&self, name: &str) -> String {
        format!("receipt-{name}-{}", self.version)
    }

    fn read(&mut self, uri: &str) -> Answer {
        let query = uri.strip_prefix(DESCRIPTIONS).ok_or((-32002, format!("Resource not found: {uri}")))?;
        let names = query.strip_prefix("?tools=").unwrap_or_default();
        if self.mode == "broken" || names.split(',').any(|name| name == "secret") {
            return Err((-32602, "not for you".to_owned()));
        }
        let mut delivered = json!({});
        for name in names.split(',') {
            let Some(mut definition) = self.definition(name) else { continue };
            definition["examples"] = json!([{"input": {"a": 1, "b": 2}}]);
            if self.mode == "receipts" {
                definition["inputSchema"]["properties"]["disclosure_receipt"] =
                    json!({"type": "string", "const": self.receipt(name)});
                let required = definition["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
                let all: Vec<Value> = required.into_iter().chain(["disclosure_receipt".into()]).collect();
                definition["inputSchema"]["required"] = all.into();
            }
            delivered[name] = definition;
            self.authorized.insert(name.to_owned());
        }
        Ok(json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": delivered.to_string()}]}))
    }

    fn call(&mut self, params: &Value) -> Value {
        let name = params["name"].as_str().unwrap_or_default();
        let mut arguments = params["arguments"].clone();
        let allowed = match &*self.mode {
            "resource" | "broken" => self.authorized.contains(name),
            "receipts" => {
                let brought = arguments.as_object_mut().and_then(|given| given.remove("disclosure_receipt"));
                brought == Some(self.receipt(name).into())
            }
            _ => true,
        };
        if !allowed {
            let error = json!({"error": {"code": "TOOL_DESCRIPTION_REQUIRED", "message": "Fetch it first."}});
            return text(&error.to_string());
        }
        match name {
            "change" | "announce" => {
                self.version += 1;
                self.authorized.clear();
            }
            _ => self.runs += 1,
        }
        let said = json!({"runs": self.runs, "given": arguments});
        let mut result = text(&said.to_string());
        result["structuredContent"] = said;
        result
    }
}
