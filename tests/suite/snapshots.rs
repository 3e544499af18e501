//! A few key messages as they stand on the wire.

use kit::{Bench, Client, Setup};
use serde_json::{Value, json};

use crate::named;

async fn messages(setup: Setup) -> Value {
    let bench = Bench::start(named(["alpha", "beta"])).await;
    let client = Client::connect(&bench, setup).await;
    let mut described = client.describe("alpha,gamma").await.text_as_json();
    if let Some(handle) = described.pointer_mut("/alpha/inputSchema/properties/disclosure_receipt/const") {
        *handle = json!("[handle]");
    }
    json!({
        "tools": client.request("tools/list", json!({})).await.result(),
        "resource": client.request("resources/list", json!({})).await.result()["resources"]
            .as_array().unwrap().last().unwrap(),
        "template": client.request("resources/templates/list", json!({})).await.result()["resourceTemplates"]
            .as_array().unwrap().last().unwrap(),
        "described": described,
        "missing selection": client.read("resource:///tool_descriptions").await.text_as_json(),
        "refusal": client.call("beta", json!({})).await.result(),
        "unknown tool": client.call("gamma", json!({})).await.error(),
    })
}

async fn r2_r4_r5_r6_r7_messages_of_a_session(setup: Setup) {
    insta::assert_json_snapshot!("resource_session", messages(setup).await);
}

async fn r2_r4_r5_r6_r7_r14_messages_without_a_session(setup: Setup) {
    insta::assert_json_snapshot!("resource_stateless", messages(setup).await);
}

only!(resource_http_session = "resource" Http Session; r2_r4_r5_r6_r7_messages_of_a_session);
only!(resource_stdio_stateless = "resource" Stdio Stateless; r2_r4_r5_r6_r7_r14_messages_without_a_session);
