//! Child processes that answer out of turn, half, much, or not at all.

use std::time::Duration;

use kit::Options;
use serde_json::json;

use super::{
    STATELESS, WITH_SESSION, connect, healthy_beside, odd_child, others_are_served,
    socket::{Socket, post},
};

/// The request time-out: for the calls that are never answered, and for the others beside them, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(2);

#[tokio::test]
async fn one_that_does_not_answer_delays_no_other_client_and_is_understood_from_the_next_line_on() {
    // The last one stalls in the middle of a line.
    for mode in ["hangs-on-call", "foreign-id", "half-a-line"] {
        let (bench, client) =
            connect(Options { patience: TIMEOUT, ..healthy_beside(odd_child(mode)) }, STATELESS).await;
        let call = client.start("tools/call", json!({"name": "echo", "arguments": {"text": "lost"}})).await;
        others_are_served(&bench).await;
        let error = call.reply().await.error();
        assert_eq!(error["message"], "upstream 'bad' did not respond within 2 seconds", "{mode}");
        others_are_served(&bench).await;
        if mode == "half-a-line" {
            let next = client.call("echo", json!({"text": "found"})).await.result();
            assert_eq!(next["content"][0]["text"], "found");
        }
    }
}

#[tokio::test]
async fn fifty_megabytes_arrive_whole_and_small_calls_are_answered_meanwhile() {
    let (bench, client) = connect(healthy_beside(odd_child("huge")), WITH_SESSION).await;
    let call = json!({"name": "echo", "arguments": {"megabytes": 50}});
    let mut socket = Socket::sending(&bench, post(&client, "huge", "tools/call", call)).await;
    let begun = socket.read_until("\r\n\r\n").await;
    // It is more than sockets hold, so it is under way until it is read.
    others_are_served(&bench).await;
    let answer = begun + &socket.rest().await;
    let text = "0123456789abcdef".repeat(50 << 16);
    assert!(
        answer.ends_with(&format!(
            r#"{{"jsonrpc":"2.0","id":"huge","result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )),
        "{}",
        answer.len()
    );
}
