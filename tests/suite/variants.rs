//! Server variants (V1, SEP-2053): strategies under the draft's names.

use kit::{Bench, Client, Identity, Options, Setup, client::names_in};
use mcp_disclosure_core::{EXTENSION, GROUPS};
use mcp_disclosure_gateway::negotiation::StrategyOptions;
use serde_json::{Value, json};

use crate::{connect_as, connect_plain, odd};

const VARIANTS: &str = "io.modelcontextprotocol/server-variants";
const VARIANT: &str = "io.modelcontextprotocol/server-variant";

/// A client that supports variants, and gives these hints.
fn hinting(hints: Value) -> Identity {
    let hints = json!({"variantHints": {"description": "x", "hints": hints}});
    Identity::default().declaring(VARIANTS, hints)
}

async fn available(client: &Client) -> Vec<String> {
    let capabilities = client.capabilities().await;
    let variants = capabilities["extensions"][VARIANTS]["availableVariants"].as_array().unwrap().clone();
    for variant in &variants {
        assert!(!variant["description"].as_str().unwrap().is_empty());
        // That of a strategy which selects another depends on the catalogue.
        let is_sized = variant["hints"]["contextSize"].is_string();
        assert_eq!(is_sized, variant["id"] != "adaptive", "{variant}");
        assert_eq!(variant["status"], "stable");
    }
    variants.iter().map(|variant| variant["id"].as_str().unwrap().to_owned()).collect()
}

/// Names and schemas, which tell how one is served.
async fn served(client: &Client, variant: Option<&str>) -> (usize, bool) {
    let params = variant.map_or(json!({}), |variant| json!({"_meta": {VARIANT: variant}}));
    let listed = client.request("tools/list", params).await.result();
    let tools = listed["tools"].as_array().unwrap();
    (tools.len(), tools[0]["inputSchema"]["required"] == json!(["text"]))
}

async fn v1_strategies_are_the_variants_and_each_request_chooses(setup: Setup) {
    let strategies = StrategyOptions { fallback: setup.strategy.to_owned(), ..StrategyOptions::default() };
    let (_bench, client) = connect_as(Options { strategies, ..odd() }, setup, hinting(json!({}))).await;
    let ids = available(&client).await;
    let capabilities = client.capabilities().await;
    let ours = &capabilities["extensions"][EXTENSION];
    assert_eq!(ids[0], ours["selected"].as_str().unwrap());
    let mut offered: Vec<&str> =
        ours["strategies"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut sorted: Vec<&str> = ids.iter().map(String::as_str).collect();
    offered.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, offered);
    let own = served(&client, None).await;
    assert_eq!(served(&client, Some(&ids[0])).await, own);
    // A variant is served as that strategy is to a client that does not know it.
    for id in ["full", "describe", "resource", "search"] {
        let (_bench, model) = connect_plain(odd().pinned(id), setup).await;
        assert_eq!(served(&client, Some(id)).await, served(&model, None).await, "{id}");
    }
    assert_eq!(served(&client, None).await, own, "the next request is on its own");
    let called = client.request(
        "tools/call",
        json!({"name": "echo", "arguments": {"text": "x"}, "_meta": {VARIANT: "full"}}),
    );
    assert_ne!(called.await.result()["isError"], true);
    let forwarded =
        client.request("resources/read", json!({"uri": "kit://journal", "_meta": {VARIANT: "full"}})).await;
    let journal = forwarded.text_as_json();
    assert!(!journal.to_string().contains(VARIANT), "upstreams do not see it");
}

async fn v1_an_unknown_variant_is_refused_with_those_that_there_are(setup: Setup) {
    let (_bench, client) = connect_as(odd(), setup, hinting(json!({}))).await;
    let ids = available(&client).await;
    for unknown in [json!("unheard-of"), json!(7), json!(""), json!(null)] {
        for method in ["tools/list", "resources/list", "tools/call"] {
            let params = json!({"name": "echo", "_meta": {VARIANT: unknown}});
            let error = client.request(method, params).await.error();
            assert_eq!(
                (&error["code"], &error["message"]),
                (&json!(-32602), &json!("Invalid server variant"))
            );
            assert_eq!(error["data"], json!({"requestedVariant": unknown, "availableVariants": ids}));
        }
    }
}

async fn v1_hints_choose_for_a_client_that_names_nothing(setup: Setup) {
    let bench = Bench::start(odd()).await;
    for (hints, first) in [
        (json!({"contextSize": "compact"}), "search"),
        (json!({"contextSize": ["unheard-of", "compact", "verbose"]}), "search"),
        (json!({"contextSize": "verbose"}), "full"),
        (json!({"modelFamily": "anthropic"}), "adaptive"),
    ] {
        let client = Client::connect_as(&bench, setup, hinting(hints.clone())).await;
        let ids = available(&client).await;
        assert!(ids[0].ends_with(first), "{hints}: {ids:?}");
        assert_eq!(served(&client, None).await, served(&client, Some(&ids[0])).await);
    }
    // What it names comes before its hints.
    let both = hinting(json!({"contextSize": "compact"}));
    let both = both.declaring(EXTENSION, json!({"strategies": ["resource"]}));
    let client = Client::connect_as(&bench, setup, both).await;
    assert!(available(&client).await[0].ends_with("resource"));
}

async fn v1_what_the_operator_pinned_is_the_only_variant(setup: Setup) {
    let bench = Bench::start(odd().pinned("resource")).await;
    let client = Client::connect_as(&bench, setup, hinting(json!({"contextSize": "compact"}))).await;
    let ids = available(&client).await;
    assert_eq!(ids.len(), 1, "{ids:?}");
    let params = json!({"_meta": {VARIANT: "full"}});
    assert_eq!(client.request("tools/list", params).await.code(), -32602);
}

async fn v1_g1_groups_that_are_off_are_served_with_their_bridge(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let names = async |client: &Client| {
        let listed = client.request("tools/list", json!({"_meta": {VARIANT: "groups"}})).await.result();
        names_in(listed["tools"].as_array().unwrap())
    };
    let declaring = Client::connect_as(&bench, setup, Identity::grouping()).await;
    let plain = Client::connect_as(&bench, setup, Identity::default()).await;
    assert!(declaring.capabilities().await["extensions"].get(GROUPS).is_none());
    let listed = names(&declaring).await;
    assert!(listed.iter().any(|name| name == "get_group"), "{listed:?}");
    assert_eq!(listed, names(&plain).await);
    let params = json!({"_meta": {VARIANT: "groups"}});
    assert_eq!(declaring.request("groups/list", params.clone()).await.code(), -32601);
    if !setup.has_sessions() {
        let discovered = declaring.request("server/discover", params).await.result();
        assert!(discovered["capabilities"]["extensions"].get(GROUPS).is_none(), "{discovered}");
    }
}

under_full!(
    v1_strategies_are_the_variants_and_each_request_chooses,
    v1_g1_groups_that_are_off_are_served_with_their_bridge,
    v1_an_unknown_variant_is_refused_with_those_that_there_are,
    v1_hints_choose_for_a_client_that_names_nothing,
    v1_what_the_operator_pinned_is_the_only_variant,
);
