//! Which requests an upstream cannot have processed (U4): these may be sent again on the next connection, no others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    http::{HeaderMap, Method},
    response::{IntoResponse, Response},
};
use kit::{
    HeldPort, HttpServer, eventually,
    http_server::{EVENTS, Received, reply, said, status},
    messages::response,
};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::limits::Limits;
use mcp_disclosure_transport::{
    CallError, Connection, Handler,
    http::{self, Endpoint, EndpointKind},
    streams,
};
use serde_json::json;
use tokio::net::TcpListener;

#[derive(Debug)]
struct Owner;

impl Handler for Owner {
    fn name(&self) -> String {
        "test".to_owned()
    }
}

/// A server whose session can be lost, and how many calls it has begun to process.
#[derive(Debug, Default)]
struct Server {
    /// The status by which it refuses what is in its session, once that is lost.
    lost: AtomicU16,
    processed: AtomicUsize,
}

impl Server {
    /// Refuses its session with this status from now on.
    fn lose(&self, status: u16) {
        self.lost.store(status, Ordering::SeqCst);
    }
}

async fn take(server: Arc<Server>, request: Received) -> Response {
    let lost = Some(server.lost.load(Ordering::SeqCst)).filter(|lost| *lost > 0);
    if request.method == Method::GET {
        return lost.map_or_else(|| said(200, EVENTS, "retry: 300\ndata: \n\n"), status);
    }
    let id = &request.message["id"];
    let answer = reply(&response(id, json!({})));
    match (request.rpc_method(), lost) {
        ("initialize", _) => ([("mcp-session-id", "s")], answer).into_response(),
        ("ping", Some(lost)) => status(lost),
        ("call" | "hang", Some(lost)) => {
            // Those that are under way together are refused one after the other.
            tokio::time::sleep(Duration::from_millis(20 * id.as_u64().unwrap())).await;
            said(lost, "text/plain", "no such session")
        }
        ("bad", _) => said(400, "text/plain", "it makes no sense"),
        ("hang", _) => {
            server.processed.fetch_add(1, Ordering::SeqCst);
            std::future::pending().await
        }
        ("call", _) => answer,
        _ => status(202),
    }
}

async fn request(connection: &Arc<Connection>, method: &str) -> Result<(), CallError> {
    let call = connection.call(method, RawObject::empty());
    Arc::clone(connection).request(call, kit::PATIENCE).await.map(drop)
}

fn connect(url: &str, listens: bool) -> Arc<Connection> {
    let endpoint = Endpoint {
        url: url.parse().unwrap(),
        kind: EndpointKind::Detect,
        headers: HeaderMap::new(),
        authorization: None,
        forward: Vec::new(),
    };
    http::connect(endpoint, listens, None, Arc::new(Owner), Limits::default().bounds())
}

async fn in_session(listens: bool) -> (HttpServer<Server>, Arc<Connection>) {
    let server = HttpServer::serving(Server::default(), take).await;
    let connection = connect(&server.url(), listens);
    request(&connection, "initialize").await.unwrap();
    connection.negotiated("2025-11-25");
    connection.notify("notifications/initialized", RawObject::empty());
    request(&connection, "call").await.unwrap();
    (server, connection)
}

/// How servers refuse a session that they do not know; the specification asks for the first.
const REFUSALS: [u16; 2] = [404, 400];

#[tokio::test]
async fn u4_all_requests_that_were_refused_with_the_session_are_unprocessed_and_no_others() {
    for status in REFUSALS {
        let (server, connection) = in_session(false).await;
        let hanging = tokio::spawn({
            let connection = Arc::clone(&connection);
            async move { request(&connection, "hang").await }
        });
        eventually("the call", async || (server.processed.load(Ordering::SeqCst) == 1).then_some(())).await;
        server.lose(status);
        let refused = futures::future::join_all((0..5).map(|_| request(&connection, "call"))).await;
        for error in refused.into_iter().map(Result::unwrap_err) {
            assert!(error.is_unprocessed() && error.is_disconnection(), "{status} {error:?}");
            assert!(error.to_string().contains("no longer knows the session"), "{status} {error}");
        }
        let error = hanging.await.unwrap().unwrap_err();
        assert!(!error.is_unprocessed() && error.is_disconnection(), "{status}: it may have run: {error:?}");
        assert!(connection.is_ended());
        assert!(request(&connection, "call").await.unwrap_err().is_unprocessed(), "it was not sent");
    }
}

#[tokio::test]
async fn u4_a_session_is_lost_too_if_the_stream_that_was_open_is_not_found_any_more() {
    for status in REFUSALS {
        let (server, connection) = in_session(true).await;
        let is_open = || server.received().iter().any(|request| request.method == Method::GET);
        eventually("a stream", async || is_open().then_some(())).await;
        assert!(!connection.is_ended());
        server.lose(status);
        eventually("the end", async || connection.is_ended().then_some(())).await;
        let reason = connection.reason().to_string();
        assert!(reason.contains("no longer knows the session"), "{status} {reason}");
    }
}

#[tokio::test]
async fn u4_a_request_that_is_refused_for_itself_ends_no_session() {
    let (_server, connection) = in_session(true).await;
    for _ in 0..3 {
        let error = request(&connection, "bad").await.unwrap_err();
        assert!(!error.is_unprocessed() && error.to_string().contains("400"), "{error:?}");
        request(&connection, "call").await.unwrap();
    }
}

#[tokio::test]
async fn u4_what_could_not_be_sent_is_unprocessed() {
    let nobody = HeldPort::take();
    for url in [format!("http://{}/mcp", nobody.address()), "http://server.invalid/mcp".to_owned()] {
        let error = request(&connect(&url, false), "initialize").await.unwrap_err();
        assert!(error.is_unprocessed() && error.is_disconnection(), "{error:?}");
    }
    // A process that never reads: the first message may be on its way, the others wait.
    let (near, far) = tokio::io::duplex(1);
    let (input, output) = tokio::io::split(near);
    let connection = streams::connect(input, output, Arc::new(Owner), Limits::default().bounds());
    let first = request(&connection, "call");
    tokio::pin!(first);
    assert!(futures::poll!(&mut first).is_pending());
    // Once its first byte has arrived, it has left the queue.
    let mut far = far;
    let mut byte = [0];
    tokio::io::AsyncReadExt::read_exact(&mut far, &mut byte).await.unwrap();
    let second = request(&connection, "call");
    tokio::pin!(second);
    assert!(futures::poll!(&mut second).is_pending());
    drop(far);
    let (first, second) = (first.await.unwrap_err(), second.await.unwrap_err());
    assert!(!first.is_unprocessed() && second.is_unprocessed(), "{first:?} {second:?}");
}

#[tokio::test]
async fn u4_what_was_sent_is_not_taken_for_unprocessed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _read = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 1024]).await;
        }
    });
    let error = request(&connect(&url, false), "initialize").await.unwrap_err();
    assert!(!error.is_unprocessed() && error.is_disconnection(), "{error:?}");
}
