//! What waits for those who do not read is bounded, and goes with those who do not want it any more (P7).

use std::{
    io::{BufRead, Write},
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use kit::{
    Apart, Bench, Client, Options, Pending, eventually,
    messages::{call, hello},
    process::peak_megabytes,
};
use mcp_disclosure_gateway::limits::Limits;
use serde_json::{Value, json};

use super::{
    STATELESS, WITH_SESSION,
    bad_server::{self, Bad, target},
    connect, healthy_beside, odd_child,
    peers::Behind,
};
use crate::command_line::{ODD, program};

const MEGABYTE: usize = 1 << 20;

/// Twenty calls that are not answered, of 100 kB each.
async fn stalling(client: &Client) -> Vec<Pending> {
    let call = json!({"name": "stalls", "arguments": {"text": "x".repeat(100_000)}});
    let mut calls = Vec::new();
    for _ in 0..20 {
        calls.push(client.start("tools/call", call.clone()).await);
    }
    calls
}

/// Each call over HTTP has an exchange of its own, so that slow ones do not keep others from their upstream.
#[tokio::test]
async fn p7_slow_calls_over_http_take_no_room_from_others() {
    let server = bad_server::start(Bad::default()).await;
    let limits = Limits { upstream_queue_bytes: 410_000, ..Limits::default() };
    let options = Options { patience: Duration::from_secs(5), limits, ..healthy_beside(target(&server)) };
    let bench = Bench::start(options).await;
    let (slow, other) =
        (Client::connect(&bench, STATELESS).await, Client::connect(&bench, WITH_SESSION).await);
    let calls = stalling(&slow).await;
    eventually("the stalling", async || (server.stalled() == 20).then_some(())).await;
    let result = other.call("well", json!({"text": "x".repeat(100_000)})).await.result();
    assert_eq!(result["content"][0]["text"], "well");
    for call in calls {
        call.reply().await.error_with("did not respond within 5 seconds");
    }
}

/// The bytes of a request under way count for whoever sent it, and are free again when it is given up.
#[tokio::test]
async fn p7_bodies_under_way_over_http_count_for_their_client() {
    let server = bad_server::start(Bad::default()).await;
    let limits = Limits { request_bytes: 410_000, ..Limits::default() };
    let options = Options { patience: Duration::from_secs(5), limits, ..healthy_beside(target(&server)) };
    let (_bench, client) = connect(options, STATELESS).await;
    for round in 1..=2 {
        let mut refused = 0;
        for call in stalling(&client).await {
            let error = call.reply().await.error();
            refused += usize::from(
                error["message"].as_str().unwrap().contains("too many bytes of requests in progress"),
            );
        }
        assert_eq!(refused, 16);
        // It stalls on the four cancellations, too.
        let ended = async || (server.stalled() <= 4 * round).then_some(());
        eventually("the end of the exchanges", ended).await;
    }
}

/// One client queues all that it may for an upstream that reads nothing, and another client's call still waits there.
#[tokio::test]
async fn p7_what_is_over_a_clients_share_of_a_queue_is_refused_to_that_client_alone() {
    assert_eq!(Limits::default().client_queue_bytes, 4 * MEGABYTE, "the contract's");
    let options = Options { patience: Duration::from_secs(5), ..healthy_beside(odd_child("deaf")) };
    let behind = Behind::start(options).await;
    let behind = &behind;
    let refused = AtomicUsize::new(0);
    let call = async |from: &str, bytes: usize| {
        let client = behind.open(from).await;
        let error = client.call("echo", json!({"text": "x".repeat(bytes)})).await.error();
        let message = error["message"].as_str().unwrap().to_owned();
        let is_refused = message.contains("at most 4194304 bytes of one client are queued");
        refused.fetch_add(usize::from(is_refused), Ordering::SeqCst);
        message
    };
    let greedy = futures::future::join_all((0..11).map(|_| call("6.6.6.6", 1_500_000)));
    let honest = async {
        eventually("the end of the share", async || (refused.load(Ordering::SeqCst) >= 8).then_some(()))
            .await;
        futures::future::join_all((0..4).map(|number| call(["7.7.7.7", "8.8.8.8"][number % 2], 500))).await
    };
    let (greedy, honest) = tokio::join!(greedy, honest);
    assert!((8..=9).contains(&refused.into_inner()), "{greedy:?}");
    assert!(honest.iter().all(|error| error.contains("did not respond within 5 seconds")), "{honest:?}");
}

/// A host that asks for 240 MB of answers and reads none of them.
#[test]
fn p7_a_client_that_does_not_read_does_not_fill_memory_and_misses_no_answer() {
    let mut command = program(&["serve", "--strategy", "full", "--", ODD, "huge"]);
    let (mut child, mut input, mut output) = Apart::start(&mut command, Stdio::null());
    let mut say = |message: Value| writeln!(input, "{message}").unwrap();
    say(hello(json!({})));
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let before = peak_megabytes(child.id());
    for id in 2..=61 {
        say(call(id, "echo", json!({"megabytes": 4})));
    }
    // Slowly enough that what can pile up does.
    let (mut results, mut refused) = (0, 0);
    for _ in 1..=60 {
        line.clear();
        output.read_line(&mut line).unwrap();
        if line.contains("too many bytes of unread responses") {
            refused += 1;
        } else {
            assert!(line.len() > 4 * MEGABYTE, "{}", &line[..line.len().min(300)]);
            results += 1;
        }
    }
    assert_eq!(results + refused, 60);
    let grown = peak_megabytes(child.id()) - before;
    assert!(grown < 180, "{grown} MB; {results} results");
    drop(input);
    child.ended();
}
