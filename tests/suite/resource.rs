//! What `resource` lists and delivers (R1, R3 to R6, R15); how it explains itself, the snapshots have (R2, R13).

use kit::{Bench, Client, Scenario, Setup, client::with_receipt};
use mcp_disclosure_core::Definitions;
use serde_json::{Value, json};

use crate::{
    Described, connect, connect_plain, connected,
    describe::{PERMISSIVE, withholds},
    info::answered,
    named, odd, playing,
};

const BASE: &str = "resource:///tool_descriptions";

async fn r1_lists_say_what_a_tool_does_and_keep_what_clients_need(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let listed = client.tools().await;
    withholds(&listed, |tool| tool["inputSchema"] = serde_json::from_str(PERMISSIVE).unwrap());
    assert_eq!(listed[0]["description"], "Echoes what it is given. Then it rests.");
}

async fn r3_names_are_read_from_the_uri_and_the_uri_is_echoed(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    for (query, expected) in [
        ("?tools=rich,echo,rich", vec!["rich", "echo"]),
        ("?tools=%20rich%20,%65cho", vec!["rich", "echo"]),
        ("?tools=echo&x=1&tools=rich", vec!["echo", "rich"]),
        ("?tools=odd%20%C3%BC%2C%3F%26%25", vec!["odd ü,?&%"]),
        ("?tools=Echo", vec!["Echo"]),
    ] {
        let reply = client.read(&format!("{BASE}{query}")).await;
        assert_eq!(reply.result()["contents"][0]["uri"], format!("{BASE}{query}"));
        assert_eq!(reply.result()["contents"][0]["mimeType"], "application/json");
        let described = reply.text_as_json();
        assert_eq!(described.as_object().unwrap().keys().collect::<Vec<_>>(), expected, "{query}");
    }
    assert!(client.describe("Echo").await.text_as_json()["Echo"]["error"].is_string());
}

async fn r4_what_was_asked_for_is_delivered_completely(setup: Setup) {
    let file = json!({
        "name": "a", "description": "All of a.", "inputSchema": {"type": "object", "properties": {"x": {}}},
        "outputSchema": {"type": "object"}, "examples": [{"description": "d", "input": {"x": 1}}],
        "usage_guidance": "Use it.", "error_guidance": {"E": "Do."}, "brief": "A."
    });
    let files = Described::by([&file]);
    let (_bench, client) = connect(files.before(named(["a", "b"])), setup).await;
    let mut described = client.describe("a").await.text_as_json();
    assert_eq!(described.as_object().unwrap().keys().collect::<Vec<_>>(), ["a"]);
    let entry = described["a"].as_object_mut().unwrap();
    // The receipt is in the arguments of examples, too (B6).
    entry["examples"][0]["input"].as_object_mut().unwrap().shift_remove("disclosure_receipt");
    let version = entry.shift_remove("version").unwrap();
    assert!(version.as_str().unwrap().starts_with("sha256:"));
    for part in ["name", "description", "outputSchema", "examples", "usage_guidance", "error_guidance"] {
        assert_eq!(entry[part], file[part], "{part}");
    }
    assert_eq!(entry["inputSchema"]["properties"]["x"], json!({}));
    assert_eq!(entry.len(), 7, "{entry:?}");
}

async fn r5_without_names_nothing_is_authorized(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let names = Scenario::odd().tools.len();
    for query in ["", "?tools=", "?tools=%20,", "?other=echo"] {
        let error = client.read(&format!("{BASE}{query}")).await.text_as_json()["error"].clone();
        assert_eq!(error["code"], "MISSING_TOOL_SELECTION");
        assert_eq!(error["message"], "You must specify one or more tool names in the 'tools' parameter.");
        assert_eq!(
            error["examples"],
            json!([format!("{BASE}?tools=echo"), format!("{BASE}?tools=echo,rich")])
        );
        assert_eq!(error["available_tools"].as_array().unwrap().len(), names);
    }
    assert_eq!(client.call("echo", json!({"text": "x"})).await.result()["isError"], true);
}

async fn r6_of_many_tools_the_nearest_are_named(setup: Setup) {
    let names: Vec<String> = (0..101).map(|at| format!("tool_{at}")).collect();
    let (_bench, client) = connect(named(names.iter().map(String::as_str)), setup).await;
    let unknown = client.describe("tool_77x").await.text_as_json()["tool_77x"].clone();
    assert_eq!(unknown["available_count"], 101);
    let nearest = unknown["available_tools"].as_array().unwrap();
    assert_eq!((nearest.len(), &nearest[0]), (20, &json!("tool_77")));
    let none = client.read(BASE).await.text_as_json()["error"].clone();
    assert_eq!(
        (none["available_tools"].as_array().unwrap().len(), &none["available_count"]),
        (20, &json!(101))
    );
}

