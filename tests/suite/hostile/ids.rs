//! Clients that use an id twice, or too many, or answer what was not asked.

use kit::{Client, Setup, eventually};
use serde_json::json;

use super::{ON_STDIO, STATELESS, connect, healthy, others_are_served};

/// How many requests were cancelled at the upstream.
async fn cancelled(client: &Client) -> usize {
    let journal = client.journal().await;
    journal.iter().filter(|message| message["method"] == "notifications/cancelled").count()
}

/// On one connection the second of one id is refused (`f7_an_id_under_way_cannot_be_used_again_until_then`);
/// without one each POST is a connection of its own, with ids of its own.
#[tokio::test]
async fn one_id_on_two_connections_is_two_requests() {
    let (bench, client) = connect(healthy(), STATELESS).await;
    let slow = json!({"name": "slow", "_meta": {"progressToken": 1}});
    let first = client.start_under(json!("same"), "tools/call", slow).await;
    client.notification("notifications/progress").await;
    let small = json!({"name": "small", "arguments": {"number": 2}});
    let second = client.start_under(json!("same"), "tools/call", small).await.reply().await;
    assert_eq!(second.given()["number"], 2);
    assert_eq!(cancelled(&client).await, 0);
    client.cancel(&first).await;
    eventually("cancelling the first", async || (cancelled(&client).await == 1).then_some(())).await;
    others_are_served(&bench).await;
}

#[tokio::test]
async fn more_than_ten_thousand_requests_at_once_are_refused() {
    let (bench, client) = connect(healthy(), ON_STDIO).await;
    let slow = json!({"name": "slow"});
    let mut calls = Vec::new();
    for _ in 0..10_000 {
        calls.push(client.start("tools/call", slow.clone()).await);
    }
    let refused = client.call("small", json!({})).await.error();
    assert_eq!(refused["message"], "too many requests: 10000 are under way; wait for answers");
    others_are_served(&bench).await;
    client.cancel(&calls[7]).await;
    let room = async || client.call("small", json!({})).await.answer().get("result").cloned();
    eventually("room for one more", room).await;
}

async fn an_unsolicited_answer_is_dropped(setup: Setup) {
    let (bench, client) = connect(healthy(), setup).await;
    for id in [json!(1), json!("unheard of"), json!(null)] {
        for outcome in
            [json!({"result": {}}), json!({"error": {"code": 1, "message": "no"}}), json!({"result": 7})]
        {
            let mut answer = json!({"jsonrpc": "2.0", "id": id});
            answer.as_object_mut().unwrap().extend(outcome.as_object().unwrap().clone());
            client.send_unanswered(answer).await;
        }
    }
    assert_eq!(client.call("small", json!({"number": 3})).await.given()["number"], 3);
    others_are_served(&bench).await;
}
each_way_in!(an_unsolicited_answer_is_dropped);
