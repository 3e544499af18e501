//! An upstream over HTTP whose tools are called after what it does wrong when they are called. That a call is
//! cancelled it never takes note of, or it answers that with an error.

use std::{
    convert::Infallible,
    future::pending,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{Method, StatusCode, Uri, header},
    middleware::map_response,
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt, stream};
use kit::{http::serve, messages::tool};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::{Value, json};
use tokio::sync::watch;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const HTML: &str = "<!doctype html><title>Log in</title>";

/// What it can do, all of it but `well` wrong.
pub(super) const TOOLS: &[&str] = &[
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

/// The server, which lives as long as the test's runtime.
#[derive(Debug)]
pub(super) struct BadServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    stalled: AtomicUsize,
    /// Whether `go` was called, after which `held` is answered.
    released: watch::Sender<bool>,
    /// Whether it answers notifications and responses with an error, and how many it has.
    is_careless: bool,
    refused: AtomicUsize,
    /// The responses that were posted to it, which asks nothing.
    responses: AtomicUsize,
}

impl BadServer {
    pub(super) async fn start() -> Self {
        Self::serving(Shared::default(), |router| router).await
    }

    /// The same, which answers notifications and responses with an error.
    pub(super) async fn start_careless() -> Self {
        Self::serving(Shared { is_careless: true, ..Shared::default() }, |router| router).await
    }

    /// The same with a session, whose id every response has.
    pub(super) async fn start_with_session() -> Self {
        let with_session = async |response: Response| ([("mcp-session-id", "bad")], response);
        Self::serving(Shared::default(), |router| router.layer(map_response(with_session))).await
    }

    async fn serving(shared: Shared, with: impl FnOnce(Router) -> Router) -> Self {
        let shared = Arc::new(shared);
        let address = serve(with(Router::new().fallback(take).with_state(Arc::clone(&shared)))).await;
        Self { address, shared }
    }

    pub(super) fn target(&self) -> Target {
        Target::url(format!("http://{}/mcp", self.address).parse().unwrap())
    }

    /// How many requests it leaves without an answer, or without its end, on connections still open.
    pub(super) fn stalled(&self) -> usize {
        self.shared.stalled.load(Ordering::SeqCst)
    }

    /// How many notifications it answered with an error.
    pub(super) fn refused(&self) -> usize {
        self.shared.refused.load(Ordering::SeqCst)
    }

    /// How many responses were posted to it.
    pub(super) fn responses(&self) -> usize {
        self.shared.responses.load(Ordering::SeqCst)
    }
}

/// Counts what stalls for as long as somebody waits for it.
struct Stalled(Arc<Shared>);

impl Stalled {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.stalled.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(shared))
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

async fn take(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: String) -> Response {
    if uri.path() == "/page" {
        return said(StatusCode::OK, "text/html", HTML);
    }
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_str(&body).unwrap();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "bad", "version": "1"},
        }),
        "tools/list" => {
            let tools = TOOLS.iter().map(|name| tool(name, "Bad."));
            json!({"tools": tools.collect::<Vec<Value>>()})
        }
        "tools/call" => {
            let name = message["params"]["name"].as_str().unwrap().to_owned();
            return misbehave(&name, &message["id"], Stalled::new(&shared)).await;
        }
        "notifications/initialized" => return StatusCode::ACCEPTED.into_response(),
        method if shared.is_careless => {
            let answered = if method.is_empty() { &shared.responses } else { &shared.refused };
            answered.fetch_add(1, Ordering::SeqCst);
            return said(StatusCode::BAD_REQUEST, JSON, NAMELESS);
        }
        "notifications/cancelled" => match Stalled::new(&shared).for_ever().await {},
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    said(StatusCode::OK, JSON, answer(&message["id"], result))
}

async fn misbehave(what: &str, id: &Value, stalled: Stalled) -> Response {
    let good = answer(id, text("well"));
    let half = good[..good.len() / 2].to_owned();
    let event = |message: &str| format!("event: message\ndata: {message}\n\n");
    match what {
        "stalls" => match stalled.for_ever().await {},
        "stalls_in_json" => begun(JSON, half, stall(stalled)),
        "stalls_in_events" => begun(EVENTS, format!("data: {half}"), stall(stalled)),
        "closes" => said(StatusCode::OK, JSON, Body::from_stream(stream::iter([Err::<Bytes, _>(broken())]))),
        "closes_in_json" => begun(JSON, half, cut()),
        "closes_in_events" => begun(EVENTS, format!("data: {half}"), cut()),
        "ends_without_answer" => said(StatusCode::OK, EVENTS, ": that was all\n\n"),
        "says_500" => said(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", "it broke"),
        "says_404" => said(StatusCode::NOT_FOUND, "text/plain", "not here"),
        "errs_with_404" => said(StatusCode::NOT_FOUND, JSON, failure(id)),
        "errs_with_404_in_events" => said(StatusCode::NOT_FOUND, EVENTS, event(&failure(id))),
        "errs_with_404_of_none" => said(StatusCode::NOT_FOUND, JSON, failure(&Value::Null)),
        "says_202" => StatusCode::ACCEPTED.into_response(),
        "redirects_to_a_page" => (StatusCode::FOUND, [(header::LOCATION, "/page")]).into_response(),
        "redirects_for_ever" => {
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/mcp")]).into_response()
        }
        "html" => said(StatusCode::OK, "text/html", HTML),
        "html_as_json" => said(StatusCode::OK, JSON, HTML),
        "batch" => said(StatusCode::OK, JSON, format!("[{good}]")),
        "foreign_id" => said(StatusCode::OK, JSON, answer(&json!(987_654), text("foreign"))),
        "twice" => {
            let second = answer(id, text("the second answer"));
            said(StatusCode::OK, EVENTS, format!("{}{}", event(&good), event(&second)))
        }
        "held" => {
            drop(stalled.0.released.subscribe().wait_for(|released| *released).await);
            said(StatusCode::OK, JSON, answer(id, text("held")))
        }
        "go" => {
            stalled.0.released.send_replace(true);
            said(StatusCode::OK, JSON, good)
        }
        "two_lines" => {
            let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            said(StatusCode::OK, JSON, format!("{good}\n{news}"))
        }
        "two_lines_with_a_request" => {
            let request = json!({"jsonrpc": "2.0", "method": "ping"});
            said(StatusCode::OK, JSON, format!("{request}\n{good}"))
        }
        "nameless" => said(StatusCode::OK, JSON, NAMELESS),
        "nameless_400" => said(StatusCode::BAD_REQUEST, JSON, NAMELESS),
        "endless_json" => begun(JSON, half, for_ever()),
        "endless_event" => begun(EVENTS, format!("data: {half}"), for_ever()),
        _ => said(StatusCode::OK, JSON, good),
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

fn said(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

/// An answer that begins like this and goes on.
fn begun(
    kind: &'static str,
    start: String,
    rest: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> Response {
    let start = stream::iter([Ok(Bytes::from(start))]);
    said(StatusCode::OK, kind, Body::from_stream(start.chain(rest)))
}

fn answer(id: &Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn failure(id: &Value) -> String {
    let error = json!({"code": -32602, "message": "no such thing"});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
