//! One peer that takes all it can get (P8): what it may hold is bounded, and everybody else is served.

use std::{net::Ipv4Addr, time::Duration};

use kit::{
    Bench, Client, Identity, Options, Reply, Setup, eventually,
    messages::{hello, request, stateless},
};
use mcp_disclosure_gateway::{
    SessionLimits,
    front::http::{Guard, Proxies, network},
    limits::Limits,
    upstream::Target,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    ODD, STATELESS, WITH_SESSION, healthy, healthy_beside, odd_child,
    socket::{Socket, head, post},
};
use crate::odd;

const GREEDY: &str = "6.6.6.6";
const HONEST: &str = "203.0.113.7";

/// A gateway behind a proxy on this machine, which says whom it speaks for.
pub(super) struct Behind(Bench);

/// Asserts that a bound was reached, and that it is named.
#[track_caller]
fn names(refused: &Reply, status: u16, code: i64, limit: &str) {
    assert_eq!((refused.status, refused.code()), (Some(status), code), "{refused:?}");
    refused.error_with(limit);
    assert_eq!(refused.retry_after.is_some(), status == 429);
}

impl Behind {
    pub(super) async fn start(options: Options) -> Self {
        let proxies = Proxies::new(vec![network("127.0.0.1").unwrap()]);
        let guard = Guard::new(Ipv4Addr::LOCALHOST.into(), &[], &[]).behind(proxies);
        Self(Bench::start(options).await.guarded(guard).await)
    }

    /// A client at this address that has said nothing yet.
    fn client(&self, from: &str, setup: Setup) -> Client {
        Client::attach(&self.0, setup, Identity { from: Some(from.to_owned()), ..Identity::default() })
    }

    /// A client at this address with a session, if it gets one; else what it is answered.
    async fn try_open(&self, from: &str) -> Result<Client, Reply> {
        let mut client = self.client(from, WITH_SESSION);
        let reply = client.handshake().await;
        if client.session.is_some() { Ok(client) } else { Err(reply) }
    }

    /// A client at this address with a session.
    pub(super) async fn open(&self, from: &str) -> Client {
        self.try_open(from).await.unwrap()
    }

    /// How many sessions there are.
    fn sessions(&self) -> usize {
        self.0.gateway.sessions().all().len()
    }

    /// Lets a client at this address do what clients do.
    async fn is_served(&self, from: &str) {
        let client = self.open(from).await;
        assert!(!client.tools().await.is_empty());
        client.call("small", json!({})).await.result();
        assert_eq!(client.end_session().await, 204);
    }

    /// The status of a call of the odd upstream's `echo` whose result has this many megabytes, and the connection, of which no
    /// more is read.
    pub(super) async fn unread(&self, from: &str, megabytes: usize) -> (String, Socket) {
        let params = json!({"name": "echo", "arguments": {"megabytes": megabytes}});
        let call = post(&self.client(from, STATELESS), "1", "tools/call", params);
        let mut socket = Socket::sending(&self.0, call.replace(", text/event-stream", "")).await;
        let begun = socket.read_until("\r\n").await;
        (begun["HTTP/1.1 ".len()..][..3].to_owned(), socket)
    }
}

