//! What upstreams say unasked (F3), to clients with sessions: log messages, changed lists and resources.

use kit::{Bench, Client, Setup, scenario::control};
use serde_json::json;

use crate::{connected, odd};

async fn f3_changed_lists_are_announced_and_listed(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    client.open_stream().await;
    client.read(&control("tool")).await.result();
    let heard = client.notification("notifications/tools/list_changed").await;
    assert!(heard.get("id").is_none());
    let listed = client.tool_names().await;
    assert!(!setup.lists_tools() || listed.iter().any(|name| name == "late"), "{listed:?}");
    client.learn_and_call("late", json!({})).await.result();
}

async fn f3_log_messages_arrive_from_the_level_that_was_asked_for(setup: Setup) {
    let (_bench, client) = connected(setup).await;
    client.open_stream().await;
    client.request("logging/setLevel", json!({"level": "info"})).await.result();
    client.read(&control("log")).await.result();
    let heard = client.notification("notifications/message").await;
    assert_eq!(
        heard["params"],
        json!({"level": "warning", "logger": "kit", "data": {"odd": 1.0}, "x-odd": true})
    );
    // The debug message came right after it; whatever comes next shows that it was left out.
    client.read(&control("tool")).await.result();
    client.notification("notifications/tools/list_changed").await;
    assert!(client.inbox.since(0).iter().all(|message| !message.contains("too much")));
    assert_eq!(client.request("logging/setLevel", json!({"level": "loud"})).await.code(), -32602);
}

async fn f3_changed_resources_are_announced_to_subscribers(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let (client, other) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    client.open_stream().await;
    other.open_stream().await;
    client.request("resources/subscribe", json!({"uri": "kit://doc"})).await.result();
    client.read(&control("updated")).await.result();
    let heard = client.notification("notifications/resources/updated").await;
    assert_eq!(heard["params"], json!({"uri": "kit://doc", "x-odd": 1}));
    client.request("resources/unsubscribe", json!({"uri": "kit://doc"})).await.result();
    client.read(&control("updated")).await.result();
    client.read(&control("tool")).await.result();
    for (client, expected) in [(&client, 1), (&other, 0)] {
        // The upstream sent it after both updates.
        client.notification("notifications/tools/list_changed").await;
        let received = client.inbox.since(0);
        let updates = received.iter().filter(|message| message.contains("resources/updated"));
        assert_eq!(updates.count(), expected, "{received:?}");
    }
}

async fn f3_changes_made_meanwhile_are_announced_when_the_stream_opens(setup: Setup) {
    let bench = Bench::start(odd()).await;
    let (client, other) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    other.open_stream().await;
    client.read(&control("tool")).await.result();
    other.notification("notifications/tools/list_changed").await;
    client.open_stream().await;
    client.notification("notifications/tools/list_changed").await;
}
with_sessions!(
    f3_changes_made_meanwhile_are_announced_when_the_stream_opens,
    f3_changed_lists_are_announced_and_listed,
);
each_transport_with_sessions!(
    f3_log_messages_arrive_from_the_level_that_was_asked_for,
    f3_changed_resources_are_announced_to_subscribers,
);
