//! Clients that open sessions and leave them.

use std::time::Duration;

use kit::{Bench, Client, Options, eventually};
use mcp_disclosure_gateway::{SessionLimits, limits::Limits};
use serde_json::{Value, json};

use super::{
    WITH_SESSION, healthy, others_are_served,
    socket::{Socket, head},
};

#[tokio::test]
async fn a_thousand_sessions_that_are_left_end_and_the_used_one_stays() {
    let sessions = SessionLimits { most: 2000, idle: Duration::from_secs(3) };
    let limits = Limits { sessions_per_peer: 2000, ..Limits::default() };
    let bench = Bench::start(Options { sessions, limits, ..healthy() }).await;
    let staying = Client::connect(&bench, WITH_SESSION).await;
    staying.open_stream().await;
    let mut streams = Vec::new();
    for number in 0..1000 {
        let left = Client::connect(&bench, WITH_SESSION).await;
        if number % 10 == 0 {
            let mut stream =
                Socket::sending(&bench, format!("{}\r\n", head("GET", &left, "", &Value::Null))).await;
            stream.read_until("text/event-stream").await;
            streams.push(stream);
        }
    }
    others_are_served(&bench).await;
    assert!(bench.gateway.sessions().all().len() > streams.len(), "those with a stream are not idle");
    drop(streams);
    eventually("the end of all that were left", async || {
        staying.call("small", json!({})).await.result();
        (bench.gateway.sessions().all().len() == 1).then_some(())
    })
    .await;
    others_are_served(&bench).await;
}
