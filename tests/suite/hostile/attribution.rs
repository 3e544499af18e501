//! Whose a response is (P6): that of the request with its id, or of the POST that it answers, and of no other that happens
//! to wait.

use std::time::Duration;

use kit::{Bench, Client, Options, eventually};
use serde_json::json;

use super::{
    STATELESS, WITH_SESSION,
    bad_server::{self, Bad, NAMELESS, received, target},
    connect, healthy_beside, odd_child,
};

#[tokio::test]
async fn p6_a_response_without_an_id_is_nobodys_where_nothing_else_says_whose_it_is() {
    let patience = Duration::from_secs(2);
    let (_bench, client) =
        connect(Options { patience, ..healthy_beside(odd_child("says")) }, STATELESS).await;
    for line in
        [NAMELESS, r#"{"jsonrpc":"2.0","result":{"content":[]}}"#, r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#]
    {
        let error = client.call("echo", json!({"say": line})).await.error();
        assert_eq!(error["message"], "upstream 'bad' did not respond within 2 seconds", "{line}");
    }
    assert_eq!(client.call("echo", json!({"text": "well"})).await.result()["content"][0]["text"], "well");
}

/// A client whose call is the only one that waits, while others do what is answered without an id, or so that it cannot be read.
#[tokio::test]
async fn p6_an_answer_that_names_no_request_is_of_the_post_that_it_answers_and_of_no_other() {
    let server = bad_server::start(Bad { is_careless: true, ..Bad::default() }).await;
    let bench = Bench::start(healthy_beside(target(&server))).await;
    let (client, other) =
        (Client::connect(&bench, WITH_SESSION).await, Client::connect(&bench, STATELESS).await);
    let waiting = client.start("tools/call", json!({"name": "held"})).await;
    eventually("the call", async || (server.stalled() == 1).then_some(())).await;
    // The cancellation is refused with an error.
    let given_up = other.start("tools/call", json!({"name": "held"})).await;
    eventually("the other", async || (server.stalled() == 2).then_some(())).await;
    other.cancel(&given_up).await;
    eventually("the refusal", async || (received(&server, "notifications/cancelled") == 1).then_some(()))
        .await;
    for (tool, said) in [
        ("nameless", "of nobody"),
        ("nameless_400", "of nobody"),
        ("two_lines", "sent an invalid response: not JSON"),
        ("two_lines_with_a_request", "sent an invalid response: not JSON"),
    ] {
        other.call(tool, json!({})).await.error_with(said);
        for _ in 0..10 {
            other.call("well", json!({})).await.result();
        }
    }
    other.call("go", json!({})).await.result();
    assert_eq!(waiting.reply().await.result()["content"][0]["text"], "held");
    assert_eq!(received(&server, ""), 0, "what it asked is not answered");
}
