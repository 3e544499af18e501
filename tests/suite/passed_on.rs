//! Methods beyond MCP that the operator lets pass (U19).

use kit::{Client, HeaderAdmission, Identity, Options, Scenario, Setup};
use serde_json::{Value, json};

use crate::{connect, playing};

fn options() -> Options {
    let mut scenario = Scenario::odd();
    let hidden = json!({"uri": "file:///data/private/s", "text": "SECRET"});
    let result = json!({"given": [1.5], "x-odd": {"a": 1, "b": hidden}, "c": [hidden, 2]});
    scenario.on("vendor/method ", result);
    let config =
        "[upstreams.kit]\npass = [\"vendor/method\", \"vendor/unknown\", \"tools/list\"]\n[resources.\"file:///data/private/*\"]\nhidden = true\n".to_owned();
    let admission = HeaderAdmission::default().knowing("ann", &["echo"]);
    Options { config, admission, ..playing(scenario) }
}

async fn u19_what_is_named_passes_and_the_rest_does_not(setup: Setup) {
    let (bench, client) = connect(options(), setup).await;
    let passed = client.request("vendor/method", json!({"a": {"b": 1.0}})).await.result();
    assert_eq!(
        (&passed["given"], &passed["x-odd"], &passed["c"]),
        (&json!([1.5]), &json!({"a": 1}), &json!([2])),
        "what is hidden is hidden in any member"
    );
    let received: Vec<Value> = client.journal().await;
    let received = received.iter().find(|message| message["method"] == "vendor/method").unwrap();
    assert_eq!(received["params"]["a"], json!({"b": 1.0}));
    // This method, to the letter.
    for method in ["vendor/other", "Vendor/method", "vendor/methods", "vendor"] {
        assert_eq!(client.request(method, json!({})).await.code(), -32601, "{method}");
    }
    if setup.is_http() {
        // Who may not use everything may not use it.
        let ann = Client::connect_as(&bench, setup, Identity::default().known_as("ann")).await;
        assert_eq!(ann.request("vendor/method", json!({})).await.code(), -32601);
    }
    let journal: Vec<Value> = client.journal().await;
    let of_vendor =
        |message: &&Value| message["method"].as_str().is_some_and(|method| method.contains("endor"));
    assert_eq!(journal.iter().filter(of_vendor).count(), 1, "{journal:?}");
}
under_full!(u19_what_is_named_passes_and_the_rest_does_not);
