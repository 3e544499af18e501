//! Messages name the channel that the reader has (B6).

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_gateway::negotiation::Bridge;
use serde_json::{Value, json};

use crate::{Described, connect, connect_as, playing};

/// A tool whose schema costs more than asking for it.
fn solve() -> Options {
    let long = "Equations to solve, as text, each with or without a right-hand side. ".repeat(4);
    let schema = json!({
        "type": "object", "required": ["equations"], "additionalProperties": false,
        "properties": {
            "equations": {"type": "array", "items": {"type": "string"}, "description": long},
            "options": {"$ref": "#/$defs/options"}, "domain": {"type": "string"},
        },
        "$defs": {"options": {"type": "object", "required": ["max_steps"], "properties": {"max_steps": {"type": "integer"}}}},
    });
    let tool = json!({"name": "solve", "description": "Solves.", "inputSchema": schema}).to_string();
    playing(Scenario::with_tools([tool]))
}

async fn serving(setup: Setup, options: Options, bridge: Bridge, identity: Identity) -> (Bench, Client) {
    connect_as(options.pinned(setup.strategy).bridge(bridge), setup, identity).await
}

/// The error of a call after the tool was learned.
async fn error(client: &Client, setup: Setup, arguments: Value) -> Value {
    let arguments =
        if setup.strategy == "resource" { client.learn("solve", arguments).await } else { arguments };
    let result = client.call("solve", arguments).await.result();
    assert_eq!(result["isError"], true, "{result}");
    result["structuredContent"]["error"].clone()
}

async fn b6_invalid_arguments_say_how_to_learn_the_tool(setup: Setup) {
    for (bridge, over_bridge) in [(Bridge::Always, true), (Bridge::Never, false)] {
        let (_bench, client) = serving(setup, solve(), bridge, Identity::offering(setup.strategy)).await;
        let error = error(&client, setup, json!({})).await;
        let expected = match (setup.strategy, over_bridge) {
            ("groups", true) => r#"call get_group with {"name": "solve"}"#,
            // Groups are no gate: hosts that know them are not sent to read first.
            ("groups", false) => {
                assert!(!error.to_string().contains("get_group"), "{error}");
                continue;
            }
            ("search", _) => r#"call search_tools with {"query": "solve", "limit": 1, "detail": "full"}"#,
            ("info", _) => r#"call info with {"topic":"solve"}"#,
            (_, true) => r#"call describe_tools with {"names":["solve"]}"#,
            ("describe", false) => r#"request tools/describe with {"name":"solve"}"#,
            (_, false) => "read the resource resource:///tool_descriptions?tools=solve",
        };
        let first = error["instructions"][0].as_str().unwrap();
        assert!(first.ends_with(expected), "{first}");
    }
}

where_schemas_are_withheld!(b6_invalid_arguments_say_how_to_learn_the_tool);

async fn b6_over_the_bridge_nothing_is_said_of_uris(setup: Setup) {
    let (_bench, client) = serving(setup, crate::odd(), Bridge::Auto, Identity::default()).await;
    let mut refused = client.call("rich", json!({})).await.result()["structuredContent"].take();
    let uri = refused["error"].as_object_mut().unwrap().shift_remove("resource_uri").unwrap();
    assert_eq!(uri, "resource:///tool_descriptions?tools=rich");
    let missing = client.call("describe_tools", json!({})).await.result()["structuredContent"].take();
    assert_eq!(missing["error"]["examples"], json!([{"names": ["echo"]}, {"names": ["echo", "rich"]}]));
    let introduction = client.introduced().await;
    for said in [refused.to_string(), missing.to_string(), introduction["instructions"].to_string()] {
        assert!(!said.contains("resource:") && !said.contains("'tools'"), "{said}");
    }
    assert!(refused["error"]["instructions"][0].as_str().unwrap().contains("describe_tools"));
}

async fn b6_a_uri_that_misses_narrowly_is_answered_with_the_right_one(setup: Setup) {
    let missed = ["resource://tool_descriptions?tools=rich", "resource:///tool_description/rich"];
    let other = "resource:///unheard-of";
    let mut scenario = Scenario::odd();
    for uri in missed.iter().chain([&other]) {
        let missing = scenario.answers["resources/read kit://missing"].clone();
        scenario.answers.insert(format!("resources/read {uri}"), missing);
    }
    let (_bench, client) = connect(playing(scenario), setup).await;
    for uri in missed {
        let error = client.read(uri).await.error();
        let meant = "resource:///tool_descriptions?tools=rich";
        assert!(error["message"].as_str().unwrap().ends_with(&format!("Did you mean {meant}?")), "{error}");
        assert_eq!(error["data"], json!({"uri": uri, "suggestion": meant}));
    }
    let other = client.read(other).await.error();
    assert!(!other["message"].as_str().unwrap().contains("Did you mean"), "{other}");
}

async fn b6_stateless_examples_are_calls_that_run(setup: Setup) {
    let files = Described::by([&json!({
        "name": "a", "description": "Does a.", "inputSchema": {"type": "object", "properties": {"x": {}}},
        "examples": [{"input": {"x": 1.5}, "output": "y"}],
    })]);
    let options = files.before(crate::named(["a"]));
    let (_bench, client) = serving(setup, options, Bridge::Auto, Identity::default()).await;
    for described in [
        client.describe("a").await.text_as_json(),
        client.call("describe_tools", json!({"names": ["a"]})).await.result()["structuredContent"].clone(),
    ] {
        let examples = &described["a"]["examples"];
        let receipt = kit::client::receipt_of(&described["a"]);
        assert_eq!(receipt.is_none(), setup.has_sessions());
        assert_eq!(examples[0]["input"].get("disclosure_receipt"), receipt.as_ref());
        assert_eq!(examples[0]["output"], "y");
        assert_eq!(client.call("a", examples[0]["input"].clone()).await.given(), json!({"x": 1.5}));
    }
}

under_resource!(
    b6_over_the_bridge_nothing_is_said_of_uris,
    b6_a_uri_that_misses_narrowly_is_answered_with_the_right_one,
    b6_stateless_examples_are_calls_that_run,
);
