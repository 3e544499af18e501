//! `search` (S1 to S5): two tools are listed, everything else is found and called through them.

use kit::{Client, Scenario, Setup, client::names_in};
use serde_json::{Value, json};

use crate::{connect, connected, info::refuses_wrong_calls, named, playing};

/// The answer, which is a text alone.
async fn search(client: &Client, arguments: Value) -> Value {
    let result = client.call("search_tools", arguments).await.result();
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

async fn s1_wrong_calls_do_not_run_and_say_what_to_do(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    refuses_wrong_calls(&client, "call_tool").await;
}

async fn s1_readers_call_read_only_tools_alone(setup: Setup) {
    let tool = |name: &str, annotations: Value| {
        json!({"name": name, "description": "Does it.", "inputSchema": {"type": "object"}, "annotations": annotations})
            .to_string()
    };
    let scenario = Scenario::with_tools([
        tool("look", json!({"readOnlyHint": true})),
        tool("change", json!({"readOnlyHint": false})),
        tool("unknown", json!({})),
    ]);
    let presenter = setup.strategy.rsplit('+').next().unwrap();
    let options = playing(scenario).set(presenter, json!({"executors": "by-effect"}));
    let (_bench, client) = connect(options, setup).await;
    let listed = client.tools().await;
    assert_eq!(names_in(&listed), ["search_tools", "call_read_only_tool", "call_tool"]);
    let hints = |at: usize| &listed[at]["annotations"];
    assert_eq!((&hints(1)["readOnlyHint"], &hints(2)["destructiveHint"]), (&json!(true), &json!(true)));
    for (caller, name, runs) in [
        ("call_read_only_tool", "look", true),
        ("call_read_only_tool", "change", false),
        ("call_read_only_tool", "unknown", false),
        ("call_tool", "look", true),
        ("call_tool", "change", true),
    ] {
        let result = client.call(caller, json!({"tool": name})).await.result();
        let code = &result["structuredContent"]["error"]["code"];
        assert_eq!(*code == "NOT_READ_ONLY", !runs, "{caller} {name}: {result}");
    }
    assert_eq!(client.calls_forwarded().await.len(), 3);
}

async fn s5_a_new_tool_is_found_at_once(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    assert_ne!(search(&client, json!({"query": "late"})).await["tools"][0]["name"], "late");
    client.open_stream().await;
    client.read(&kit::scenario::control("tool")).await.result();
    client.notification("notifications/tools/list_changed").await;
    assert_eq!(search(&client, json!({"query": "late"})).await["tools"][0]["name"], "late");
}

under_search!(s1_wrong_calls_do_not_run_and_say_what_to_do, s1_readers_call_read_only_tools_alone);
cases!(search_http_session; s5_a_new_tool_is_found_at_once);

async fn s1_info_splits_its_executor_as_well(setup: Setup) {
    let settings = json!({"tools": "entry-only", "executors": "by-effect"});
    let (_bench, client) = connect(named(["a"]).set(setup.strategy, settings), setup).await;
    assert_eq!(client.tool_names().await, ["info", "invoke_read_only", "invoke"]);
    client.call("invoke_read_only", json!({"tool": "a"})).await.refusal("NOT_READ_ONLY");
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
    assert_ne!(client.call("invoke", json!({"tool": "a"})).await.result()["isError"], true);
}
under_info!(s1_info_splits_its_executor_as_well);
