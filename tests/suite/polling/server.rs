//! An MCP server over HTTP that closes the streams of its answers and goes on with them later (SEP-1699). Its tools
//! are called after how it does that; each is a script with one step for each connection.

use std::{convert::Infallible, io, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::Method,
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use kit::{
    HttpServer,
    http_server::{EVENTS, JSON, Received, reply, said, status, stream_of},
    messages::{discovery, failure, introduction, notification, response, tool},
    server::text,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

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

pub(crate) type PollingServer = HttpServer<Polling>;

#[derive(Debug)]
pub(crate) struct Polling {
    is_stateless: bool,
    calls: Mutex<Vec<Call>>,
    /// Raised to end the streams of unasked messages; the number of tools that were added meanwhile.
    generation: watch::Sender<usize>,
}

#[derive(Debug)]
struct Call {
    tool: usize,
    /// Those of its request.
    id: Value,
    token: Value,
    connections: usize,
}

/// Starts a server of either era.
pub(crate) async fn start(is_stateless: bool) -> PollingServer {
    let (calls, generation) = (Mutex::default(), watch::Sender::default());
    HttpServer::serving(Polling { is_stateless, calls, generation }, take).await
}

/// The events after which streams were resumed.
pub(crate) fn resumed(server: &PollingServer) -> Vec<String> {
    let received = server.received();
    received.iter().filter_map(|request| request.header("last-event-id").map(str::to_owned)).collect()
}

impl Polling {
    /// How many streams of unasked messages are open.
    pub(crate) fn listeners(&self) -> usize {
        self.generation.receiver_count()
    }

    /// Ends the streams of unasked messages, and lists one more tool without a word about it.
    pub(crate) fn break_off(&self) {
        self.generation.send_modify(|generation| *generation += 1);
    }
}

async fn take(state: Arc<Polling>, request: Received) -> Response {
    match (&request.method, request.header("last-event-id")) {
        (&Method::POST, _) => post(&state, &request),
        (&Method::GET, Some(last)) if !last.starts_with("unasked") => resume(&state, last),
        (&Method::GET, _) if !state.is_stateless => listen(&state),
        (&Method::DELETE, _) => status(204),
        _ => status(405),
    }
}

fn post(state: &Polling, request: &Received) -> Response {
    let (message, id) = (&request.message, &request.message["id"]);
    match request.rpc_method() {
        "initialize" if !state.is_stateless => {
            let opened = response(id, introduction("polling", "2025-06-18", json!({"tools": {}})));
            ([("mcp-session-id", "the-session")], reply(&opened)).into_response()
        }
        "server/discover" if state.is_stateless => reply(&response(id, discovery(json!({"tools": {}})))),
        "tools/list" => {
            let names = TOOLS.iter().map(|(name, _)| (*name).to_owned());
            let added = (0..*state.generation.borrow()).map(|number| format!("added_{number}"));
            let tools: Vec<Value> = names.chain(added).map(|name| tool(&name, "Polls.")).collect();
            let list = json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"});
            reply(&response(id, list))
        }
        "tools/call" => call(state, message),
        method if id.is_null() => {
            assert!(method.starts_with("notifications/") || method.is_empty(), "{message}");
            status(202)
        }
        _ => said(404, JSON, failure(id, -32601, "Method not found").to_string()),
    }
}

fn call(state: &Polling, message: &Value) -> Response {
    let params = &message["params"];
    let Some(tool) = TOOLS.iter().position(|(name, _)| params["name"] == *name) else { return status(400) };
    let token = params["_meta"]["progressToken"].clone();
    let mut calls = state.calls.lock();
    calls.push(Call { tool, id: message["id"].clone(), token, connections: 0 });
    let number = calls.len() - 1;
    step(&mut calls[number], number)
}

fn resume(state: &Polling, last: &str) -> Response {
    let mut calls = state.calls.lock();
    let number = last.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(usize::MAX);
    calls.get_mut(number).map_or_else(|| status(400), |call| step(call, number))
}

/// The next step of a call.
fn step(call: &mut Call, number: usize) -> Response {
    let script = TOOLS[call.tool].1;
    let step = &script[call.connections.min(script.len() - 1)];
    call.connections += 1;
    let (events, end) = match step {
        Send(events, end) => (events, end),
        Refuse(200, JSON) => return reply(&response(&call.id, json!({"content": []}))),
        Refuse(status, kind) => return said(*status, kind, "<p>Not here."),
    };
    let text: String = events.iter().map(|(event, say)| event_text(call, number, *event, *say)).collect();
    let text = stream::iter([Ok(Bytes::from(text))]);
    let body = match end {
        Close => Body::from_stream(text),
        Cut => Body::from_stream(text.chain(stream::once(async {
            // What came before is on its way.
            tokio::task::yield_now().await;
            Err(io::Error::other("the connection is cut"))
        }))),
        Hold => {
            let held = stream::once(std::future::pending::<Infallible>()).map(|never| match never {});
            Body::from_stream(text.chain(held))
        }
    };
    said(200, EVENTS, body)
}

fn event_text(call: &Call, number: usize, event: u32, say: Say) -> String {
    let with_id = |rest: String| format!("id: {number}.{event}\n{rest}\n\n");
    match say {
        Comment => ": nothing\n\n".to_owned(),
        Prime => with_id("data: ".to_owned()),
        PrimeAndWait(retry) => with_id(format!("retry: {retry}\ndata: ")),
        Progress(progress) => {
            let params = json!({"progressToken": call.token, "progress": progress});
            with_id(format!("data: {}", notification("progress", params)))
        }
        Answer => {
            let mut result = text(TOOLS[call.tool].0);
            result["resultType"] = "complete".into();
            with_id(format!("data: {}", response(&call.id, result)))
        }
    }
}

/// A stream of unasked messages, which ends when the generation does.
fn listen(state: &Polling) -> Response {
    let mut generation = state.generation.subscribe();
    let begun = *generation.borrow_and_update();
    let prime = format!("id: unasked.{begun}\nretry: 1\ndata: \n\n");
    let until_broken_off = stream::once(async move {
        let _ended = generation.changed().await;
        String::new()
    });
    stream_of(stream::iter([prime]).chain(until_broken_off))
}
