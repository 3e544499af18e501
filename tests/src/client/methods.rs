//! The requests that tests send most: lists, reads, calls, and what has to be learned before a call.

use mcp_disclosure_core::{RawObject, receipt_name};
use serde_json::{Value, json};

use super::{Client, Pending};
use crate::{Reply, scenario::JOURNAL};

impl Client {
    /// What the gateway says of itself in the client's era: the result of `initialize`, or of `server/discover`.
    pub async fn introduced(&self) -> Value {
        match self.setup.has_sessions() {
            true => self.introduction.clone(),
            false => self.request("server/discover", json!({})).await.result(),
        }
    }

    /// The capabilities among that.
    pub async fn capabilities(&self) -> Value {
        self.introduced().await["capabilities"].take()
    }

    /// The items of a list of this kind: `tools`, `resources`, `resourceTemplates`, `prompts`, `skills`.
    pub async fn list(&self, kind: &str) -> Vec<Value> {
        let method = if kind == "resourceTemplates" { "resources/templates" } else { kind };
        let mut listed = self.request(&format!("{method}/list"), json!({})).await.result();
        match listed[kind].take() {
            Value::Array(items) => items,
            _ => panic!("no {kind} in {listed}"),
        }
    }

    /// The tools listed.
    pub async fn tools(&self) -> Vec<Value> {
        self.list("tools").await
    }

    /// The names of the tools listed.
    pub async fn tool_names(&self) -> Vec<String> {
        names_in(&self.tools().await)
    }

    /// Listens without a session, from when that is acknowledged on.
    pub async fn listen(&self, wanted: Value) -> Pending {
        let listening = self.start("subscriptions/listen", json!({"notifications": wanted})).await;
        self.notification("notifications/subscriptions/acknowledged").await;
        listening
    }

    /// Hears of all that changes, and of updates of these resources: in its session, or as long as it listens.
    pub async fn hear(&self, resources: &[&str]) -> Option<Pending> {
        if !self.setup.has_sessions() {
            let wanted = json!({"resourceSubscriptions": resources, "toolsListChanged": true,
                "promptsListChanged": true, "resourcesListChanged": true});
            return Some(self.listen(wanted).await);
        }
        self.open_stream().await;
        for uri in resources {
            self.request("resources/subscribe", json!({"uri": uri})).await.result();
        }
        None
    }

    /// Reads a resource.
    pub async fn read(&self, uri: &str) -> Reply {
        self.request("resources/read", json!({"uri": uri})).await
    }

    /// Reads the descriptions of these tools.
    pub async fn describe(&self, query: &str) -> Reply {
        self.read(&format!("resource:///tool_descriptions?tools={query}")).await
    }

    /// Calls a tool, without learning anything first.
    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.request("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool as its strategy asks for.
    pub async fn learn_and_call(&self, tool: &str, arguments: Value) -> Reply {
        let arguments = self.learn(tool, arguments).await;
        self.call(tool, arguments).await
    }

    /// The arguments with which a call of the tool will pass under the setup's strategy.
    pub async fn learn(&self, tool: &str, arguments: Value) -> Value {
        match self.setup.strategy {
            "full" | "groups" | "info" | "search" | "concerns+search" => return arguments,
            "describe" => {
                // Nothing has to be learned first, but a host would.
                let described = self.request("tools/describe", json!({"name": tool})).await.result();
                assert_eq!(described["name"], tool);
                return arguments;
            }
            _ => {}
        }
        with_receipt(arguments, &self.describe(&escaped(tool)).await.text_as_json()[tool])
    }

    /// What the upstream received, oldest first.
    pub async fn journal(&self) -> Vec<Value> {
        self.read(JOURNAL).await.text_as_json().as_array().unwrap().clone()
    }

    /// The parameters of the calls that reached the upstream.
    pub async fn calls_forwarded(&self) -> Vec<Value> {
        let mut journal = self.journal().await;
        journal.retain(|message| message["method"] == "tools/call");
        journal.into_iter().map(|mut message| message["params"].take()).collect()
    }
}

/// The names of listed items.
pub fn names_in(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// The receipt that a delivered description asks for.
pub fn receipt_of(entry: &Value) -> Option<Value> {
    entry.pointer("/inputSchema/properties/disclosure_receipt/const").cloned()
}

/// The arguments with the receipt that a delivered description asks for, if it does.
pub fn with_receipt(mut arguments: Value, entry: &Value) -> Value {
    if let Some(receipt) = receipt_of(entry) {
        arguments["disclosure_receipt"] = receipt;
    }
    arguments
}

/// Takes the receipt out of a delivered entry, and the argument that carries it out of the schema.
pub fn take_receipt(entry: &mut Value) -> Option<Value> {
    let receipt = receipt_of(entry)?;
    let schema = RawObject::parse(entry["inputSchema"].to_string()).ok()?;
    let schema = receipt_name::remove(&schema, "disclosure_receipt");
    entry["inputSchema"] = serde_json::from_str(schema.text()).ok()?;
    Some(receipt)
}

fn escaped(name: &str) -> String {
    let escape = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(escape).collect()
}
