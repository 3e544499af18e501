//! An MCP server over HTTP that closes the streams of its answers and goes on with them later (SEP-1699). Its tools
//! are called after how it does that; each is a script with one step for each connection.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Instant};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use kit::{http::serve, messages::tool};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// What happens on one connection of an answer.
enum Step {
    /// Events, and how they end.
    Send(&'static [(u32, Say)], End),
    /// A status and a body of a type that is no event stream.
    Refuse(u16, &'static str),
}

enum End {
    Close,
    Cut,
    Hold,
}

/// What an event says; its number is its id.
#[derive(Clone, Copy)]
enum Say {
    Prime,
    PrimeAndWait(u32),
    Progress(u32),
    Response,
    /// Nothing, and without an id.
    Comment,
}

use End::{Close, Cut, Hold};
use Say::{Comment, Prime, PrimeAndWait, Progress, Response as Answer};
use Step::{Refuse, Send};

/// How long the server asks to wait, where it does.
pub(crate) const RETRY: u32 = 300;

/// The tools and their scripts. The last step is repeated.
const TOOLS: &[(&str, &[Step])] = &[
    (
        "polled",
        &[
            Send(&[(0, PrimeAndWait(RETRY))], Close),
            Send(&[(1, Progress(1))], Close),
            Send(&[(2, Progress(2)), (3, Prime)], Close),
            Send(&[(4, Answer)], Close),
        ],
    ),
    ("unhurried", &[Send(&[(0, Prime)], Close), Send(&[(1, Answer)], Hold)]),
    ("cut", &[Send(&[(0, PrimeAndWait(1)), (1, Progress(1))], Cut), Send(&[(2, Answer)], Close)]),
    (
        "replays",
        &[
            Send(&[(0, PrimeAndWait(1)), (1, Progress(1)), (2, Progress(2))], Close),
            Send(&[(0, Prime), (1, Progress(1)), (2, Progress(2)), (3, Progress(3))], Close),
            Send(&[(1, Progress(1)), (2, Progress(2)), (3, Progress(3)), (4, Answer)], Close),
        ],
    ),
    (
        "restarts",
        &[
            Send(&[(0, PrimeAndWait(1))], Close),
            Refuse(503, "text/plain"),
            Refuse(409, JSON),
            Send(&[(1, Answer)], Close),
        ],
    ),
    ("never", &[Send(&[(0, PrimeAndWait(1))], Close)]),
    ("far_off", &[Send(&[(0, PrimeAndWait(100_000_000))], Close)]),
    ("down", &[Send(&[(0, PrimeAndWait(1))], Close), Refuse(503, "text/plain")]),
    ("refused_404", &[Send(&[(0, PrimeAndWait(1))], Close), Refuse(404, "text/plain")]),
    ("refused_405", &[Send(&[(0, PrimeAndWait(1))], Close), Refuse(405, "text/plain")]),
    ("a_page", &[Send(&[(0, PrimeAndWait(1))], Close), Refuse(200, "text/html")]),
    ("without_id", &[Send(&[(0, Comment)], Close)]),
    ("plain", &[Refuse(200, JSON)]),
];

/// A request as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    /// The JSON-RPC method of a POST.
    pub(crate) message: Option<String>,
    pub(crate) last_event: Option<String>,
    pub(crate) at: Instant,
}

/// The server, which lives as long as the test's runtime.
#[derive(Clone, Debug)]
pub(crate) struct PollingServer {
    address: SocketAddr,
    state: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    stateless: bool,
    received: Mutex<Vec<Received>>,
    /// The calls, each with its tool, its request's id and token, and how many connections it had.
    calls: Mutex<Vec<Call>>,
    /// Raised to end the streams of unasked messages; the number of tools that were added meanwhile.
    generation: watch::Sender<usize>,
}

#[derive(Debug)]
struct Call {
    tool: usize,
    id: Value,
    token: Value,
    connections: usize,
}

impl PollingServer {
    /// A server of either era.
    pub(crate) async fn start(stateless: bool) -> Self {
        let state = Arc::new(Shared {
            stateless,
            received: Mutex::default(),
            calls: Mutex::default(),
            generation: watch::Sender::default(),
        });
        let address = serve(Router::new().fallback(take).with_state(Arc::clone(&state))).await;
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What it has received so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().clone()
    }

    /// The events after which streams were resumed.
    pub(crate) fn resumed(&self) -> Vec<String> {
        self.received().into_iter().filter_map(|received| received.last_event).collect()
    }

    /// How many streams of unasked messages are open.
    pub(crate) fn listeners(&self) -> usize {
        self.state.generation.receiver_count()
    }

