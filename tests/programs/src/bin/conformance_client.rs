//! The client of the official suite's scenarios for clients, with the gateway in between: the suite's server is the
//! upstream of a gateway that this starts and speaks to over stdio.
//!
//! `conformance-client GATEWAY URL`, where the suite appends the URL. It uses everything that is listed, answers what
//! it is asked, and ends with `ok` once all of that was answered without an error.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a client for tests; where it panics, the scenario fails"
)]

use std::{env, process::Command};

use kit::{
    client::STATELESS_VERSION,
    messages::{response, stateless},
    process::Process,
};
use serde_json::{Map, Value, json};

const METHOD_NOT_FOUND: i64 = -32601;

fn main() {
    let mut arguments = env::args().skip(1);
    let (gateway, url) = (arguments.next().expect("the gateway"), arguments.next().expect("a URL"));
    let revision = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_else(|_| "2025-11-25".to_owned());
    let mut client = Client::start(&gateway, &url, revision);
    client.handshake();
    for (tool, arguments) in client.calls() {
        client.call(&tool, arguments);
    }
    for resource in client.list("resources/list", "resources") {
        client.request("resources/read", json!({"uri": resource["uri"]}));
    }
    for prompt in client.list("prompts/list", "prompts") {
        client.request("prompts/get", json!({"name": prompt["name"]}));
    }
    client.gateway.finish().says(0, &[]);
    println!("ok");
}

struct Client {
    gateway: Process,
    revision: String,
    capabilities: Value,
    /// The ids of the questions that it has answered.
    answered: Vec<Value>,
}

impl Client {
    fn start(gateway: &str, url: &str, revision: String) -> Self {
        let mut command = Command::new(gateway);
        command.args(["--log", "warn", "serve", "--strategy", "full", "--upstream-url", url]);
        let gateway = Process::start(&mut command);
        Self { gateway, revision, capabilities: Value::Null, answered: Vec::new() }
    }

    fn is_stateless(&self) -> bool {
        self.revision == STATELESS_VERSION
    }

    fn handshake(&mut self) {
        let answer = if self.is_stateless() {
            self.request("server/discover", json!({}))
        } else {
            let params = json!({
                "protocolVersion": self.revision,
                "capabilities": {"elicitation": {"form": {}}},
                "clientInfo": {"name": "conformance-client", "version": "1"},
            });
            let answer = self.request("initialize", params);
            self.gateway.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
            answer
        };
        self.capabilities = answer["capabilities"].clone();
    }

    /// The calls that the scenario wants; else each tool once, with arguments that fit it.
    fn calls(&mut self) -> Vec<(String, Value)> {
        let tools = self.list("tools/list", "tools");
        let context: Value = env::var("MCP_CONFORMANCE_CONTEXT")
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        if let Some(calls) = context["toolCalls"].as_array() {
            let call = |call: &Value| (call["name"].as_str().unwrap().to_owned(), call["arguments"].clone());
            return calls.iter().map(call).collect();
        }
        let fitting = |tool: &Value| {
            let name = tool["name"].as_str().unwrap().to_owned();
            let arguments = match &*name {
                // It wants to see the other tool's schema as it arrived.
                "json_schema_echo" => json!({"schema": tools[0]["inputSchema"]}),
                _ => filled(&tool["inputSchema"]),
            };
            (name, arguments)
        };
        tools.iter().map(fitting).collect()
    }

    fn call(&mut self, tool: &str, arguments: Value) {
        let mut params = json!({"name": tool, "arguments": arguments});
        // A second round at the latest has its result.
        for _ in 0..3 {
            let Some(result) = self.ask("tools/call", params.clone()) else { return };
            if result["resultType"] != "input_required" {
                assert!(result["content"].is_array() && result["isError"] != true, "{tool}: {result}");
                return;
            }
            let asked = result["inputRequests"].as_object().cloned().unwrap_or_default();
            let answers: Map<String, Value> =
                asked.into_iter().map(|(key, question)| (key, accepted(&question["params"]))).collect();
            params["inputResponses"] = answers.into();
            if let Some(state) = result.get("requestState") {
                params["requestState"] = state.clone();
            }
        }
        panic!("{tool} asks for ever");
    }

    fn list(&mut self, method: &str, member: &str) -> Vec<Value> {
        if self.capabilities[member].is_null() {
            return Vec::new();
        }
        let result = self.request(method, json!({}));
        result[member].as_array().unwrap_or_else(|| panic!("no {member} in {result}")).clone()
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, params).unwrap_or_else(|| panic!("{method} is unknown"))
    }

    /// Sends a request and answers what is asked until its result is there; none if the server knows no such method,
    /// since some scenarios only list.
    fn ask(&mut self, method: &str, mut params: Value) -> Option<Value> {
        if self.is_stateless() {
            params["_meta"] = stateless(json!({"elicitation": {"form": {}}}));
        }
        let id = self.gateway.ask(method, params);
        loop {
            let mut message = self.gateway.received(method, |message| match message["method"].as_str() {
                Some(asked) => asked == "elicitation/create" && !self.answered.contains(&message["id"]),
                None => message["id"] == id,
            });
            if message["method"].is_null() {
                let error = &message["error"];
                assert!(error.is_null() || error["code"] == METHOD_NOT_FOUND, "{method}: {error}");
                return message.get_mut("result").map(Value::take);
            }
            let answer = response(&message["id"], accepted(&message["params"]));
            self.gateway.line(answer.to_string());
            self.answered.push(message["id"].take());
        }
    }
}

/// An answer to a question, with its defaults.
fn accepted(question: &Value) -> Value {
    json!({"action": "accept", "content": filled(&question["requestedSchema"])})
}

/// An object that fits a plain schema.
fn filled(schema: &Value) -> Value {
    let value = |schema: &Value| match (schema.get("default"), schema["type"].as_str()) {
        (Some(default), _) => default.clone(),
        (None, Some("integer" | "number")) => json!(1),
        (None, Some("boolean")) => json!(true),
        (None, Some("string")) => json!("text"),
        (None, _) => json!({}),
    };
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties.iter().map(|(name, schema)| (name.clone(), value(schema))).collect::<Map<_, _>>().into()
}
