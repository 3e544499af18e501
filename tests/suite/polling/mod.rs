//! Upstreams over HTTP that close the streams of their answers and go on with them later (U5, SEP-1699), and what a
//! stream that was down means for lists.

mod server;

use std::time::Duration;

use axum::http::Method;
use kit::{Bench, Client, Options, Setup, eventually};
use mcp_disclosure_gateway::{limits::Limits, upstream::Target};
use serde_json::json;
use server::{PollingServer, RETRY, resumed};

use crate::{connect, with_progress};

/// A gateway before it, and a client.
async fn before(server: &PollingServer, options: Options) -> (Bench, Client) {
    let handlers = vec![("polling", Target::url(server.url().parse().unwrap()))];
    connect(Options { handlers, ..options }, Setup::named("full_stdio_session")).await
}

async fn before_a_server(options: Options) -> (PollingServer, Bench, Client) {
    let server = server::start(false).await;
    let (bench, client) = before(&server, options).await;
    (server, bench, client)
}

#[tokio::test]
async fn u5_a_closed_stream_is_resumed_after_its_last_event_as_often_as_it_takes() {
    let (server, _bench, client) = before_a_server(Options::without_upstream()).await;
    assert_eq!(with_progress(&client, "polled").await, (vec![json!(1), json!(2)], json!("polled")));
    assert_eq!(resumed(&server), ["0.0", "0.1", "0.3"]);
    let received = server.received();
    let posted = received.iter().find(|request| request.rpc_method() == "tools/call").unwrap();
    let next = received.iter().find(|request| request.header("last-event-id").is_some()).unwrap();
    let waited = next.at - posted.at;
    assert!(waited >= Duration::from_millis(u64::from(RETRY)), "{waited:?}");
    // Without a word on how long to wait, and with a stream that stays open after the answer.
    assert_eq!(with_progress(&client, "unhurried").await, (vec![], json!("unhurried")));
}

#[tokio::test]
async fn u5_a_stream_that_breaks_is_resumed_and_nothing_is_delivered_twice() {
    let (server, _bench, client) = before_a_server(Options::without_upstream()).await;
    assert_eq!(with_progress(&client, "cut").await, (vec![json!(1)], json!("cut")));
    assert_eq!(
        with_progress(&client, "replays").await,
        (vec![json!(1), json!(2), json!(3)], json!("replays"))
    );
    assert_eq!(with_progress(&client, "restarts").await, (vec![], json!("restarts")));
    assert_eq!(resumed(&server), ["0.1", "1.2", "1.3", "2.0", "2.0", "2.0"]);
}

#[tokio::test]
async fn u5_a_stream_that_cannot_be_resumed_fails_its_call_at_once_and_says_why() {
    let limits = Limits { upstream_resume_wait: Duration::from_millis(100), ..Limits::default() };
    let (server, _bench, client) = before_a_server(Options { limits, ..Options::without_upstream() }).await;
    for (tool, expected) in [
        ("without_id", "upstream 'polling' ended its reply without a response to the request"),
        ("refused_404", "cannot be resumed: it answered HTTP 404"),
        ("refused_405", "cannot be resumed: it answered HTTP 405"),
        ("a_page", "cannot be resumed: it answered HTTP 200 OK with content type 'text/html'"),
        ("down", "cannot be resumed: it answered HTTP 503"),
    ] {
        client.call(tool, json!({})).await.error_with(expected);
    }
    assert!(resumed(&server).iter().all(|event| !event.starts_with("0.")), "nothing to resume after");
    // The session lives on.
    client.call("plain", json!({})).await.result();
}

#[tokio::test]
async fn u5_nothing_is_resumed_for_a_call_that_timed_out_was_cancelled_or_whose_session_ends() {
    let patience = Duration::from_secs(2);
    let (server, bench, client) = before_a_server(Options { patience, ..Options::without_upstream() }).await;
    client.call("never", json!({})).await.error_with("did not respond within 2 seconds");
    assert!(resumed(&server).len() > 1);
    let polls = quiet(&server).await;
    let cancelled = client.start("tools/call", json!({"name": "never"})).await;
    eventually("polling", async || (resumed(&server).len() > polls).then_some(())).await;
    client.cancel(&cancelled).await;
    quiet(&server).await;
    // A wait of days is bounded, and ends with the gateway.
    let called = || server.received().iter().filter(|request| request.rpc_method() == "tools/call").count();
    let waiting = client.start("tools/call", json!({"name": "far_off"})).await;
    eventually("the call", async || (called() == 3).then_some(())).await;
    kit::soon("the end", bench.gateway.close()).await;
    drop(waiting);
    let ended = server.received().into_iter().filter(|received| received.method == Method::DELETE);
    assert_eq!(ended.count(), 1);
    quiet(&server).await;
}

/// Waits until the server is asked for nothing any more; how many streams were resumed.
async fn quiet(server: &PollingServer) -> usize {
    let mut before = usize::MAX;
    eventually("quiet", async || {
        let now = resumed(server).len();
        let is_quiet = std::mem::replace(&mut before, now) == now;
        tokio::time::sleep(Duration::from_secs(1)).await;
        is_quiet.then_some(now)
    })
    .await
}

#[tokio::test]
async fn u5_a_request_that_stands_for_itself_ends_with_its_stream() {
    let server = server::start(true).await;
    let (_bench, client) = before(&server, Options::without_upstream()).await;
    client.call("polled", json!({})).await.error_with("ended its reply without a response to the request");
    assert!(server.received().iter().all(|received| received.method == Method::POST));
}

#[tokio::test]
async fn u5_lists_are_read_again_after_the_stream_of_unasked_messages_was_down() {
    let (server, _bench, client) = before_a_server(Options::without_upstream()).await;
    for round in 0..2 {
        eventually("a listener", async || (server.listeners() == 1).then_some(())).await;
        server.break_off();
        eventually("the added tool", async || {
            let tools = client.request("tools/list", json!({})).await.result()["tools"].clone();
            let added = format!("added_{round}");
            tools.as_array().unwrap().iter().any(|tool| tool["name"] == *added).then_some(())
        })
        .await;
        client.notification("notifications/tools/list_changed").await;
    }
    assert_eq!(&resumed(&server)[..2], ["unasked.0", "unasked.1"]);
}
