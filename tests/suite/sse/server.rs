//! An MCP server over the deprecated HTTP+SSE transport (2024-11-05): `GET /sse` opens the event stream, whose first
//! event names the URL that messages are posted to.

use std::{collections::HashMap, convert::Infallible, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use kit::messages::tool;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc};

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

/// A request as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    /// The JSON-RPC method; empty if there is none.
    pub(crate) message: String,
}

/// The server, which lives as long as the test's runtime.
#[derive(Clone, Debug)]
pub(crate) struct SseServer {
    address: SocketAddr,
    state: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    origin: String,
    manner: Manner,
    received: Mutex<Vec<Received>>,
    /// The open streams by session, as their unsent events.
    streams: Mutex<HashMap<String, mpsc::UnboundedSender<String>>>,
    /// The call that waits for the answer to a question.
    asking: Mutex<Option<(String, Value)>>,
    added: Mutex<bool>,
}

impl SseServer {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Shared {
            origin: format!("http://{address}"),
            manner,
            received: Mutex::default(),
            streams: Mutex::default(),
            asking: Mutex::default(),
            added: Mutex::default(),
        });
        let router = Router::new().fallback(take).with_state(Arc::clone(&state));
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/sse", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().clone()
    }

    /// The messages that were posted to where they belong.
    pub(crate) fn posted(&self) -> Vec<Received> {
        self.received().into_iter().filter(|received| received.uri.starts_with("/messages")).collect()
    }

    /// How many event streams are open.
    pub(crate) fn streams(&self) -> usize {
        self.state.streams.lock().values().filter(|stream| !stream.is_closed()).count()
    }

    /// Forgets all sessions, and leaves their streams open.
    pub(crate) fn forget(&self) -> Vec<mpsc::UnboundedSender<String>> {
        self.state.streams.lock().drain().map(|(_, stream)| stream).collect()
    }

    /// Adds a tool and announces that the list has changed.
    pub(crate) fn add_tool(&self) {
        *self.state.added.lock() = true;
        for stream in self.state.streams.lock().values() {
            say(stream, &json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        }
    }
}

async fn take(
    State(state): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let rpc_method = message["method"].as_str().unwrap_or_default().to_owned();
    let (uri, path) = (uri.to_string(), uri.path().to_owned());
    let received = Received { method: method.clone(), uri: uri.clone(), headers, message: rpc_method };
    state.received.lock().push(received);
    match (method, &*path) {
        (Method::GET, "/sse") => open(&state),
        (Method::POST, "/messages") => {
            let session = uri.split("session=").nth(1).unwrap_or_default();
            let stream = state.streams.lock().get(session).cloned();
            let Some(stream) = stream else {
                return (StatusCode::NOT_FOUND, "Could not find session").into_response();
            };
            hear(&state, session, &stream, &message);
            (StatusCode::ACCEPTED, "Accepted").into_response()
        }
        (Method::POST, "/sse") => {
            let (status, body) = state.manner.refusal;
            let kind = if body.starts_with('{') { "application/json" } else { "text/plain" };
            (StatusCode::from_u16(status).unwrap(), [(header::CONTENT_TYPE, kind)], body).into_response()
        }
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn open(state: &Shared) -> Response {
    let mut streams = state.streams.lock();
    let session = format!("session-{}", streams.len());
    let opening = state.manner.opening.replace("ID", &session).replace("HERE", &state.origin);
    let (sender, events) = mpsc::unbounded_channel();
    sender.send(opening).unwrap();
    if state.manner.stays {
        streams.insert(session, sender);
    }
    let events = stream::unfold(events, async |mut events| Some((events.recv().await?, events)));
    let body = Body::from_stream(events.map(|event| Ok::<_, Infallible>(Bytes::from(event))));
    ([(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")], body).into_response()
}

/// Processes a message; what there is to say goes to the stream.
fn hear(state: &Shared, session: &str, stream: &mpsc::UnboundedSender<String>, message: &Value) {
    let (id, params) = (&message["id"], &message["params"]);
    let answer = |result: Value| say(stream, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match (message["method"].as_str(), params["name"].as_str()) {
        (Some("initialize"), _) => answer(json!({
            "protocolVersion": REVISION, "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "old", "version": "1"},
        })),
        (Some("tools/list"), _) => {
            let names = ["echo", "progress", "ask", "hang", "close", "endless"].into_iter();
            let names = names.chain(state.added.lock().then_some("added"));
            answer(json!({"tools": names.map(|name| tool(name, "Old.")).collect::<Vec<_>>()}));
        }
        (Some("tools/call"), Some("progress")) => {
            let token = &params["_meta"]["progressToken"];
            for step in 1..=3 {
                let params = json!({"progressToken": token, "progress": step});
                say(stream, &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
            }
            answer(text("progress"));
        }
        (Some("tools/call"), Some("ask")) => {
            *state.asking.lock() = Some((session.to_owned(), id.clone()));
            let params = json!({"message": "Name?", "requestedSchema": {"type": "object", "properties": {}}});
            say(
                stream,
                &json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params}),
            );
        }
        (Some("tools/call"), Some("hang")) => {}
        (Some("tools/call"), Some("close")) => drop(state.streams.lock().remove(session)),
        (Some("tools/call"), Some("endless")) => {
            stream.send(format!("data: {}", "x".repeat(100_000))).unwrap();
        }
        (Some("tools/call"), Some(name)) => answer(text(name)),
        (None, _) => {
            if let Some((_, id)) = state.asking.lock().take() {
                let result = text(message["result"]["action"].as_str().unwrap_or_default());
                say(stream, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
        }
        _ => {}
    }
}

fn say(stream: &mpsc::UnboundedSender<String>, message: &Value) {
    let _gone = stream.send(format!("event: message\ndata: {message}\n\n"));
}
