//! Clients that go away while something is under way for them.

use kit::{Bench, Client, eventually};
use serde_json::{Value, json};

use super::{
    STATELESS, WITH_SESSION, healthy, others_are_served,
    socket::{Socket, head, post},
};

/// A call that never ends, but tells once that it has begun.
fn slow() -> Value {
    json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": 1}})
}

/// The calls of `slow` that reached the upstream, by its ids.
async fn calls(client: &Client) -> Vec<Value> {
    let mut journal = client.journal().await;
    journal.retain(|message| message["params"]["name"] == "slow");
    journal.into_iter().map(|mut call| call["id"].take()).collect()
}

/// Which of them, by their place, the upstream was asked to cancel.
async fn cancelled(client: &Client) -> Vec<usize> {
    let calls = calls(client).await;
    let mut journal = client.journal().await;
    journal.retain(|message| message["method"] == "notifications/cancelled");
    let place = |id: &Value| calls.iter().position(|call| call == id).unwrap();
    journal.iter().map(|message| place(&message["params"]["requestId"])).collect()
}

/// Clients that vanish, each in its way: with a farewell, and without.
const WAYS: [fn(Socket); 2] = [drop, Socket::reset];

#[tokio::test]
async fn a_client_that_vanishes_cancels_its_stateless_calls_and_none_of_a_session() {
    for vanish in WAYS {
        let bench = Bench::start(healthy()).await;
        let staying = Client::connect(&bench, WITH_SESSION).await;
        let going = Client::connect(&bench, STATELESS).await;
        // One has received a notification, so that its answer has begun; the others have received nothing.
        let mut begun = Socket::sending(&bench, post(&going, "begun", "tools/call", slow())).await;
        begun.read_until("notifications/progress").await;
        let silent = json!({"name": "slow"});
        let theirs = Socket::sending(&bench, post(&staying, "theirs", "tools/call", silent.clone())).await;
        eventually("the second call", async || (calls(&going).await.len() == 2).then_some(())).await;
        let unheard = Socket::sending(&bench, post(&going, "unheard", "tools/call", silent)).await;
        eventually("the third call", async || (calls(&going).await.len() == 3).then_some(())).await;

        [theirs, begun, unheard].into_iter().for_each(vanish);
        others_are_served(&bench).await;
        let both = async || {
            let mut cancelled = cancelled(&going).await;
            cancelled.sort_unstable();
            (cancelled == [0, 2]).then_some(())
        };
        eventually("the cancelling of both stateless calls and no other", both).await;
        // The session's goes on: its id is still taken.
        let again = staying.start_under(json!("theirs"), "tools/call", slow()).await.reply().await;
        assert_eq!(again.code(), -32600, "{again:?}");
    }
}

#[tokio::test]
async fn ending_a_session_ends_its_calls_and_its_stream_and_nothing_else() {
    let bench = Bench::start(healthy()).await;
    let (ending, other) =
        (Client::connect(&bench, WITH_SESSION).await, Client::connect(&bench, WITH_SESSION).await);
    let mut stream = Socket::sending(&bench, format!("{}\r\n", head("GET", &ending, "", &Value::Null))).await;
    stream.read_until("text/event-stream").await;
    let mut calls = Vec::new();
    for client in [&ending, &other] {
        calls.push(client.start("tools/call", slow()).await);
        client.notification("notifications/progress").await;
    }
    assert_eq!(ending.end_session().await, 204);
    let [ended, going_on] = <[_; 2]>::try_from(calls).unwrap();
    assert_eq!(ended.reply().await.code(), -32600, "its session has ended");
    stream.rest().await;
    eventually("the cancelling", async || (cancelled(&other).await == [0]).then_some(())).await;
    others_are_served(&bench).await;
    other.cancel(&going_on).await;
    eventually("the other's cancelling", async || (cancelled(&other).await == [0, 1]).then_some(())).await;
}
