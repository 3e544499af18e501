//! Results that are too large, and results that nobody reads (P7): who asked for them has the loss, and nobody else.

use std::time::Duration;

use kit::Options;
use mcp_disclosure_gateway::limits::Limits;
use serde_json::json;

use super::{STATELESS, connect, healthy_beside, odd_child, peers::Behind, socket::Socket};

const MEGABYTE: usize = 1 << 20;

/// Longer than a test may take: nothing here is settled by a time-out.
const PATIENCE: Duration = Duration::from_secs(600);

#[tokio::test]
async fn p7_a_result_over_the_limit_fails_its_own_request_and_no_other() {
    assert_eq!(Limits::default().upstream_message_bytes, 64 * MEGABYTE, "the contract's");
    let limits = Limits { upstream_message_bytes: MEGABYTE, ..Limits::default() };
    let options = Options { patience: PATIENCE, limits, ..healthy_beside(odd_child("says")) };
    let (_bench, client) = connect(options, STATELESS).await;
    let waiting = client.start("tools/call", json!({"name": "echo", "arguments": {"say": "words"}})).await;
    let long = "x".repeat(2 * MEGABYTE);
    let id_first = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"x":"{long}"}}}}"#);
    let id_last = format!(r#"{{"result":{{"x":"{long}","id":1}},"jsonrpc":"2.0","id":ID}}"#);
    for line in [id_first, id_last] {
        let limit = "at most 1048576 bytes are read (limits.upstream_message_bytes)";
        client.call("echo", json!({"say": line})).await.error_with(limit);
        assert_eq!(client.call("echo", json!({"text": "well"})).await.result()["content"][0]["text"], "well");
    }
    client.cancel(&waiting).await;
    // One that never ends fails, too: it is not read whole before.
    let (_bench, client) =
        connect(Options { limits, ..healthy_beside(odd_child("endless")) }, STATELESS).await;
    client.call("echo", json!({})).await.error_with("(limits.upstream_message_bytes)");
}

/// A call of `echo` whose result has this many megabytes, of which the head of the answer is read.
async fn unread(behind: &Behind, from: &str, megabytes: usize) -> Socket {
    let (status, socket) = behind.unread(from, megabytes).await;
    assert_eq!(status, "200");
    socket
}

/// Whether as much arrives as was asked for.
async fn arrives(mut socket: Socket, megabytes: usize) -> bool {
    socket.rest().await.len() > megabytes * MEGABYTE
}

/// Of unread results, the peer that holds the most loses its oldest.
#[tokio::test]
async fn p7_all_unread_results_together_are_bounded() {
    assert_eq!(Limits::default().unread_bytes, 256 * MEGABYTE, "the contract's");
    let limits = Limits { unread_bytes: 66 * MEGABYTE, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy_beside(odd_child("huge")) }).await;
    let first = unread(&behind, "203.0.113.1", 16).await;
    let [older, younger] = [unread(&behind, "6.6.6.6", 20).await, unread(&behind, "6.6.6.6", 20).await];
    let second = unread(&behind, "203.0.113.2", 24).await;
    assert!(!arrives(older, 20).await, "it makes room");
    assert!(arrives(first, 16).await && arrives(younger, 20).await && arrives(second, 24).await);
}
