//! The wire under every strategy and in both eras, as one conversation each: the handshake, the list, the strategy's
//! own channel, a call that is refused and one that succeeds. The messages are the same over both transports.

use std::collections::BTreeMap;

use kit::{Bench, Client, Identity, Options, Scenario, Setup, client::receipt_of, setup::Era};
use mcp_disclosure_core::{About, Concern, Values};
use serde_json::{Value, json};

use crate::playing;

const TOOL: &str = "weigh";

/// A cheap tool and an expensive one, and the concern that tells them apart.
fn options() -> Options {
    let tool = |name: &str, cost: &str, argument: Value| {
        let schema = json!({"type": "object", "properties": argument, "required": ["grams"]});
        json!({
            "name": name, "title": "A scale", "description": format!("Does {name}. Needs grams."),
            "inputSchema": schema, "annotations": {"readOnlyHint": true}, "_meta": {"concerns": {"cost": cost}},
        })
        .to_string()
    };
    let grams = json!({"grams": {"type": "integer", "minimum": 1}});
    let scenario = Scenario::with_tools([tool(TOOL, "low", grams.clone()), tool("simulate", "high", grams)]);
    let scenario = Scenario { resources: vec![], templates: vec![], prompts: vec![], ..scenario };
    let levels = Values::Listed(vec![json!("low"), json!("high")]);
    let cost = Concern::new("cost", "What it costs", levels, None).unwrap();
    let about = About { concerns: vec![cost], ..About::default() };
    Options { about, ..playing(scenario) }
}

/// Requests of `conversations.json`, each a method and parameters: those of a strategy, or others by their name there.
fn requests(name: &str) -> Vec<(String, Value)> {
    let mut all: BTreeMap<String, _> =
        serde_json::from_str(include_str!("../data/conversations.json")).unwrap();
    all.remove(name).unwrap_or_else(|| panic!("no conversation for {name}"))
}

/// What is asked between the list and the last call, which succeeds.
fn channel(strategy: &str, era: Era) -> Vec<(String, Value)> {
    let choose = || if era == Era::Session { requests("choose") } else { Vec::new() };
    match strategy {
        "concerns+search" => requests("search"),
        "concerns+full" => [requests("concerns"), choose(), requests("full")].concat(),
        "concerns+resource" => [choose(), requests("resource")].concat(),
        strategy => requests(strategy),
    }
}

/// Sends all requests of the conversation, and writes down what passes.
async fn conversation(setup: Setup) -> String {
    let bench = Bench::start(options()).await;
    let identity = Identity::offering(setup.strategy);
    // In a session concerns are chosen by a request, and without one with each request.
    let chooses = setup.strategy.starts_with("concerns") && !setup.has_sessions();
    let identity = if chooses { identity.choosing(json!({"cost": "low"})) } else { identity };
    let mut client = Client::attach(&bench, setup, identity);
    let mut transcript = Transcript::default();

    let reply = client.handshake().await;
    let (method, params) = client.hello();
    transcript.write(method, &params, &reply.answer());
    if setup.has_sessions() {
        client.notify("notifications/initialized", json!({})).await;
    }
    let requests = [requests("first"), channel(setup.strategy, setup.era), requests("last")];
    for (method, mut params) in requests.concat() {
        if let Some(receipt) = transcript.receipt.clone().filter(|_| method == "tools/call") {
            params["arguments"]["disclosure_receipt"] = receipt;
        }
        let reply = client.request(&method, params.clone()).await;
        if method == "resources/read" {
            transcript.receipt = receipt_of(&reply.text_as_json()[TOOL]);
        }
        transcript.write(&method, &params, &reply.answer());
    }
    transcript.redacted()
}

/// Requests and answers as they pass. What the stateless era repeats in each `_meta` is in the first request only.
#[derive(Default)]
struct Transcript {
    text: String,
    /// The handle that calls carry where there are no sessions.
    receipt: Option<Value>,
}

impl Transcript {
    fn write(&mut self, method: &str, params: &Value, answer: &Value) {
        let (kind, said) = match answer.get("error") {
            Some(error) => ("error", error),
            None => ("result", &answer["result"]),
        };
        self.text += &format!("--> {method} {params:#}\n<-- {kind} {:#}\n\n", unfolded(said));
    }

    /// Without what differs from run to run or release to release.
    fn redacted(mut self) -> String {
        if let Some(receipt) = &self.receipt {
            self.text = self.text.replace(receipt.as_str().unwrap(), "[receipt]");
        }
        self.text.replace(env!("CARGO_PKG_VERSION"), "[version]")
    }
}

/// Texts that are JSON become readable: they are shown as what they say.
fn unfolded(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), unfolded(value))).collect(),
        Value::Array(items) => items.iter().map(unfolded).collect(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(inner @ Value::Object(_)) => json!({"(text) JSON": inner}),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

/// One snapshot for each strategy and era, from either transport.
async fn what_passes(setup: Setup) {
    let era = if setup.has_sessions() { "session" } else { "stateless" };
    let strategy = setup.strategy.trim_end_matches("+full").replace('+', "_");
    insta::assert_snapshot!(format!("{strategy}__{era}"), conversation(setup).await);
}
cases!(
    full_stdio_session full_http_stateless
    resource_http_session resource_stdio_stateless
    describe_stdio_session describe_http_stateless
    info_http_session info_stdio_stateless
    search_stdio_session search_http_stateless
    groups_http_session groups_stdio_stateless
    concerns_search_stdio_session concerns_search_http_stateless
    concerns_full_http_session concerns_full_stdio_stateless
    concerns_resource_stdio_session concerns_resource_http_stateless;
    what_passes,
);
