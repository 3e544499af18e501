//! What is cheap is not withheld (B12): tools whose schema costs no more than asking for it.

use kit::{Bench, Client, Scenario, Setup};
use serde_json::{Value, json};

use crate::{
    connect_plain,
    describe::{PERMISSIVE, WRAPPING},
    playing,
};

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
        json!({"name": "loose", "description": "Has anything.", "inputSchema": {}}),
    ]
    .map(|tool| tool.to_string())
    .into()
}

/// A client that knows nothing of the strategy, which serves everyone with these settings.
async fn plain(setup: Setup, settings: Value) -> (Bench, Client) {
    let options = playing(Scenario::with_tools(tools()));
    connect_plain(options.pinned(setup.strategy).set(setup.strategy, settings), setup).await
}

async fn schemas(client: &Client) -> Vec<String> {
    client.tools().await.iter().map(|tool| tool["inputSchema"].to_string()).take(4).collect()
}

async fn b12_cheap_schemas_are_listed_and_others_asked_for(setup: Setup) {
    let (_bench, client) = plain(setup, json!({})).await;
    let one = r#"{"type":"object","required":["url"],"properties":{"url":{"type":"string","description":"Where to go"}}}"#;
    let none = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    assert_eq!(schemas(&client).await, [none, one, WRAPPING, PERMISSIVE]);
    // Shown, so left to the upstream, as under `full`.
    assert_eq!(client.call("one", json!({"url": 7})).await.given(), json!({"url": 7}));
    // Withheld, so checked.
    client.call("dear", json!({"x": "seven"})).await.refusal("INVALID_ARGUMENTS");

    let (_bench, client) = plain(setup, json!({"inline_schema_bytes": 0})).await;
    assert_eq!(schemas(&client).await, [WRAPPING, WRAPPING, WRAPPING, PERMISSIVE]);
    client.call("one", json!({"url": 7})).await.refusal("INVALID_ARGUMENTS");
}

cases!(
    describe_stdio_session describe_http_stateless info_http_session info_stdio_stateless;
    b12_cheap_schemas_are_listed_and_others_asked_for,
);

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
    let call = json!({"tool": "one", "arguments": {"url": 7}});
    client.call("invoke", call).await.refusal("INVALID_ARGUMENTS");
}

under_info!(b12_a_category_shows_cheap_parameters_where_tools_are_not_listed);
