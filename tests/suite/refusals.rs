//! Calls before delivery (R7), and how a description authorizes: in the session (R8), until the definition
//! changes (R9).

use kit::{Bench, Client, Setup, client::with_receipt, eventually};
use serde_json::{Value, json};

use crate::{Described, connect, connected, named, odd};

async fn r7_a_call_before_delivery_is_refused_and_does_not_run(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    // Arguments that would not fit: the refusal comes before their check.
    let error = client.call("echo", json!({"limit": "many"})).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    assert_eq!(error["message"], "Tool 'echo' requires fetching its description before use.");
    assert_eq!(error["resource_uri"], "resource:///tool_descriptions?tools=echo");
    assert_eq!(error["instructions"].as_array().unwrap().len(), 3);
    assert_eq!(client.calls_forwarded().await, Vec::<Value>::new());
}

async fn r7_the_uri_of_the_refusal_leads_out_of_it(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let odd = "odd ü,?&%";
    let refused = client.call(odd, json!({})).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    let described = client.read(refused["resource_uri"].as_str().unwrap()).await.text_as_json();
    let arguments = with_receipt(json!({}), &described[odd]);
    client.call(odd, arguments).await.given().as_object().unwrap();
}
under_resource!(
    r7_a_call_before_delivery_is_refused_and_does_not_run,
    r7_the_uri_of_the_refusal_leads_out_of_it,
);

/// Why a call needs a description first, if that is said.
pub(crate) fn reason(result: &Value) -> &Value {
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["structuredContent"]["error"]["code"], "TOOL_DESCRIPTION_REQUIRED");
    &result["structuredContent"]["error"]["reason"]
}

async fn r8_delivery_holds_for_the_session_and_never_in_another(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let (client, other) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    client.describe("rich").await;
    for _ in 0..3 {
        let result = client.call("rich", json!({})).await.result();
        assert_ne!(result["isError"], true);
    }
    assert_eq!(reason(&other.call("rich", json!({})).await.result()), &Value::Null);
    assert_eq!(reason(&client.call("failing", json!({})).await.result()), &Value::Null);
}
cases!(resource_stdio_session resource_http_session; r8_delivery_holds_for_the_session_and_never_in_another);

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
