//! Tools that are described and do not run (M7): whatever way a call takes to them.

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use serde_json::{Value, json};

use crate::{connect, info::entry_only, playing};

const VARIANT: &str = "io.modelcontextprotocol/server-variant";

/// An upstream with a tool that is not callable, and one that is.
fn half() -> Options {
    let tool = |name: &str, callable: bool| {
        let meta = json!({"experimental/deterministic-groups": {"groups": ["query"], "callable": callable}});
        let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
        json!({
            "name": name, "description": format!("Does {name}."), "inputSchema": schema, "_meta": meta,
            "annotations": {"readOnlyHint": true}, "resolve": true,
        })
        .to_string()
    };
    let scenario =
        Scenario::with_tools([tool("stop", false), tool("go", true)]).with_tool_capability("resolve");
    playing(scenario)
}

/// The name by which the strategy calls other tools, if it does.
fn executor(setup: Setup) -> Option<&'static str> {
    match setup.strategy {
        "info" => Some("invoke"),
        "search" | "groups" | "concerns+search" => Some("call_tool"),
        _ => None,
    }
}

async fn m7_what_is_not_callable_does_not_run_whatever_way_a_call_takes(setup: Setup) {
    let bench = Bench::start(entry_only(half()).pinned(setup.strategy)).await;
    // As one that knows the strategy, and as one that has its bridge.
    for identity in [Identity::offering(setup.strategy), Identity::default()] {
        let client = Client::connect_as(&bench, setup, identity).await;
        client.call("stop", json!({"x": 1})).await.refusal("UNAVAILABLE");
        let resolved =
            client.request("tools/resolve", json!({"name": "stop", "arguments": {}})).await.error();
        assert_eq!(
            (&resolved["code"], &resolved["data"]["error"]["code"]),
            (&json!(-32602), &json!("UNAVAILABLE"))
        );
    }
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    if let Some(executor) = executor(setup) {
        let inner = json!({"tool": "stop", "arguments": {"x": 1}});
        client.call(executor, inner).await.refusal("UNAVAILABLE");
        let inner = json!({"tool": "go", "arguments": {"x": 1}});
        assert_ne!(client.call(executor, inner).await.result()["isError"], true);
    }
    let forwarded = client.calls_forwarded().await;
    assert!(forwarded.iter().all(|call| call["name"] == "go"), "{forwarded:?}");
}

async fn m7_what_is_not_callable_runs_through_no_variant(setup: Setup) {
    let (_bench, client) = connect(entry_only(half()), setup).await;
    for variant in ["full", "resource", "describe", "info", "search"] {
        let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments, "_meta": {VARIANT: variant}});
        client.request("tools/call", call("stop", json!({}))).await.refusal("UNAVAILABLE");
        if let Some(executor) = executor(Setup { strategy: variant, ..setup }) {
            let inner = call(executor, json!({"tool": "stop", "arguments": {}}));
            client.request("tools/call", inner).await.refusal("UNAVAILABLE");
        }
    }
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn m7_what_is_not_callable_is_listed_and_described(setup: Setup) {
    let (_bench, client) = connect(half(), setup).await;
    let names = client.tool_names().await;
    assert!(["stop", "go"].iter().all(|name| names.iter().any(|listed| listed == name)), "{names:?}");
    let learned = client.learn("stop", json!({})).await;
    client.call("stop", learned).await.refusal("UNAVAILABLE");
    assert_ne!(client.learn_and_call("go", json!({})).await.result()["isError"], true);
}

each_strategy!(m7_what_is_not_callable_does_not_run_whatever_way_a_call_takes);
under_full!(m7_what_is_not_callable_runs_through_no_variant);
where_tools_are_listed!(m7_what_is_not_callable_is_listed_and_described);
