//! The tool `choose_concerns` (B11), for clients that know nothing of concerns.

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use mcp_disclosure_gateway::negotiation::Bridge;
use serde_json::{Value, json};

use crate::{
    concerns::{listed, options},
    connect_plain, playing,
};

const BRIDGE: &str = "choose_concerns";

/// The same options, with `concerns` in front of the setup's strategy.
fn pinned(setup: Setup, options: Options) -> Options {
    match setup.strategy.starts_with("concerns") {
        true => options.pinned(setup.strategy),
        false => options.pinned(&format!("concerns+{}", setup.strategy)),
    }
}

async fn tool(client: &Client) -> Option<Value> {
    client.tools().await.into_iter().find(|tool| tool["name"] == BRIDGE)
}

async fn choose(client: &Client, concerns: Value) -> Value {
    let result = client.call(BRIDGE, json!({"concerns": concerns})).await.result();
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].clone()
}

async fn b11_an_ordinary_client_chooses_by_a_tool(setup: Setup) {
    let (_bench, client) = connect_plain(pinned(setup, options(json!({}))), setup).await;
    client.open_stream().await;
    let bridge = tool(&client).await.unwrap();
    let description = bridge["description"].as_str().unwrap();
    for said in ["cost (What it costs): low, high; now any", "delay (Seconds): 0 to 10"] {
        assert!(description.contains(said), "{description}");
    }
    let values = &bridge["inputSchema"]["properties"]["concerns"]["properties"];
    assert_eq!(
        values["cost"]["anyOf"],
        json!([{"type": "string", "enum": ["low", "high"]}, {"type": "null"}])
    );
    assert_eq!(listed(&client).await[0].len(), 3);

    let chosen = choose(&client, json!({"cost": "high", "mood": 1})).await;
    assert_eq!(chosen["concerns"], json!({"cost": "high"}));
    assert_eq!(chosen["tools_listed"], 2);
    assert!(chosen["warnings"][0].as_str().unwrap().contains("mood"), "{chosen}");
    for of_kind in listed(&client).await {
        assert_eq!(of_kind, ["dear", "open"]);
    }
    for kind in ["tools", "resources", "prompts"] {
        client.notification(&format!("notifications/{kind}/list_changed")).await;
    }
    let bridge = tool(&client).await.unwrap();
    assert!(bridge["description"].as_str().unwrap().contains("now high"), "{bridge}");
    assert_eq!(choose(&client, json!({})).await["concerns"], json!({"cost": "high"}));

    let wrong = client.call(BRIDGE, json!({"concerns": {"cost": "huge", "delay": 1}})).await;
    let error = wrong.refusal("INVALID_CONCERNS");
    assert!(error["message"].as_str().unwrap().contains("Permitted: low, high."), "{error}");
    assert_eq!(listed(&client).await[0], ["dear", "open"]);

    let all = choose(&client, json!({"cost": null})).await;
    assert_eq!((&all["concerns"], &all["tools_listed"]), (&json!({}), &json!(3)));
    assert_eq!(listed(&client).await[0].len(), 3);
}

async fn b11_a_client_that_knows_concerns_never_sees_the_tool(setup: Setup) {
    let bench = Bench::start(pinned(setup, options(json!({})))).await;
    let identity = Identity::default;
    for knowing in [
        Identity::offering(setup.strategy),
        identity().choosing(json!({})),
        identity().choosing(json!({"cost": "low"})),
        identity().choosing_afterwards(json!({"cost": "low"})),
        identity().choosing_afterwards(json!({})),
    ] {
        let client = Client::connect_as(&bench, setup, knowing).await;
        assert_eq!(tool(&client).await, None);
        assert_eq!(client.call(BRIDGE, json!({"concerns": {}})).await.error()["code"], -32602);
    }
    // One that turns out to know them later does not see it from then on.
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    client.open_stream().await;
    assert!(tool(&client).await.is_some());
    client.request("updateConcerns", json!({"concerns": {}})).await.result();
    assert_eq!(tool(&client).await, None);
    client.notification("notifications/tools/list_changed").await;
}

/// Where none are declared, where the strategy does not name them, and without sessions.
async fn b11_c11_elsewhere_there_is_no_such_tool(setup: Setup) {
    let mut elsewhere = vec![pinned(setup, crate::odd())];
    if !setup.has_sessions() {
        elsewhere.push(pinned(setup, options(json!({}))));
    } else if !setup.strategy.starts_with("concerns") {
        elsewhere.push(options(json!({})).pinned(setup.strategy));
    }
    for options in elsewhere {
        let (_bench, client) = connect_plain(options, setup).await;
        assert_eq!(tool(&client).await, None);
        assert_eq!(client.call(BRIDGE, json!({"concerns": {}})).await.error()["code"], -32602);
    }
}

async fn b11_settings_list_the_tool_to_all_or_to_none(setup: Setup) {
    for (bridge, setting, ordinarily, knowingly) in [
        (Bridge::Auto, "auto", true, false),
        (Bridge::Always, "auto", true, true),
        (Bridge::Never, "auto", false, false),
        (Bridge::Auto, "never", false, false),
        (Bridge::Always, "never", false, false),
        (Bridge::Never, "always", true, true),
    ] {
        let options = pinned(setup, options(json!({"bridge": setting})));
        let (bench, client) = connect_plain(options.bridge(bridge), setup).await;
        assert_eq!(tool(&client).await.is_some(), ordinarily, "{bridge} {setting}");
        let knowing = Identity::default().choosing(json!({"cost": "low"}));
        let client = Client::connect_as(&bench, setup, knowing).await;
        client.request("updateConcerns", json!({"concerns": {"cost": "high"}})).await.result();
        assert_eq!(tool(&client).await.is_some(), knowingly, "{bridge} {setting}");
    }
}

async fn b11_an_upstreams_tool_of_that_name_is_served_under_its_upstreams(setup: Setup) {
    let own = json!({"name": BRIDGE, "description": "Its own.", "inputSchema": {"type": "object"}});
    let scenario = Scenario::with_tools([own.to_string()]);
    let options = Options { upstreams: playing(scenario).upstreams, ..options(json!({})) };
    let (bench, client) = connect_plain(pinned(setup, options), setup).await;
    assert_eq!(choose(&client, json!({"cost": "low"})).await["tools_listed"], 1);
    let name = format!("kit__{BRIDGE}");
    if setup.strategy == "resource" {
        client.call("describe_tools", json!({"names": [name]})).await.result();
    }
    let result = client.call(&name, json!({"n": 1})).await.result();
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(client.calls_forwarded().await[0]["name"], BRIDGE);
    // A client that is not listed ours finds the upstream's under its own name.
    let knowing = Identity::offering(setup.strategy);
    let client = Client::connect_as(&bench, setup, knowing).await;
    // A tool of a few bytes is in no group.
    let is_listed = setup.lists_tools() || setup.strategy == "groups";
    assert_eq!(tool(&client).await.is_some(), is_listed);
}

with_sessions!(
    b11_a_client_that_knows_concerns_never_sees_the_tool,
    b11_an_ordinary_client_chooses_by_a_tool,
    b11_an_upstreams_tool_of_that_name_is_served_under_its_upstreams,
    b11_settings_list_the_tool_to_all_or_to_none,
);
everywhere!(b11_c11_elsewhere_there_is_no_such_tool);