#[tokio::test]
async fn p8_sessions_of_one_peer_are_bounded_and_others_come_in() {
    let limits = Limits { sessions_per_peer: 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let mut opened = Vec::new();
    for number in 0..60 {
        // What stands left of the last address was written by the client.
        match behind.try_open(&format!("10.9.8.{number}, {GREEDY}")).await {
            Ok(client) => opened.push(client),
            Err(refused) => names(&refused, 429, -32005, "may have 20 (limits.sessions_per_peer)"),
        }
    }
    assert_eq!(opened.len(), 20);
    behind.is_served(HONEST).await;
    // A host has all of its /64.
    for number in 0..30 {
        opened.extend(behind.try_open(&format!("2001:db8:1:2::{number:x}")).await);
    }
    assert_eq!(opened.len(), 40);
    behind.is_served("2001:db8:1:3::1").await;
    assert_eq!(opened[0].end_session().await, 204);
    behind.is_served(GREEDY).await;
    assert_eq!(behind.sessions(), 39);
    assert_eq!(
        (Limits::default().sessions_per_peer, SessionLimits::default().most),
        (1_000, 10_000),
        "the contract's"
    );
}

#[tokio::test]
async fn p8_without_a_trusted_proxy_no_header_says_who_it_is() {
    let limits = Limits { sessions_per_peer: 5, ..Limits::default() };
    let behind = Behind(Bench::start(Options { limits, ..healthy() }).await);
    let mut opened = 0;
    for number in 0..10 {
        opened += usize::from(behind.try_open(&format!("10.9.8.{number}")).await.is_ok());
    }
    assert_eq!(opened, 5);
}

#[tokio::test]
async fn p8_sessions_that_did_nothing_after_the_handshake_end() {
    let limits = Limits { unused_session: Duration::from_secs(5), ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let used = behind.open(HONEST).await;
    used.tools().await;
    let listening = behind.open(HONEST).await;
    listening.open_stream().await;
    for _ in 0..50 {
        behind.open(GREEDY).await.notify("notifications/initialized", json!({})).await;
    }
    let ended = async || (behind.sessions() == 2).then_some(());
    eventually("the end of the unused ones", ended).await;
    for client in [used, listening] {
        client.request("ping", json!({})).await.result();
    }
}

#[tokio::test]
async fn p8_subscriptions_of_one_peer_and_their_uris_are_bounded() {
    let limits = Limits { subscriptions_per_peer: 10, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..odd() }).await;
    let greedy = [behind.open(GREEDY).await, behind.open(GREEDY).await];
    let subscribe =
        async |client: &Client, uri: &str| client.request("resources/subscribe", json!({"uri": uri})).await;
    let mut held = 0;
    for number in 0..30 {
        let reply = subscribe(&greedy[number % 2], &format!("kit://doc/{number}")).await;
        match reply.status {
            Some(200) => held += 1,
            _ => names(&reply, 429, -32005, "may have 10"),
        }
    }
    assert_eq!(held, 10);
    let uris: Vec<String> = (0..11).map(|number| format!("kit://doc/{number}")).collect();
    let wanted = json!({"notifications": {"resourceSubscriptions": uris}});
    let refused = behind.client("198.51.100.1", STATELESS).request("subscriptions/listen", wanted).await;
    assert_eq!(refused.status, Some(429), "{refused:?}");
    refused.error_with("too many subscriptions");

    let honest = behind.open(HONEST).await;
    subscribe(&honest, "kit://doc").await.result();
    let long = subscribe(&honest, &format!("kit://{}", "x".repeat(8_187))).await;
    assert_eq!(long.error_with("8192 are allowed")["code"], -32602);
    subscribe(&honest, &format!("kit://{}", "x".repeat(8_186))).await.result();
    // What is given up can be had again.
    greedy[0].request("resources/unsubscribe", json!({"uri": "kit://doc/0"})).await.result();
    subscribe(&greedy[1], "kit://doc/99").await.result();
    assert_eq!(greedy[1].end_session().await, 204);
    subscribe(&greedy[0], "kit://doc/98").await.result();
}

#[tokio::test]
async fn p8_what_a_client_says_of_itself_is_bounded() {
    let behind = Behind::start(healthy()).await;
    let long = |bytes: usize| json!({"experimental": {"x": {"y": "x".repeat(bytes)}}});
    let client = behind.client(GREEDY, WITH_SESSION);
    names(&client.send_message(hello(long(70_000))).await, 400, -32602, "65536 are allowed");
    assert!(client.send_message(hello(long(60_000))).await.session.is_some());
    let client = behind.client(GREEDY, STATELESS);
    let list = |bytes: usize| request(1, "tools/list", json!({"_meta": stateless(long(bytes))}));
    names(&client.send_message(list(70_000)).await, 400, -32602, "65536 are allowed");
    assert!(client.send_message(list(60_000)).await.result()["tools"].is_array());
}

#[tokio::test]
async fn p8_upstreams_of_ones_own_are_bounded_and_come_back() {
    let limits = Limits { upstreams_per_peer: 3, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy().own() }).await;
    let mut opened = Vec::new();
    for _ in 0..6 {
        match behind.try_open(GREEDY).await {
            Ok(client) => opened.push(client),
            Err(refused) => names(&refused, 429, -32005, "may have 3 (limits.upstreams_per_peer)"),
        }
    }
    assert_eq!(opened.len(), 3);
    behind.is_served(HONEST).await;
    assert_eq!(opened[0].end_session().await, 204);
    eventually("room again", async || behind.try_open(GREEDY).await.ok()).await;
}

