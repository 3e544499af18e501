//! The pages of `docs/strategies`: each message shown there is one that the demonstration says; and every example that the
//! demonstration documents under `info`, by the three levels of seed 004.

use kit::{
    messages::{hello, stateless},
    process::Process,
};
use mcp_disclosure_core::EXTENSION;
use serde_json::{Value, json};

use super::{opened, start};
use crate::docs::blocks_of;

/// The demonstration under a strategy, and what was said over the connection.
struct Conversation {
    gateway: Process,
    said: Vec<Value>,
}

impl Conversation {
    fn open(flags: &[&str], capabilities: Value) -> Self {
        let mut gateway = start(&[&["--log", "error", "serve"], flags].concat());
        gateway.request("initialize", hello(capabilities)["params"].take());
        gateway.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        Self { gateway, said: Vec::new() }
    }

    /// What a request is answered, and the texts in it that are JSON.
    fn ask(&mut self, method: &str, params: Value) {
        let result = self.gateway.request(method, params.clone())["result"].take();
        let texts =
            ["/contents/0/text", "/content/0/text"].iter().filter_map(|at| result.pointer(at)?.as_str());
        let texts: Vec<Value> = texts.filter_map(|text| serde_json::from_str(text).ok()).collect();
        self.said.extend([params, result].into_iter().chain(texts));
    }

    fn call(&mut self, tool: &str, arguments: Value) {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
    }
}

/// What clients are listed that see everything.
fn complete() -> Vec<Value> {
    let mut full = Conversation::open(&["--strategy", "full"], json!({}));
    full.ask("tools/list", json!({}));
    full.said
}

/// Whether all that is documented was said. `…` stands for what is left out: as a key for other members, in a text for
/// other words, at the start of an item for other items.
fn shows(said: &Value, documented: &Value) -> bool {
    match documented {
        Value::Object(members) => members
            .iter()
            .all(|(key, value)| key == "…" || said.get(key).is_some_and(|said| shows(said, value))),
        Value::Array(items) => {
            let shown = items.iter().filter(|item| !item.as_str().is_some_and(|text| text.starts_with('…')));
            let said = said.as_array().map(Vec::as_slice).unwrap_or_default();
            shown.into_iter().all(|item| said.iter().any(|said| shows(said, item)))
        }
        Value::String(text) => said.as_str().is_some_and(|said| has_in_order(said, text)),
        other => said == other,
    }
}

fn has_in_order(said: &str, text: &str) -> bool {
    if !text.contains('…') {
        return said == text;
    }
    let mut rest = said;
    text.split('…').map(str::trim).all(|part| {
        let found = rest.split_once(part);
        rest = found.map_or("", |(_, after)| after);
        found.is_some()
    })
}

/// Each JSON block of the page was said.
fn is_true(page: &str, said: &[Value]) {
    let blocks = blocks_of(&format!("strategies/{page}.md"), "json");
    assert!(blocks.len() > 2);
    for block in blocks {
        let documented: Value =
            serde_json::from_str(&block).unwrap_or_else(|error| panic!("{error}: {block}"));
        assert!(said.iter().any(|said| shows(said, &documented)), "no message is {block}");
    }
}

#[test]
fn resource_is_documented_as_it_is_r1_r4_r7_r14() {
    let mut said = complete();
    let early = json!({"a": [1, 2], "b": [1, 3]});
    let uri = "resource:///tool_descriptions?tools=convolve";
    let flags = ["--strategy", "resource", "--bridge", "never"];
    let mut native = Conversation::open(&flags, json!({}));
    native.ask("tools/list", json!({}));
    native.call("convolve", early.clone());
    native.ask("resources/read", json!({"uri": uri}));
    native.call("convolve", early);
    native.ask("resources/read", json!({"uri": uri, "_meta": stateless(json!({}))}));
    let schema = native.said.last().unwrap()["convolve"]["inputSchema"].clone();
    let mut bridged = Conversation::open(&flags[..2], json!({}));
    bridged.call("describe_tools", json!({"names": ["convolve"]}));
    said.extend(native.said.into_iter().chain([schema]).chain(bridged.said));
    is_true("resource", &said);
}

