//! `subscriptions/listen` (F3 in the stateless era): acknowledged first, tagged, and ended with a farewell.

use kit::{Client, Pending, Setup, eventually, scenario::control};
use serde_json::{Value, json};

use crate::connected;

const TAG: &str = "io.modelcontextprotocol/subscriptionId";

async fn listening(client: &Client, id: &str, wanted: Value) -> Pending {
    let pending =
        client.start_under(json!(id), "subscriptions/listen", json!({"notifications": wanted})).await;
    let is_ours = |message: &Value| message["params"]["_meta"][TAG] == id;
    let (_, first) = client.inbox.first(0, "the acknowledgement", is_ours).await;
    assert!(first.contains("notifications/subscriptions/acknowledged"), "{first}");
    pending
}

async fn f3_a_listener_is_acknowledged_and_hears_what_it_asked_for(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let wanted = json!({"toolsListChanged": true, "resourceSubscriptions": ["kit://doc"], "unknown": true});
    let _listening = listening(&client, "all", wanted).await;
    let _other = listening(&client, "none", json!({})).await;
    let acknowledged = client.notification("notifications/subscriptions/acknowledged").await;
    let honoured = json!({"toolsListChanged": true, "resourceSubscriptions": ["kit://doc"]});
    assert_eq!(acknowledged["params"], json!({"notifications": honoured, "_meta": {TAG: "all"}}));
    client.read(&control("updated")).await.result();
    let updated = client.notification("notifications/resources/updated").await;
    assert_eq!(updated["params"], json!({"uri": "kit://doc", "x-odd": 1, "_meta": {TAG: "all"}}));
    client.read(&control("tool")).await.result();
    let changed = client.notification("notifications/tools/list_changed").await;
    assert_eq!(changed["params"], json!({"_meta": {TAG: "all"}}));
    let for_the_other = client.inbox.since(0).into_iter().filter(|message| message.contains("\"none\""));
    assert_eq!(for_the_other.count(), 1);
}

async fn f3_a_listener_that_goes_is_forgotten(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    let listening = listening(&client, "mine", json!({"resourceSubscriptions": ["kit://doc"]})).await;
    client.cancel(&listening).await;
    eventually("unsubscribing at the upstream", async || {
        client.journal().await.into_iter().find(|message| message["method"] == "resources/unsubscribe")
    })
    .await;
}

async fn f3_a_listener_is_notified_when_the_gateway_ends(setup: Setup) {
    let (bench, client) = connected(setup).await;
    let listening = listening(&client, "mine", json!({"toolsListChanged": true})).await;
    bench.gateway.shutdown().cancel();
    let farewell = listening.reply().await.answer();
    assert_eq!(farewell["id"], "mine");
    assert_eq!(farewell["result"], json!({"resultType": "complete", "_meta": {TAG: "mine"}}));
}

without_sessions!(f3_a_listener_is_acknowledged_and_hears_what_it_asked_for);
each_transport_without_sessions!(f3_a_listener_that_goes_is_forgotten);
each_transport_without_sessions!(f3_a_listener_is_notified_when_the_gateway_ends);