under_resource!(
    r1_lists_say_what_a_tool_does_and_keep_what_clients_need,
    r3_names_are_read_from_the_uri_and_the_uri_is_echoed,
    r4_what_was_asked_for_is_delivered_completely,
    r5_without_names_nothing_is_authorized,
    r6_of_many_tools_the_nearest_are_named,
);

/// A gateway that serves `resource` to everyone, and a client that has never heard of it.
async fn plain(setup: Setup) -> (Bench, Client) {
    connect_plain(odd().pinned("resource"), setup).await
}

async fn r15_the_bridge_is_listed_last_and_answers_like_the_resource(setup: Setup) {
    let (_bench, client) = plain(setup).await;
    let bridge = client.tools().await.pop().unwrap();
    assert_eq!(bridge["name"], "describe_tools");
    assert_eq!(bridge["inputSchema"]["required"], json!(["names"]));
    let result = client.call("describe_tools", json!({"names": ["unknown", "rich"]})).await.result();
    assert_ne!(result["isError"], true);
    let mut by_uri = client.describe("unknown,rich").await.text_as_json();
    let mut by_bridge = answered(&result);
    for described in [&mut by_uri, &mut by_bridge] {
        // Handles never repeat.
        if let Some(handle) = described.pointer_mut("/rich/inputSchema/properties/disclosure_receipt/const") {
            handle.take();
        }
    }
    let version = by_uri["rich"].as_object_mut().unwrap().shift_remove("version").unwrap();
    assert!(version.as_str().unwrap().starts_with("sha256:"));
    assert_eq!(by_bridge, by_uri);
    client.call("describe_tools", json!({})).await.refusal("MISSING_TOOL_SELECTION");
}

/// A definition of which a call needs less than half.
const WEIGHTY: &str = r##"{"name": "weighty", "description": "Weighs.", "annotations": {"readOnlyHint": true},
    "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"used": {"type": "string"}, "unused": {"type": "integer"}},
        "properties": {"kind_of": {"title": "Kind Of", "$ref": "#/$defs/used"}}},
    "outputSchema": {"type": "object"}}"##;

async fn b9_a_bridge_delivers_what_a_call_needs_and_the_resource_all(setup: Setup) {
    let slim = json!({
        "name": "weighty", "description": "Weighs.",
        "inputSchema": {"type": "object", "$defs": {"used": {"type": "string"}},
            "properties": {"kind_of": {"$ref": "#/$defs/used"}}},
    });
    let mut structured = slim.clone();
    structured["outputSchema"] = json!({"type": "object"});
    let exact: Value = serde_json::from_str(WEIGHTY).unwrap();
    for (definitions, expected) in [
        (Definitions::Slim, slim),
        (Definitions::Structured, structured),
        (Definitions::Exact, exact.clone()),
    ] {
        let mut options = playing(Scenario::with_tools([exact.to_string()])).pinned("resource");
        options.strategies.definitions = definitions;
        let (_bench, client) = connect_plain(options, setup).await;
        let by_bridge = client.call("describe_tools", json!({"names": "weighty"})).await.result();
        let by_uri = client.describe("weighty").await.text_as_json();
        for (delivered, expected) in [(&by_bridge["structuredContent"], &expected), (&by_uri, &exact)] {
            let mut delivered = delivered["weighty"].clone();
            let digest = delivered.as_object_mut().unwrap().shift_remove("version");
            assert_eq!(digest.is_some(), expected.get("annotations").is_some());
            let receipt = kit::client::take_receipt(&mut delivered);
            assert_eq!(receipt.is_some(), !setup.has_sessions());
            assert_eq!(&delivered, expected, "{definitions}");
        }
        // Either delivery is of the complete definition: it authorizes the tool.
        let given = with_receipt(json!({"kind_of": "x"}), &by_bridge["structuredContent"]["weighty"]);
        assert_eq!(client.call("weighty", given).await.given(), json!({"kind_of": "x"}));
    }
}

under_resource!(
    b9_a_bridge_delivers_what_a_call_needs_and_the_resource_all,
    r15_the_bridge_is_listed_last_and_answers_like_the_resource,
);
