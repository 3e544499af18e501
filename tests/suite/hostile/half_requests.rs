//! Clients that begin to say something and stop.
//!
//! Where a time-out is waited for, the clock is paused: it advances when every task is idle.

use std::time::Duration;

use kit::{Bench, Client, Options};
use mcp_disclosure_gateway::limits::Limits;
use serde_json::{Value, json};

use super::{
    STATELESS, WITH_SESSION, connect, healthy, others_are_served,
    socket::{CLOSE, LONG, Socket, head, post},
};

/// A gateway without an upstream, and a client that has said nothing yet.
async fn listening() -> (Bench, Client) {
    let bench = Bench::start(Options::without_upstream()).await;
    let client = Client::attach(&bench, STATELESS, kit::Identity::default());
    (bench, client)
}

/// What is said before the silence: nothing, half a head, half a body.
fn halves(client: &Client) -> [String; 3] {
    let head = head("POST", client, "tools/list", &Value::Null);
    let body = format!("{head}Content-Length: 99\r\n\r\n{{\"jsonrpc\":");
    [String::new(), head, body]
}

#[tokio::test]
async fn half_requests_delay_no_other_client() {
    let (bench, client) = connect(healthy(), WITH_SESSION).await;
    let mut held = Vec::new();
    for half in halves(&client).iter().cycle().take(300) {
        held.push(Socket::sending(&bench, half).await);
    }
    others_are_served(&bench).await;
    client.call("small", json!({})).await.result();
}

#[tokio::test(start_paused = true)]
async fn what_does_not_go_on_is_given_up_in_time_and_half_a_body_is_answered_with_408() {
    let (bench, client) = listening().await;
    for (said, expected) in halves(&client).iter().zip(["", "", "HTTP/1.1 408 "]) {
        let answer = Socket::sending(&bench, said).await.rest_within(LONG).await;
        assert!(answer.starts_with(expected), "after {said:?}: {answer}");
        assert_eq!(answer.is_empty(), expected.is_empty(), "after {said:?}: {answer}");
        assert_eq!(answer.contains("did not arrive within"), !expected.is_empty(), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_kept_for_the_next_request_is_not_closed_within_ten_minutes() {
    let (bench, client) = listening().await;
    let mut socket = Socket::open(&bench).await;
    for id in ["first", "second", "third"] {
        socket.write(post(&client, id, "tools/list", json!({})).replace(CLOSE, "")).await;
        socket.read_until(&format!("\"id\":\"{id}\"")).await;
        tokio::time::advance(Duration::from_secs(600)).await;
    }
}

/// The head of a request that is answered for its address, so that its body is not read.
fn refused_head(client: &Client) -> String {
    let head = head("POST", client, "tools/list", &Value::Null).replace("/mcp ", "/mcp/no-such-strategy ");
    format!("{}Content-Length: 2\r\n\r\n", head.replace(CLOSE, ""))
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_its_requests_body_says_that_the_connection_closes() {
    let (bench, client) = listening().await;
    let expecting = refused_head(&client).replace("Content-Length", "Expect: 100-continue\r\nContent-Length");
    let old = refused_head(&client)
        .replace("HTTP/1.1", "HTTP/1.0")
        .replace("Content-Length", "Connection: keep-alive\r\nContent-Length");
    for head in [refused_head(&client), expecting, old] {
        let answer = Socket::sending(&bench, &head).await.rest_within(LONG).await;
        assert!(answer.starts_with("HTTP/1.") && answer.contains(" 404 "), "after {head:?}: {answer}");
        assert!(
            answer.contains("connection: close\r\n") && answer.contains("no strategy"),
            "after {head:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_client_that_sends_more_than_is_read_reads_the_answer() {
    let limits = Limits { message_bytes: 1 << 20, ..Limits::default() };
    let bench = Bench::start(Options { limits, ..Options::without_upstream() }).await;
    let client = Client::attach(&bench, STATELESS, kit::Identity::default());
    let length = 8 * limits.message_bytes;
    let head = refused_head(&client).replace("Content-Length: 2", &format!("Content-Length: {length}"));
    let mut socket = Socket::sending(&bench, head).await;
    socket.write_all(vec![b' '; length]).await;
    let answer = socket.read_until("no strategy").await;
    assert!(answer.starts_with("HTTP/1.1 404 ") && answer.contains("connection: close"), "{answer}");
}
