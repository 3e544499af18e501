//! `tools/resolve` (SEP-1862): relayed to the upstream that has it, in the way of a call.

use std::num::NonZeroU32;

use kit::{Client, HeaderAdmission, Options, Scenario, Setup};
use mcp_disclosure_core::{Grant, Quotas};
use serde_json::{Value, json};

use crate::{Described, connect, playing};

/// An upstream that resolves `manage`, but not `plain`, and says nothing of `silent`.
fn resolving() -> Options {
    let tool = |name: &str, resolve: bool| {
        let mut tool = json!({
            "name": name,
            "description": "Manages files.",
            "inputSchema": {"type": "object", "properties": {"action": {"type": "string"}}},
            "annotations": {"destructiveHint": true, "readOnlyHint": false},
        });
        if resolve {
            tool["resolve"] = json!(true);
        }
        tool.to_string()
    };
    let tools = [tool("manage", true), tool("plain", false), tool("silent", true)];
    let mut scenario = Scenario::with_tools(tools).with_tool_capability("resolve");
    let mut resolved: Value = serde_json::from_str(&tool("manage", true)).unwrap();
    resolved["annotations"] = json!({"destructiveHint": false, "readOnlyHint": true});
    resolved["estimatedCost"] = json!({"tokens": 1});
    scenario.on("tools/resolve manage", json!({"tool": resolved, "x": 1}));
    scenario.on("tools/resolve silent", json!({"x": 1}));
    playing(scenario)
}

async fn resolve(client: &Client, name: &str, arguments: Value) -> kit::Reply {
    client.request("tools/resolve", json!({"name": name, "arguments": arguments})).await
}

async fn sep1862_a_call_is_resolved_by_its_upstream(setup: Setup) {
    let (_bench, client) = connect(resolving(), setup).await;
    let capabilities = client.capabilities().await;
    assert_eq!(capabilities["tools"]["resolve"], true);
    let arguments = client.learn("manage", json!({"action": "read"})).await;
    let result = resolve(&client, "manage", arguments).await.result();
    let tool = &result["tool"];
    assert_eq!(tool["annotations"], json!({"destructiveHint": false, "readOnlyHint": true}));
    assert_eq!((&tool["name"], &tool["resolve"], &result["x"]), (&json!("manage"), &json!(true), &json!(1)));
    assert_eq!(tool["estimatedCost"], json!({"tokens": 1}));
    assert_eq!(tool["description"], "Manages files.");
    // No receipt of ours reaches the upstream, and nothing is called.
    let journal = client.journal().await;
    let resolved: Vec<&Value> =
        journal.iter().filter(|message| message["method"] == "tools/resolve").collect();
    assert_eq!(resolved.len(), 1);
    assert_eq!(resolved[0]["params"]["arguments"], json!({"action": "read"}));
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}
where_tools_are_listed!(sep1862_a_call_is_resolved_by_its_upstream);

async fn sep1862_what_the_operator_says_stays(setup: Setup) {
    let files = Described::by([
        &json!({"name": "manage", "description": "Ours.", "inputSchema": {"type": "object"}}),
    ]);
    let (_bench, client) = connect(files.before(resolving()), setup).await;
    let tool = resolve(&client, "manage", json!({})).await.result()["tool"].clone();
    assert_eq!(tool["description"], "Ours.", "{tool}");
    // What the upstream says of this call is news.
    assert_eq!(tool["annotations"], json!({"destructiveHint": false, "readOnlyHint": true}));
    assert_eq!(resolve(&client, "plain", json!({})).await.code(), -32602);
    assert_eq!(client.request("tools/resolve", json!({})).await.code(), -32602);
}

async fn sep1862_an_invalid_answer_names_its_upstream_f6(setup: Setup) {
    let (_bench, client) = connect(resolving(), setup).await;
    let error = resolve(&client, "silent", json!({})).await.error();
    let (code, message, upstream) = (&error["code"], &error["message"], &error["data"]["upstream"]);
    assert_eq!(*code, -32000, "{error}");
    assert!(message.as_str().unwrap().contains(upstream.as_str().unwrap()), "{error}");
}

under_full!(sep1862_what_the_operator_says_stays, sep1862_an_invalid_answer_names_its_upstream_f6);

/// Through a tool that calls others, the called one is resolved; what the strategy does itself is not done.
async fn sep1862_through_another_tool_the_called_one_is_resolved(setup: Setup) {
    let (_bench, client) = connect(resolving(), setup).await;
    let call = json!({"tool": "manage", "arguments": {"action": "read"}});
    let tool = resolve(&client, "call_tool", call).await.result()["tool"].clone();
    assert_eq!((&tool["name"], &tool["annotations"]["readOnlyHint"]), (&json!("manage"), &json!(true)));
    assert_eq!(resolve(&client, "search_tools", json!({"query": "files"})).await.code(), -32602);
}

/// Each path to a tool passes the same checks.
async fn sep1862_arguments_and_limits_are_those_of_a_call(setup: Setup) {
    let quotas = Quotas { calls_per_minute: NonZeroU32::new(2), ..Quotas::default() };
    let admission =
        HeaderAdmission::default().granting("ann", Grant { quotas, ..Grant::default() }).on_stdio("ann");
    let (_bench, client) = connect(Options { admission, ..resolving() }, setup).await;
    let call = |action: Value| json!({"tool": "manage", "arguments": {"action": action}});
    let wrong = resolve(&client, "call_tool", call(json!([7]))).await.error();
    assert_eq!(wrong["code"], -32602, "{wrong}");
    assert!(wrong["message"].as_str().unwrap().starts_with("call_tool would be refused: "), "{wrong}");
    for _ in 0..2 {
        resolve(&client, "call_tool", call(json!("read"))).await.result();
    }
    assert_eq!(resolve(&client, "call_tool", call(json!("read"))).await.code(), -32005);
    let journal = client.journal().await;
    assert_eq!(journal.iter().filter(|message| message["method"] == "tools/resolve").count(), 2);
}
cases!(search_stdio_session;
    sep1862_through_another_tool_the_called_one_is_resolved,
    sep1862_arguments_and_limits_are_those_of_a_call,
);
