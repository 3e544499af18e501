//! Upstreams over HTTP that stall, break off, answer with something else, or never stop.

use std::time::Duration;

use kit::{Bench, Client, Options, eventually};
use serde_json::json;

use super::{
    STATELESS, WITH_SESSION,
    bad_server::{self, Bad, BadServer, target},
    healthy_beside, others_are_served,
};

/// Beside one that does well.
async fn beside(server: &BadServer, patience: Duration) -> Bench {
    Bench::start(Options { patience, ..healthy_beside(target(server)) }).await
}

/// Calls each of these tools, serves others meanwhile, and holds the error of each call against what it must contain.
async fn each_fails(bench: &Bench, expected: &[(&str, &str)]) {
    let client = Client::connect(bench, WITH_SESSION).await;
    let mut calls = Vec::new();
    for (tool, _) in expected {
        calls.push(client.start("tools/call", json!({"name": tool})).await);
    }
    others_are_served(bench).await;
    for ((tool, expected), call) in expected.iter().zip(calls) {
        let error = call.reply().await.error();
        let message = error["message"].as_str().unwrap();
        assert_eq!((&error["code"], &error["data"]["upstream"]), (&json!(-32000), &json!("bad")), "{tool}");
        assert!(message.starts_with("upstream 'bad' ") && message.contains(expected), "{tool}: {message}");
    }
}

#[tokio::test]
async fn calls_that_stall_time_out_and_others_are_served_meanwhile() {
    let server = bad_server::start(Bad::default()).await;
    let bench = beside(&server, Duration::from_secs(2)).await;
    let stalling = ["stalls", "stalls_in_json", "stalls_in_events"];
    each_fails(&bench, &stalling.map(|tool| (tool, "did not respond within 2 seconds"))).await;
}

#[tokio::test]
async fn what_goes_wrong_is_an_error_that_names_the_upstream_and_the_rest_goes_on() {
    let server = bad_server::start(Bad::default()).await;
    let bench = beside(&server, kit::PATIENCE).await;
    let expected = [
        ("closes", "closed the connection before the end of its response"),
        ("closes_in_json", "closed the connection before the end of its response"),
        ("closes_in_events", "closed the connection before the end of its response"),
        ("ends_without_answer", "ended its reply without a response to the request"),
        ("says_500", "answered HTTP 500 Internal Server Error"),
        ("says_404", "answered HTTP 404 Not Found"),
        ("says_202", "ended its reply without a response to the request"),
        ("redirects_to_a_page", "with 302, which is not followed: only 307 and 308 keep the message"),
        ("redirects_for_ever", "redirects too many times"),
        ("html", "answered HTTP 200 OK with content type 'text/html' instead of JSON or an event stream"),
        ("html_as_json", "ended its reply without a response to the request"),
        ("batch", "sent an invalid response: batches are not supported"),
        ("foreign_id", "ended its reply without a response to the request"),
    ];
    each_fails(&bench, &expected).await;
    let client = Client::connect(&bench, WITH_SESSION).await;
    for tool in ["twice", "well"] {
        assert_eq!(client.call(tool, json!({})).await.result()["content"][0]["text"], "well", "{tool}");
    }
}

#[tokio::test]
async fn an_error_with_status_404_ends_its_request_and_not_the_session_of_others() {
    let server = bad_server::start(Bad { has_session: true, ..Bad::default() }).await;
    let bench = beside(&server, kit::PATIENCE).await;
    let (client, other) =
        (Client::connect(&bench, STATELESS).await, Client::connect(&bench, WITH_SESSION).await);
    let pending = other.start("tools/call", json!({"name": "stalls"})).await;
    eventually("the stalling", async || (server.stalled() == 1).then_some(())).await;
    for tool in ["errs_with_404", "errs_with_404_in_events"] {
        let error = client.call(tool, json!({})).await.error();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!("no such thing")), "{tool}");
        assert_eq!(other.call("well", json!({})).await.result()["content"][0]["text"], "well", "{tool}");
        assert_eq!(server.stalled(), 1, "{tool} ended another's call");
    }
    // Without an id it is that of the session.
    client.call("errs_with_404_of_none", json!({})).await.error_with("no longer knows the session");
    pending.reply().await.error_with("no longer knows the session");
}

#[tokio::test]
async fn what_has_no_end_is_given_up_and_others_are_served_meanwhile() {
    for endless in ["endless_json", "endless_event"] {
        let server = bad_server::start(Bad::default()).await;
        let bench = beside(&server, kit::PATIENCE).await;
        let client = Client::connect(&bench, STATELESS).await;
        let call = client.start("tools/call", json!({"name": endless})).await;
        others_are_served(&bench).await;
        let error = call.reply().await.error();
        let expected = "upstream 'bad' sent a response that is too long; at most 67108864 bytes are read \
                        (limits.upstream_message_bytes)";
        assert_eq!(error["message"], expected, "{endless}");
        assert_eq!(client.call("well", json!({})).await.result()["content"][0]["text"], "well", "{endless}");
    }
}