/// Where a peer's own upstreams do not come up, other starts of this peer wait for that, and no one else's.
#[tokio::test]
async fn p8_upstreams_that_do_not_come_up_hold_up_their_own_peer_only() {
    let directory = tempfile::tempdir().unwrap();
    let closed = directory.path().join("closed");
    let target = Target::command(ODD, vec!["parks".to_owned(), closed.display().to_string()]);
    let behind = Behind::start(healthy_beside(target).own()).await;
    std::fs::write(&closed, "").unwrap();
    let asking =
        post(&behind.client(GREEDY, WITH_SESSION), "1", "initialize", hello(json!({}))["params"].take());
    let waiting =
        futures::future::join_all((0..30).map(|_| Socket::sending(&behind.0, asking.as_bytes()))).await;
    let parked = directory.path().join("closed.parked");
    eventually("one that does not come up", async || parked.exists().then_some(())).await;
    std::fs::remove_file(&closed).unwrap();
    timeout(Duration::from_secs(30), behind.is_served(HONEST)).await.expect("its turn");
    drop(waiting);
    // They have hung up, and so have no turn any more.
    let again = eventually("a start of the same peer", async || behind.try_open(GREEDY).await.ok());
    timeout(Duration::from_secs(10), again).await.expect("its turn, too");
}

#[tokio::test]
async fn p8_bodies_that_one_peer_is_sending_are_bounded() {
    let limits = Limits { request_bytes: 4 << 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let head = head("POST", &behind.client(GREEDY, WITH_SESSION), "", &Value::Null);
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut socket = Socket::sending(&behind.0, format!("{head}Content-Length: 2000000\r\n\r\n")).await;
        socket.write(vec![b' '; 1 << 20]).await;
        held.push(socket);
    }
    // Those that are not refused are waited for.
    let begun = held.iter_mut().map(|socket| timeout(Duration::from_secs(5), socket.read_until("\r\n")));
    let refused: Vec<String> = futures::future::join_all(begun).await.into_iter().flatten().collect();
    assert_eq!(refused.len(), 4, "{refused:?}");
    assert!(refused.iter().all(|answer| answer.starts_with("HTTP/1.1 429 ")), "{refused:?}");
    behind.is_served(HONEST).await;
}

#[tokio::test]
async fn p8_answers_that_one_peer_does_not_read_are_bounded() {
    let limits = Limits { client_unread_bytes: 36 << 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy_beside(odd_child("huge")) }).await;
    let mut unread = Vec::new();
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let (status, socket) = behind.unread(GREEDY, 12).await;
        statuses.push(status);
        unread.push(socket);
    }
    assert_eq!(statuses, ["200", "200", "429", "429", "429", "429"]);
    let (_, mut honest) = behind.unread(HONEST, 12).await;
    assert!(honest.rest().await.len() > 12 << 20);
    drop(unread);
    eventually("room again", async || (behind.unread(GREEDY, 12).await.0 == "200").then_some(())).await;
}
