//! Calls before delivery (R7), and what was delivered before a definition changed (R9).

use kit::{Setup, eventually};
use serde_json::{Value, json};

use crate::{Described, connect, connected, named};

async fn r7_a_call_before_delivery_is_refused_and_does_not_run(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    // Arguments that would not fit: the refusal comes before their check.
    let error = client.call("echo", json!({"limit": "many"})).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    assert_eq!(error["message"], "Tool 'echo' requires fetching its description before use.");
    assert_eq!(error["resource_uri"], "resource:///tool_descriptions?tools=echo");
    assert_eq!(error["instructions"].as_array().unwrap().len(), 3);
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

under_resource!(r7_a_call_before_delivery_is_refused_and_does_not_run);

/// Why a call needs a description first, if that is said.
pub(crate) fn reason(result: &Value) -> &Value {
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["structuredContent"]["error"]["code"], "TOOL_DESCRIPTION_REQUIRED");
    &result["structuredContent"]["error"]["reason"]
}

/// A tool of which no more is said than this.
pub(crate) fn briefly(name: &str, text: &str) -> Value {
    json!({"name": name, "description": text, "brief": text, "inputSchema": {"type": "object"}})
}

async fn r9_a_changed_definition_must_be_fetched_again(setup: Setup) {
    let files = Described::by([&briefly("a", "The first.")]);
    let (_bench, client) = connect(files.before(named(["a", "b"])), setup).await;
    let learned = client.learn("a", json!({})).await;
    let other = client.learn("b", json!({})).await;
    assert_ne!(client.call("a", learned.clone()).await.result()["isError"], true);
    files.write(&briefly("a", "The second."));
    eventually("the new description", async || {
        (client.tools().await[0]["description"] == "The second.").then_some(())
    })
    .await;
    assert_eq!(reason(&client.call("a", learned).await.result()), "DEFINITION_CHANGED");
    assert_ne!(client.call("b", other).await.result()["isError"], true);
    let learned = client.learn("a", json!({})).await;
    assert_ne!(client.call("a", learned).await.result()["isError"], true);
}

under_resource!(r9_a_changed_definition_must_be_fetched_again);
