//! An upstream over HTTP whose tools are called after what it does wrong when they are called. That a call is
//! cancelled it never takes note of, or it answers that with an error.

use std::{
    convert::Infallible,
    future::pending,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    body::{Body, Bytes},
    http::{Method, header::LOCATION},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt, stream};
use kit::{
    HttpServer,
    http_server::{EVENTS, JSON, Received, event, reply, said, status},
    messages::{failure, introduction, notification, response, tool},
    server::text,
};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};
use tokio::sync::watch;

const HTML: &str = "<!doctype html><title>Log in</title>";

/// What it can do, all of it but `well` wrong.
const TOOLS: &[&str] = &[
    "well",
    "stalls",
    "stalls_in_json",
    "stalls_in_events",
    "closes",
    "closes_in_json",
    "closes_in_events",
    "ends_without_answer",
    "says_500",
    "says_404",
    "errs_with_404",
    "errs_with_404_in_events",
    "errs_with_404_of_none",
    "says_202",
    "redirects_to_a_page",
    "redirects_for_ever",
    "html",
    "html_as_json",
    "batch",
    "foreign_id",
    "twice",
    "endless_json",
    "endless_event",
    "held",
    "go",
    "two_lines",
    "two_lines_with_a_request",
    "nameless",
    "nameless_400",
];

/// The error of a server that could not read an id.
pub(super) const NAMELESS: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"of nobody"}}"#;

pub(super) type BadServer = HttpServer<Bad>;

#[derive(Debug, Default)]
pub(super) struct Bad {
    /// Whether it has a session, whose id every response has.
    pub(super) has_session: bool,
    /// Whether it answers notifications and responses with an error.
    pub(super) is_careless: bool,
    pub(super) stalled: AtomicUsize,
    /// Whether `go` was called, after which `held` is answered.
    pub(super) released: watch::Sender<bool>,
}

pub(super) async fn start(bad: Bad) -> BadServer {
    HttpServer::serving(bad, take).await
}

pub(super) fn target(server: &BadServer) -> Target {
    Target::url(server.url().parse().unwrap())
}

/// How many messages of this method it received; of none, these are responses.
pub(super) fn received(server: &BadServer, method: &str) -> usize {
    let posted = server.received().into_iter().filter(|request| request.method == Method::POST);
    posted.filter(|request| request.rpc_method() == method).count()
}

impl Bad {
    /// How many requests it leaves without an answer, or without its end, on connections still open.
    pub(super) fn stalled(&self) -> usize {
        self.stalled.load(Ordering::SeqCst)
    }
}

/// Counts what stalls for as long as somebody waits for it.
struct Stalled(Arc<Bad>);

impl Stalled {
    fn new(bad: &Arc<Bad>) -> Self {
        bad.stalled.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(bad))
    }

    async fn for_ever(self) -> Infallible {
        pending().await
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        self.0.stalled.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn take(bad: Arc<Bad>, request: Received) -> Response {
    let answer = answer(&bad, &request).await;
    if bad.has_session { ([("mcp-session-id", "bad")], answer).into_response() } else { answer }
}

async fn answer(bad: &Arc<Bad>, request: &Received) -> Response {
    if request.uri.path() == "/page" {
        return said(200, "text/html", HTML);
    }
    if request.method != Method::POST {
        return status(405);
    }
    let (params, id) = (&request.message["params"], &request.message["id"]);
    match request.rpc_method() {
        "initialize" => reply(&response(id, introduction("bad", "2025-11-25", json!({"tools": {}})))),
        "tools/list" => {
            let tools: Vec<Value> = TOOLS.iter().map(|name| tool(name, "Bad.")).collect();
            reply(&response(id, json!({"tools": tools})))
        }
        "tools/call" => misbehave(params["name"].as_str().unwrap(), id, Stalled::new(bad)).await,
        "notifications/initialized" => status(202),
        _ if bad.is_careless => said(400, JSON, NAMELESS),
        "notifications/cancelled" => match Stalled::new(bad).for_ever().await {},
        _ => status(202),
    }
}

async fn misbehave(what: &str, id: &Value, stalled: Stalled) -> Response {
    let good = response(id, text("well")).to_string();
    let half = good[..good.len() / 2].to_owned();
    let no_such_thing = |id: &Value| failure(id, -32602, "no such thing");
    match what {
        "stalls" => match stalled.for_ever().await {},
        "stalls_in_json" => begun(JSON, half, stall(stalled)),
        "stalls_in_events" => begun(EVENTS, format!("data: {half}"), stall(stalled)),
        "closes" => said(200, JSON, Body::from_stream(stream::iter([Err::<Bytes, _>(broken())]))),
        "closes_in_json" => begun(JSON, half, cut()),
        "closes_in_events" => begun(EVENTS, format!("data: {half}"), cut()),
        "ends_without_answer" => said(200, EVENTS, ": that was all\n\n"),
        "says_500" => said(500, "text/plain", "it broke"),
        "says_404" => said(404, "text/plain", "not here"),
        "errs_with_404" => said(404, JSON, no_such_thing(id).to_string()),
        "errs_with_404_in_events" => said(404, EVENTS, event(None, &no_such_thing(id))),
        "errs_with_404_of_none" => said(404, JSON, no_such_thing(&Value::Null).to_string()),
        "says_202" => status(202),
        "redirects_to_a_page" => ([(LOCATION, "/page")], status(302)).into_response(),
        "redirects_for_ever" => ([(LOCATION, "/mcp")], status(307)).into_response(),
        "html" => said(200, "text/html", HTML),
        "html_as_json" => said(200, JSON, HTML),
        "batch" => said(200, JSON, format!("[{good}]")),
        "foreign_id" => reply(&response(&json!(987_654), text("foreign"))),
        "twice" => {
            let both = ["well", "the second answer"].map(|said| event(None, &response(id, text(said))));
            said(200, EVENTS, both.concat())
        }
        "held" => {
            drop(stalled.0.released.subscribe().wait_for(|released| *released).await);
            reply(&response(id, text("held")))
        }
        "go" => {
            stalled.0.released.send_replace(true);
            said(200, JSON, good)
        }
        "two_lines" => said(200, JSON, format!("{good}\n{}", notification("tools/list_changed", json!({})))),
        "two_lines_with_a_request" => {
            let request = json!({"jsonrpc": "2.0", "method": "ping"});
            said(200, JSON, format!("{request}\n{good}"))
        }
        "nameless" => said(200, JSON, NAMELESS),
        "nameless_400" => said(400, JSON, NAMELESS),
        "endless_json" => begun(JSON, half, for_ever()),
        "endless_event" => begun(EVENTS, format!("data: {half}"), for_ever()),
        _ => said(200, JSON, good),
    }
}

fn broken() -> io::Error {
    io::Error::other("the connection is cut")
}

/// Breaks off once what came before is on its way.
fn cut() -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::once(async {
        tokio::task::yield_now().await;
        Err(broken())
    })
}

/// Goes on and on.
fn for_ever() -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let more = Bytes::from(vec![b' '; 1 << 20]);
    stream::repeat_with(move || Ok(more.clone()))
}

/// Never says more.
fn stall(stalled: Stalled) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::once(stalled.for_ever()).map(|never| match never {})
}

/// An answer that begins like this and goes on.
fn begun(
    kind: &'static str,
    start: String,
    rest: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> Response {
    let start = stream::iter([Ok(Bytes::from(start))]);
    said(200, kind, Body::from_stream(start.chain(rest)))
}
