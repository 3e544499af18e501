//! What is cheap is not withheld (B12): tools whose schema costs no more than asking for it.

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json};

const PERMISSIVE: &str = r#"{"type":"object","additionalProperties":true}"#;

/// In its place for clients that pass on named parameters only.
const WRAPPING: &str = r#"{"type":"object","properties":{"arguments":{}}}"#;

/// `none` has no parameters, `one` an obvious one, `dear` some that are long to describe, and `loose` no type that hosts
/// could rely on.
fn tools() -> Vec<String> {
    let long = "What it means is explained at such length that it costs more than asking for it. ".repeat(3);
    [
        json!({"name": "none", "description": "Has none.", "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {},
            "additionalProperties": false}}),
        json!({"name": "one", "description": "Has one.", "inputSchema": {
            "type": "object", "title": "oneArguments", "required": ["url"],
            "properties": {"url": {"type": "string", "title": "Url", "description": "Where to go"}}}}),
        json!({"name": "dear", "description": "Has a long one.", "inputSchema": {
            "type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "description": long}}}}),
        json!({"name": "loose", "description": "Has anything.", "inputSchema": true}),
    ]
    .map(|tool| tool.to_string())
    .into()
}

/// A client that knows nothing of the strategy, which serves everyone with these settings.
async fn plain(setup: Setup, settings: Value) -> (Bench, Client) {
    let strategies = StrategyOptions {
        pinned: Some(setup.strategy.to_owned()),
        settings: [(setup.strategy.to_owned(), settings)].into(),
        ..StrategyOptions::default()
    };
    let options = Options::new(crate::UPSTREAM, Scenario::with_tools(tools()));
    let bench = Bench::start(Options { strategies, ..options }).await;
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    (bench, client)
}

async fn schemas(client: &Client) -> Vec<String> {
    let listed = client.request("tools/list", json!({})).await.result();
    let tools = listed["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["inputSchema"].to_string()).take(4).collect()
}

async fn cheap_schemas_are_listed_and_others_asked_for(setup: Setup) {
    let (_bench, client) = plain(setup, json!({})).await;
    let one = r#"{"type":"object","required":["url"],"properties":{"url":{"type":"string","description":"Where to go"}}}"#;
    let none = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    assert_eq!(schemas(&client).await, [none, one, WRAPPING, PERMISSIVE]);
    // Shown, so left to the upstream, as under `full`.
    let given = |reply: kit::Reply| reply.result()["structuredContent"]["given"].clone();
    assert_eq!(given(client.call("one", json!({"url": 7})).await), json!({"url": 7}));
    // Withheld, so checked.
    let refused = client.call("dear", json!({"x": "seven"})).await.result();
    assert_eq!(refused["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");

    let (_bench, client) = plain(setup, json!({"inline_schema_bytes": 0})).await;
    assert_eq!(schemas(&client).await, [WRAPPING, WRAPPING, WRAPPING, PERMISSIVE]);
    let refused = client.call("one", json!({"url": 7})).await.result();
    assert_eq!(refused["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
}

async fn b12_cheap_schemas_are_listed_by_describe(setup: Setup) {
    cheap_schemas_are_listed_and_others_asked_for(setup).await;
}

async fn b12_cheap_schemas_are_listed_by_info(setup: Setup) {
    cheap_schemas_are_listed_and_others_asked_for(setup).await;
}

under_describe!(b12_cheap_schemas_are_listed_by_describe);
under_info!(b12_cheap_schemas_are_listed_by_info);

async fn r1_resource_withholds_every_schema(setup: Setup) {
    let (_bench, client) = plain(setup, json!({})).await;
    assert_eq!(schemas(&client).await, [PERMISSIVE; 4]);
}

under_resource!(r1_resource_withholds_every_schema);

async fn b12_a_category_shows_cheap_parameters_where_tools_are_not_listed(setup: Setup) {
    let (_bench, client) = plain(setup, json!({"tools": "entry-only"})).await;
    let category = client.call("info", json!({"topic": "kit"})).await.result()["structuredContent"].take();
    let lines: Vec<&Value> =
        category["tools"].as_array().unwrap().iter().map(|line| &line["parameters"]).collect();
    assert_eq!(
        lines,
        [&json!("none"), &json!({"url": "string, required: Where to go"}), &Value::Null, &Value::Null]
    );
    assert_ne!(client.call("invoke", json!({"tool": "none"})).await.result()["isError"], true);
    assert_eq!(client.calls_forwarded().await[0]["name"], "none");
    // The host has seen no schema.
    let refused = client.call("invoke", json!({"tool": "one", "arguments": {"url": 7}})).await.result();
    assert_eq!(refused["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
}

under_info!(b12_a_category_shows_cheap_parameters_where_tools_are_not_listed);
