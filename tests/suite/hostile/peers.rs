//! One peer that takes all it can get (P8): what it may hold is bounded, and everybody else is served.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use kit::{
    Bench, Options, eventually, http,
    messages::{hello, request, stateless},
    soon,
};
use mcp_disclosure_gateway::{
    SessionLimits,
    backend::Scope,
    front::http::{Guard, Proxies, network, serve},
    limits::Limits,
    upstream::Target,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::{ODD, healthy, healthy_beside, odd_child};
use crate::odd;

const GREEDY: &str = "6.6.6.6";
const HONEST: &str = "203.0.113.7";

/// A gateway behind a proxy on this machine, which says whom it speaks for.
pub(super) struct Behind {
    bench: Bench,
    address: SocketAddr,
}

pub(super) struct Answer {
    status: u16,
    pub(super) session: Option<String>,
    retry_after: Option<String>,
    pub(super) body: Value,
}

impl Answer {
    /// Asserts that a bound was reached, and that it is named.
    #[track_caller]
    fn names(&self, status: u16, code: i64, limit: &str) {
        assert_eq!((self.status, &self.body["error"]["code"]), (status, &json!(code)), "{}", self.body);
        assert!(self.body["error"]["message"].as_str().unwrap().contains(limit), "{}", self.body);
        assert_eq!(self.retry_after.is_some(), status == 429);
    }
}

impl Behind {
    pub(super) async fn start(options: Options) -> Self {
        let bench = Bench::start(options).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let proxies = Proxies::new(vec![network("127.0.0.1").unwrap()]);
        let guard = Guard::new(Ipv4Addr::LOCALHOST.into(), &[], &[]).behind(proxies);
        tokio::spawn(serve(Arc::clone(&bench.gateway), listener, guard));
        Self { bench, address }
    }

    async fn post(&self, from: &str, session: Option<&str>, message: &Value) -> Answer {
        let mut headers = vec![
            ("x-forwarded-for".to_owned(), from.to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json".to_owned()),
        ];
        headers.extend(session.map(|session| ("mcp-session-id".to_owned(), session.to_owned())));
        if let Some(version) = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str()
        {
            headers.push(("mcp-protocol-version".to_owned(), version.to_owned()));
            headers.push(("mcp-method".to_owned(), message["method"].as_str().unwrap().to_owned()));
        }
        let message = message.to_string();
        let sent = http::send(self.address, "POST", "/mcp", &headers, message.as_bytes());
        let mut answer = soon("the answer", sent).await.unwrap();
        let body = soon("the body", answer.rest()).await.unwrap();
        let header = |name| answer.header(name).map(str::to_owned);
        Answer {
            status: answer.status,
            session: header("mcp-session-id"),
            retry_after: header("retry-after"),
            body: serde_json::from_str(&body).unwrap_or(Value::Null),
        }
    }

    pub(super) async fn open(&self, from: &str) -> Answer {
        self.post(from, None, &hello(json!({}))).await
    }

    pub(super) async fn ask(&self, from: &str, session: &str, method: &str, params: Value) -> Answer {
        self.post(from, Some(session), &request(2, method, params)).await
    }

    /// Lets a client at this address do what clients do.
    async fn is_served(&self, from: &str) {
        let session = self.open(from).await.session.expect("a session");
        let listed = self.ask(from, &session, "tools/list", json!({})).await;
        assert!(listed.body["result"]["tools"].is_array(), "{}", listed.body);
        let call = self.ask(from, &session, "tools/call", json!({"name": "small", "arguments": {}})).await;
        assert!(call.body["result"].is_object(), "{}", call.body);
        assert_eq!(self.end(&session).await, 204);
    }

    async fn end(&self, session: &str) -> u16 {
        let headers = [("mcp-session-id".to_owned(), session.to_owned())];
        soon("the end", http::send(self.address, "DELETE", "/mcp", &headers, b"")).await.unwrap().status
    }

    /// The status of a call of the odd upstream's `echo` whose result has this many megabytes, and the connection, of which no
    /// more is read.
    pub(super) async fn unread(&self, from: &str, megabytes: usize) -> (String, TcpStream) {
        let arguments = json!({"megabytes": megabytes});
        let params = json!({"name": "echo", "arguments": arguments, "_meta": stateless(json!({}))});
        let call = request(1, "tools/call", params).to_string();
        let head = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n";
        let mut stream = self.socket(from, &format!("{head}Content-Length: {}\r\n", call.len())).await;
        stream.write_all(call.as_bytes()).await.unwrap();
        let mut begun = [0; 12];
        soon("a status", stream.read_exact(&mut begun)).await.unwrap();
        (String::from_utf8_lossy(&begun[9..]).into_owned(), stream)
    }

    /// A connection on which a test decides every byte.
    async fn socket(&self, from: &str, head: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {from}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nAccept: application/json\r\n{head}\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }
}

#[tokio::test]
async fn p8_sessions_of_one_peer_are_bounded_and_others_come_in() {
    let limits = Limits { sessions_per_peer: 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let mut opened = Vec::new();
    for number in 0..60 {
        // What stands left of the last address was written by the client.
        let answer = behind.open(&format!("10.9.8.{number}, {GREEDY}")).await;
        match answer.session {
            Some(session) => opened.push(session),
            None => answer.names(429, -32005, "may have 20 (limits.sessions_per_peer)"),
        }
    }
    assert_eq!(opened.len(), 20);
    behind.is_served(HONEST).await;
    // A host has all of its /64.
    for number in 0..30 {
        opened.extend(behind.open(&format!("2001:db8:1:2::{number:x}")).await.session);
    }
    assert_eq!(opened.len(), 40);
    behind.is_served("2001:db8:1:3::1").await;
    assert_eq!(behind.end(&opened[0]).await, 204);
    behind.is_served(GREEDY).await;
    let all = behind.bench.gateway.sessions().all().len();
    assert_eq!(all, 39);
    assert_eq!(
        (Limits::default().sessions_per_peer, SessionLimits::default().most),
        (1_000, 10_000),
        "the contract's"
    );
}

#[tokio::test]
async fn p8_without_a_trusted_proxy_no_header_says_who_it_is() {
    let limits = Limits { sessions_per_peer: 5, ..Limits::default() };
    let bench = Bench::start(Options { limits, ..healthy() }).await;
    let behind = Behind { address: bench.address, bench };
    let mut opened = 0;
    for number in 0..10 {
        opened += usize::from(behind.open(&format!("10.9.8.{number}")).await.session.is_some());
    }
    assert_eq!(opened, 5);
}

#[tokio::test]
async fn p8_sessions_that_did_nothing_after_the_handshake_end() {
    let limits = Limits { unused_session: Duration::from_secs(5), ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let used = behind.open(HONEST).await.session.unwrap();
    behind.ask(HONEST, &used, "tools/list", json!({})).await;
    let listening = behind.open(HONEST).await.session.unwrap();
    let headers = [("mcp-session-id".to_owned(), listening.clone())];
    let _stream = http::send(behind.address, "GET", "/mcp", &headers, b"").await.unwrap();
    for _ in 0..50 {
        let unused = behind.open(GREEDY).await.session.unwrap();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(behind.post(GREEDY, Some(&unused), &initialized).await.status, 202);
    }
    eventually("the end of the unused ones", async || {
        (behind.bench.gateway.sessions().all().len() == 2).then_some(())
    })
    .await;
    for session in [used, listening] {
        assert_eq!(behind.ask(HONEST, &session, "ping", json!({})).await.status, 200);
    }
}

#[tokio::test]
async fn p8_subscriptions_of_one_peer_and_their_uris_are_bounded() {
    let limits = Limits { subscriptions_per_peer: 10, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..odd() }).await;
    let sessions = [behind.open(GREEDY).await.session.unwrap(), behind.open(GREEDY).await.session.unwrap()];
    let subscribe = async |from: &str, session: &str, uri: String| {
        behind.ask(from, session, "resources/subscribe", json!({"uri": uri})).await
    };
    let mut held = 0;
    for number in 0..30 {
        let answer = subscribe(GREEDY, &sessions[number % 2], format!("kit://doc/{number}")).await;
        match answer.status {
            200 => held += 1,
            _ => answer.names(429, -32005, "may have 10"),
        }
    }
    assert_eq!(held, 10);
    let listen = |uris: usize| {
        let uris: Vec<String> = (0..uris).map(|number| format!("kit://doc/{number}")).collect();
        let wanted = json!({"resourceSubscriptions": uris});
        let params = json!({"_meta": stateless(json!({})), "notifications": wanted});
        request(3, "subscriptions/listen", params)
    };
    let refused = {
        let headers = [
            ("x-forwarded-for", "198.51.100.1"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "subscriptions/listen"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let body = listen(11).to_string();
        let mut answer =
            soon("it", http::send(behind.address, "POST", "/mcp", &headers, body.as_bytes())).await.unwrap();
        (answer.status, soon("the body", answer.rest()).await.unwrap())
    };
    assert!(refused.0 == 429 && refused.1.contains("too many subscriptions"), "{refused:?}");

    let honest = behind.open(HONEST).await.session.unwrap();
    assert_eq!(subscribe(HONEST, &honest, "kit://doc".to_owned()).await.status, 200);
    let long = subscribe(HONEST, &honest, format!("kit://{}", "x".repeat(8_187))).await;
    assert_eq!(long.body["error"]["code"], -32602, "{}", long.body);
    assert!(long.body["error"]["message"].as_str().unwrap().contains("8192 are allowed"));
    assert_eq!(subscribe(HONEST, &honest, format!("kit://{}", "x".repeat(8_186))).await.status, 200);
    // What is given up can be had again.
    behind.ask(GREEDY, &sessions[0], "resources/unsubscribe", json!({"uri": "kit://doc/0"})).await;
    assert_eq!(subscribe(GREEDY, &sessions[1], "kit://doc/99".to_owned()).await.status, 200);
    assert_eq!(behind.end(&sessions[1]).await, 204);
    assert_eq!(subscribe(GREEDY, &sessions[0], "kit://doc/98".to_owned()).await.status, 200);
}

#[tokio::test]
async fn p8_what_a_client_says_of_itself_is_bounded() {
    let behind = Behind::start(healthy()).await;
    let long = |bytes: usize| json!({"experimental": {"x": {"y": "x".repeat(bytes)}}});
    let refused = behind.post(GREEDY, None, &hello(long(70_000))).await;
    refused.names(400, -32602, "65536 are allowed");
    assert!(behind.post(GREEDY, None, &hello(long(60_000))).await.session.is_some());
    let list = |bytes: usize| request(1, "tools/list", json!({"_meta": stateless(long(bytes))}));
    behind.post(GREEDY, None, &list(70_000)).await.names(400, -32602, "65536 are allowed");
    assert!(behind.post(GREEDY, None, &list(60_000)).await.body["result"]["tools"].is_array());
}

#[tokio::test]
async fn p8_upstreams_of_ones_own_are_bounded_and_come_back() {
    let limits = Limits { upstreams_per_peer: 3, ..Limits::default() };
    let behind = Behind::start(Options { limits, scope: Scope::Session, ..healthy() }).await;
    let mut opened = Vec::new();
    for _ in 0..6 {
        let answer = behind.open(GREEDY).await;
        match answer.session {
            Some(session) => opened.push(session),
            None => answer.names(429, -32005, "may have 3 (limits.upstreams_per_peer)"),
        }
    }
    assert_eq!(opened.len(), 3);
    behind.is_served(HONEST).await;
    assert_eq!(behind.end(&opened[0]).await, 204);
    eventually("room again", async || behind.open(GREEDY).await.session).await;
}

/// Where a peer's own upstreams do not come up, other starts of this peer wait for that, and no one else's.
#[tokio::test]
async fn p8_upstreams_that_do_not_come_up_hold_up_their_own_peer_only() {
    let directory = tempfile::tempdir().unwrap();
    let closed = directory.path().join("closed");
    let target = Target::command(ODD, vec!["parks".to_owned(), closed.display().to_string()]);
    let handlers = vec![("odd", target)];
    let options = Options { handlers, scope: Scope::Session, ..healthy() };
    let behind = Arc::new(Behind::start(options).await);
    std::fs::write(&closed, "").unwrap();
    let waiting: Vec<_> = (0..30)
        .map(|_| {
            let behind = Arc::clone(&behind);
            tokio::spawn(async move { behind.open(GREEDY).await.status })
        })
        .collect();
    let parked = directory.path().join("closed.parked");
    eventually("one that does not come up", async || parked.exists().then_some(())).await;
    std::fs::remove_file(&closed).unwrap();
    tokio::time::timeout(Duration::from_secs(30), behind.is_served(HONEST)).await.expect("its turn");
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
}

#[tokio::test]
async fn p8_bodies_that_one_peer_is_sending_are_bounded() {
    let limits = Limits { request_bytes: 4 << 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy() }).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut stream = behind.socket(GREEDY, "Content-Length: 2000000\r\n").await;
        stream.write_all(&vec![b' '; 1 << 20]).await.unwrap();
        held.push(stream);
    }
    let begun = futures::future::join_all(held.iter_mut().map(async |stream| {
        let mut begun = [0; 12];
        // Those that are not refused are waited for.
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read_exact(&mut begun)).await;
        read.is_ok().then_some(begun)
    }));
    let refused: Vec<_> = begun.await.into_iter().flatten().collect();
    assert_eq!(refused, [*b"HTTP/1.1 429"; 4]);
    behind.is_served(HONEST).await;
}

#[tokio::test]
async fn p8_answers_that_one_peer_does_not_read_are_bounded() {
    let limits = Limits { client_unread_bytes: 60 << 20, ..Limits::default() };
    let behind = Behind::start(Options { limits, ..healthy_beside(odd_child("huge")) }).await;
    let mut unread = Vec::new();
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let (status, stream) = behind.unread(GREEDY, 20).await;
        statuses.push(status);
        unread.push(stream);
    }
    assert_eq!(statuses, ["200", "200", "429", "429", "429", "429"]);
    let (_, mut honest) = behind.unread(HONEST, 20).await;
    let mut answer = Vec::new();
    soon("all of it", honest.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.len() > 20 << 20);
    drop(unread);
    eventually("room again", async || (behind.unread(GREEDY, 20).await.0 == "200").then_some(())).await;
}
