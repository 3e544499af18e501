//! SessionLimits: on fetches (R11), on sessions and how long they idle (R12).

use std::time::Duration;

use kit::{Bench, Client, Identity, Options, Setup, eventually, process::hello};
use mcp_disclosure_gateway::{SessionLimits, limits::Limits};
use serde_json::json;

use crate::{connect, odd};

async fn r11_too_many_fetches_are_refused_and_authorize_nothing(setup: Setup) {
    let (bench, client) = connect(Options { fetches: 2, ..odd() }, setup).await;
    for _ in 0..2 {
        assert_eq!(client.describe("rich").await.text_as_json()["rich"]["name"], "rich");
    }
    let error = client.describe("failing").await.text_as_json()["error"].clone();
    assert_eq!(error["code"], "RATE_LIMITED");
    assert!((1..=30).contains(&error["retry_after_seconds"].as_i64().unwrap()), "{error}");
    assert!(error["message"].is_string());
    client.call("failing", json!({})).await.refusal("TOOL_DESCRIPTION_REQUIRED");
    // What is no fetch goes on; another session has a bound of its own, another connection of the same peer not.
    client.read("kit://doc").await.result();
    let other = Client::connect(&bench, setup).await;
    let elsewhere = other.describe("failing").await.text_as_json();
    assert_eq!(elsewhere.get("error").is_none(), setup.has_sessions());
}
under_resource!(r11_too_many_fetches_are_refused_and_authorize_nothing);

async fn r11_more_sessions_of_a_peer_fetch_no_more(setup: Setup) {
    let limits = Limits { peer_fetches: 3, ..Limits::default() };
    let bench = Bench::start(Options { fetches: 2, limits, ..odd() }).await;
    let mut fetched = Vec::new();
    for _ in 0..3 {
        let client = Client::connect(&bench, setup).await;
        for _ in 0..2 {
            fetched.push(client.describe("rich").await.text_as_json().get("rich").is_some());
        }
    }
    assert_eq!(fetched, [true, true, true, false, false, false]);
}
cases!(resource_http_session; r11_more_sessions_of_a_peer_fetch_no_more);

async fn r12_sessions_are_bounded_and_the_living_stay(setup: Setup) {
    let sessions = SessionLimits { most: 2, idle: Duration::from_secs(60) };
    let bench = Bench::start(Options { sessions, ..odd() }).await;
    let clients = [Client::connect(&bench, setup).await, Client::connect(&bench, setup).await];
    let third = Client::attach(&bench, setup, Identity::default());
    let refused = third.request("initialize", hello()).await;
    assert_eq!((refused.status, refused.session.clone()), (Some(503), None));
    refused.error_with("too many sessions");
    for client in &clients {
        client.request("tools/list", json!({})).await.result();
    }
    assert_eq!(clients[0].end_session().await, 204);
    third.request("initialize", hello()).await.result();
}

async fn r12_idle_sessions_end_and_busy_ones_stay(setup: Setup) {
    let sessions = SessionLimits { most: 10, idle: Duration::from_secs(4) };
    let bench = Bench::start(Options { sessions, ..odd() }).await;
    let (idle, listening) = (Client::connect(&bench, setup).await, Client::connect(&bench, setup).await);
    listening.open_stream().await;
    eventually("the end of the idle one", async || (bench.gateway.sessions().all().len() == 1).then_some(()))
        .await;
    let gone = idle.request("tools/list", json!({})).await;
    assert_eq!(gone.status, Some(404));
    listening.request("tools/list", json!({})).await.result();
}
async fn r12_a_session_idles_from_its_last_answer_on(setup: Setup) {
    let sessions = SessionLimits { most: 10, idle: Duration::from_secs(2) };
    let (bench, client) =
        connect(Options { sessions, patience: Duration::from_secs(3), ..odd() }, setup).await;
    let error = client.call("slow", json!({})).await.error();
    assert_eq!(error["message"], "upstream 'kit' did not respond within 3 seconds");
    // Between calls now, so that only the time of its last use keeps it.
    let session = bench.gateway.sessions().all().pop().unwrap();
    eventually("the end of the call", async || session.in_flight.is_empty().then_some(())).await;
    assert!(bench.gateway.sessions().remove_idle().is_empty());
    client.request("tools/list", json!({})).await.result();
}
cases!(
    full_http_session;
    r12_sessions_are_bounded_and_the_living_stay,
    r12_idle_sessions_end_and_busy_ones_stay,
    r12_a_session_idles_from_its_last_answer_on,
);