    /// Ends the streams of unasked messages, and lists one more tool without a word about it.
    pub(crate) fn break_off(&self) {
        self.state.generation.send_modify(|generation| *generation += 1);
    }
}

async fn take(
    State(state): State<Arc<Shared>>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    let last_event = headers.get("last-event-id").map(|value| value.to_str().unwrap().to_owned());
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    state.received.lock().push(Received {
        method: method.clone(),
        message: message["method"].as_str().map(str::to_owned),
        last_event: last_event.clone(),
        at: Instant::now(),
    });
    match (method, last_event) {
        (Method::POST, _) => post(&state, &message),
        (Method::GET, Some(last)) if !last.starts_with("unasked") => resume(&state, &last),
        (Method::GET, _) if !state.stateless => listen(&state),
        (Method::DELETE, _) => StatusCode::NO_CONTENT.into_response(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn post(state: &Shared, message: &Value) -> Response {
    let added = *state.generation.borrow();
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" if !state.stateless => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "polling", "version": "1"},
        }),
        "server/discover" if state.stateless => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "public",
        }),
        "tools/list" => {
            let names = TOOLS.iter().map(|(name, _)| (*name).to_owned());
            let names = names.chain((0..added).map(|number| format!("added_{number}")));
            let tools: Vec<Value> = names.map(|name| tool(&name, "Polls.")).collect();
            json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"})
        }
        "tools/call" => return call(state, message),
        method if message["id"].is_null() => {
            assert!(method.starts_with("notifications/") || method.is_empty(), "{message}");
            return StatusCode::ACCEPTED.into_response();
        }
        _ => {
            let error = json!({"jsonrpc": "2.0", "id": message["id"],
                "error": {"code": -32601, "message": "Method not found"}});
            return said(StatusCode::NOT_FOUND, JSON, error.to_string());
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    let mut response = said(StatusCode::OK, JSON, answer);
    if message["method"] == "initialize" {
        response.headers_mut().insert("mcp-session-id", "the-session".parse().unwrap());
    }
    response
}

fn call(state: &Shared, message: &Value) -> Response {
    let params = &message["params"];
    let Some(tool) = TOOLS.iter().position(|(name, _)| params["name"] == *name) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let token = params["_meta"]["progressToken"].clone();
    let mut calls = state.calls.lock();
    calls.push(Call { tool, id: message["id"].clone(), token, connections: 0 });
    let number = calls.len() - 1;
    drop(calls);
    step(state, number)
}

fn resume(state: &Shared, last: &str) -> Response {
    match last.split('.').next().and_then(|number| number.parse().ok()) {
        Some(number) if number < state.calls.lock().len() => step(state, number),
        _ => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// The next step of a call.
fn step(state: &Shared, number: usize) -> Response {
    let mut calls = state.calls.lock();
    let call = &mut calls[number];
    let script = TOOLS[call.tool].1;
    let step = &script[call.connections.min(script.len() - 1)];
    call.connections += 1;
    let (events, end) = match step {
        Send(events, end) => (events, end),
        Refuse(status, kind) => {
            let answer = json!({"jsonrpc": "2.0", "id": call.id, "result": {"content": []}});
            let body =
                if *kind == JSON && *status == 200 { answer.to_string() } else { "<p>Not here.".to_owned() };
            return said(StatusCode::from_u16(*status).unwrap(), kind, body);
        }
    };
    let text: String = events.iter().map(|(event, say)| event_text(call, number, *event, *say)).collect();
    let text = stream::iter([Ok(Bytes::from(text))]);
    match end {
        Close => said(StatusCode::OK, EVENTS, Body::from_stream(text)),
        Cut => {
            let cut = stream::once(async {
                // What came before is on its way.
                tokio::task::yield_now().await;
                Err(io::Error::other("the connection is cut"))
            });
            said(StatusCode::OK, EVENTS, Body::from_stream(text.chain(cut)))
        }
        Hold => {
            let held = stream::once(std::future::pending::<Infallible>()).map(|never| match never {});
            said(StatusCode::OK, EVENTS, Body::from_stream(text.chain(held)))
        }
    }
}

fn event_text(call: &Call, number: usize, event: u32, say: Say) -> String {
    let with_id = |rest: String| format!("id: {number}.{event}\n{rest}\n\n");
    match say {
        Comment => ": nothing\n\n".to_owned(),
        Prime => with_id("data: ".to_owned()),
        PrimeAndWait(retry) => with_id(format!("retry: {retry}\ndata: ")),
        Progress(progress) => {
            let params = json!({"progressToken": call.token, "progress": progress});
            let message = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            with_id(format!("data: {message}"))
        }
        Answer => {
            let result =
                json!({"content": [{"type": "text", "text": TOOLS[call.tool].0}], "resultType": "complete"});
            with_id(format!("data: {}", json!({"jsonrpc": "2.0", "id": call.id, "result": result})))
        }
    }
}

/// A stream of unasked messages, which ends when the generation does.
fn listen(state: &Shared) -> Response {
    let mut generation = state.generation.subscribe();
    let begun = *generation.borrow_and_update();
    let prime = stream::iter([Ok::<_, Infallible>(Bytes::from(format!(
        "id: unasked.{begun}\nretry: 1\ndata: \n\n"
    )))]);
    let until_broken_off = stream::once(async move {
        let _ended = generation.changed().await;
        Ok(Bytes::new())
    });
    said(StatusCode::OK, EVENTS, Body::from_stream(prime.chain(until_broken_off)))
}

fn said(status: StatusCode, kind: &str, body: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, kind.to_owned())], body.into()).into_response()
}