#[test]
fn describe_is_documented_as_it_is_d2_d7() {
    let mut said = complete();
    let offer = json!({"extensions": {EXTENSION: {"strategies": ["describe"]}}});
    let mut native = Conversation::open(&[], offer);
    native.ask("tools/list", json!({}));
    let mut bridged = Conversation::open(&["--strategy", "describe"], json!({}));
    bridged.call("describe_tools", json!({"names": ["convolve"]}));
    said.extend(native.said.into_iter().chain(bridged.said));
    is_true("describe", &said);
}

#[test]
fn search_is_documented_as_it_is_s1_s2_s4() {
    let mut search = Conversation::open(&["--strategy", "search"], json!({}));
    search.ask("tools/list", json!({}));
    for arguments in [
        json!({"query": "solve an equation"}),
        json!({"query": "book a flight"}),
        json!({}),
        json!({"category": "symbolic"}),
    ] {
        search.call("search_tools", arguments);
    }
    let arguments = json!({"equations": "x**2 - 4"});
    search.call("call_tool", json!({"tool": "symbolic_solve", "arguments": arguments}));
    is_true("search", &search.said);
}

#[test]
fn info_is_documented_as_it_is_i1_i2_i3_i4_i5_i7() {
    let mut said = complete();
    let mut stubs = Conversation::open(&["--strategy", "info"], json!({}));
    stubs.ask("tools/list", json!({}));
    stubs.call("info", json!({}));
    for topic in ["symbolic", "symbolic_solve", "symbollic"] {
        stubs.call("info", json!({"topic": topic}));
    }
    let flags = ["--strategy", "info", "--set", "info.tools=entry-only"];
    let mut entry = Conversation::open(&flags, json!({}));
    let arguments = json!({"equations": "x**2 - 4"});
    entry.call("invoke", json!({"tool": "symbolic_solve", "arguments": arguments}));
    assert_eq!(entry.said[1]["isError"], false);
    said.extend(stubs.said.into_iter().chain(entry.said));
    is_true("info", &said);
}

/// The demonstration under `info`, initialized.
fn demonstration(flags: &[&str]) -> Process {
    opened(&[&["serve", "--strategy", "info"], flags].concat())
}

/// What a topic is answered.
#[track_caller]
fn ask(gateway: &mut Process, topic: &str) -> Value {
    let answer = gateway.call("info", json!({"topic": topic}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    answer["result"]["structuredContent"].clone()
}

#[test]
fn every_documented_example_runs_as_it_is_shown_i4_i7() {
    for (flags, invoked) in [(&[][..], false), (&["--set", "info.tools=entry-only"], true)] {
        let mut gateway = demonstration(flags);
        let (mut tools, mut examples) = (0, 0);
        let overview = ask(&mut gateway, "overview");
        for (category, described) in overview["categories"].as_object().unwrap() {
            let listed = ask(&mut gateway, category)["tools"].as_array().unwrap().clone();
            assert_eq!(described["count"], listed.len(), "{category}");
            for tool in listed {
                tools += 1;
                let name = tool["name"].as_str().unwrap();
                let described = ask(&mut gateway, name);
                let related = described["related"].as_array().unwrap();
                assert!(
                    related.iter().all(|other| ask(&mut gateway, other.as_str().unwrap())["tool"] == *other)
                );
                for example in described["examples"].as_array().unwrap() {
                    examples += 1;
                    let names = described["parameters"].as_object().unwrap();
                    let input = example["input"].as_object().unwrap();
                    assert!(input.keys().all(|key| names.contains_key(key)), "{name} {example}");
                    let answer = if invoked {
                        gateway.call("invoke", json!({"tool": name, "arguments": input}))
                    } else {
                        gateway.call(name, json!(input))
                    };
                    assert_eq!(answer["result"]["structuredContent"], example["output"], "{name} {example}");
                }
            }
        }
        assert_eq!(overview["total_tools"], tools);
        assert!(tools == 11 && examples > 11, "{tools} tools, {examples} examples");
    }
}
