//! An MCP server over the deprecated HTTP+SSE transport (2024-11-05): `GET /sse` opens the event stream, whose first
//! event names the URL that messages are posted to.

use std::{collections::HashMap, sync::Arc};

use axum::{
    http::{Method, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use futures::stream;
use kit::{
    HttpServer,
    http_server::{JSON, Received, event, said, status, stream_of},
    messages::{introduction, notification, request, response, tool},
    server::text,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

pub(crate) const REVISION: &str = "2024-11-05";

/// How a server differs from a good one.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    /// The events that a stream begins with; `ID` stands for the session's id, `HERE` for the server's origin.
    pub(crate) opening: &'static str,
    /// The answer to a POST to `/sse`.
    pub(crate) refusal: (u16, &'static str),
    /// Whether the stream stays open after its opening.
    pub(crate) stays: bool,
}

/// One that does everything right.
pub(crate) const GOOD: Manner = Manner {
    opening: ": welcome\n\nevent: endpoint\ndata: /messages?session=ID\n\n",
    refusal: (405, "Method Not Allowed"),
    stays: true,
};

pub(crate) type SseServer = HttpServer<Sse>;

type Stream = mpsc::UnboundedSender<String>;

#[derive(Debug)]
pub(crate) struct Sse {
    manner: Manner,
    /// The open streams by session, as their unsent events.
    streams: Mutex<HashMap<String, Stream>>,
    /// The call that waits for the answer to a question.
    asking: Mutex<Option<Value>>,
    added: Mutex<bool>,
}

pub(crate) async fn start(manner: Manner) -> SseServer {
    let (streams, asking, added) = (Mutex::default(), Mutex::default(), Mutex::default());
    HttpServer::serving(Sse { manner, streams, asking, added }, take).await
}

/// The messages that were posted to where they belong.
pub(crate) fn posted(server: &SseServer) -> Vec<Received> {
    server.received().into_iter().filter(|request| request.uri.path() == "/messages").collect()
}

impl Sse {
    /// How many event streams are open.
    pub(crate) fn streams(&self) -> usize {
        self.streams.lock().values().filter(|stream| !stream.is_closed()).count()
    }

    /// Forgets all sessions, and leaves their streams open.
    pub(crate) fn forget(&self) -> Vec<Stream> {
        self.streams.lock().drain().map(|(_, stream)| stream).collect()
    }

    /// Adds a tool and announces that the list has changed.
    pub(crate) fn add_tool(&self) {
        *self.added.lock() = true;
        for stream in self.streams.lock().values() {
            say(stream, &notification("tools/list_changed", json!({})));
        }
    }
}

async fn take(state: Arc<Sse>, request: Received) -> Response {
    match (&request.method, request.uri.path()) {
        (&Method::GET, "/sse") => open(&state, request.header("host").unwrap_or_default()),
        (&Method::POST, "/messages") => {
            let session = request.uri.query().and_then(|query| query.strip_prefix("session="));
            let session = session.unwrap_or_default();
            let stream = state.streams.lock().get(session).cloned();
            let Some(stream) = stream else { return said(404, "text/plain", "Could not find session") };
            hear(&state, session, &stream, &request.message);
            said(202, "text/plain", "Accepted")
        }
        (&Method::POST, "/sse") => {
            let (status, body) = state.manner.refusal;
            said(status, if body.starts_with('{') { JSON } else { "text/plain" }, body)
        }
        _ => status(405),
    }
}

fn open(state: &Sse, host: &str) -> Response {
    let mut streams = state.streams.lock();
    let session = format!("session-{}", streams.len());
    let opening = state.manner.opening.replace("ID", &session).replace("HERE", &format!("http://{host}"));
    let (sender, events) = mpsc::unbounded_channel();
    sender.send(opening).unwrap();
    if state.manner.stays {
        streams.insert(session, sender);
    }
    let events = stream_of(stream::unfold(events, async |mut events| Some((events.recv().await?, events))));
    ([(CONTENT_TYPE, "text/event-stream; charset=utf-8")], events).into_response()
}

/// Processes a message; what there is to say goes to the stream.
fn hear(state: &Sse, session: &str, stream: &Stream, message: &Value) {
    let (id, params) = (&message["id"], &message["params"]);
    let answer = |result: Value| say(stream, &response(id, result));
    match (message["method"].as_str(), params["name"].as_str()) {
        (Some("initialize"), _) => {
            answer(introduction("old", REVISION, json!({"tools": {"listChanged": true}})));
        }
        (Some("tools/list"), _) => {
            let names = ["echo", "progress", "ask", "hang", "close", "endless"].into_iter();
            let names = names.chain(state.added.lock().then_some("added"));
            answer(json!({"tools": names.map(|name| tool(name, "Old.")).collect::<Vec<_>>()}));
        }
        (Some("tools/call"), Some("progress")) => {
            let token = &params["_meta"]["progressToken"];
            for step in 1..=3 {
                say(stream, &notification("progress", json!({"progressToken": token, "progress": step})));
            }
            answer(text("progress"));
        }
        (Some("tools/call"), Some("ask")) => {
            *state.asking.lock() = Some(id.clone());
            let params = json!({"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}});
            say(stream, &request("q", "elicitation/create", params));
        }
        (Some("tools/call"), Some("hang")) => {}
        (Some("tools/call"), Some("close")) => drop(state.streams.lock().remove(session)),
        (Some("tools/call"), Some("endless")) => {
            stream.send(format!("data: {}", "x".repeat(100_000))).unwrap();
        }
        (Some("tools/call"), Some(name)) => answer(text(name)),
        (None, _) => {
            if let Some(id) = state.asking.lock().take() {
                let action = message["result"]["action"].as_str().unwrap_or_default();
                say(stream, &response(&id, text(action)));
            }
        }
        _ => {}
    }
}

fn say(stream: &Stream, message: &Value) {
    let _gone = stream.send(event(None, message));
}
