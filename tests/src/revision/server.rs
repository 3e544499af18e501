//! The server: which request gets which response, and the event streams.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use super::{
    Revision, answers,
    checks::{Arrived, SESSION},
};
use crate::http::serve;

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// The event after which the answer of `resumed` is continued.
const CLOSED_AFTER: &str = "call-1";

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The HTTP method.
    pub method: Method,
    /// The headers.
    pub headers: HeaderMap,
    /// The message of a POST.
    pub message: Value,
}

/// A server of one revision, which lives as long as the test's runtime.
#[derive(Clone, Debug)]
pub struct RevisionServer {
    address: SocketAddr,
    state: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    revision: Revision,
    session: Mutex<Option<String>>,
    received: Mutex<Vec<Received>>,
    faults: Mutex<BTreeSet<String>>,
    /// Elicitations without an answer, by the ids of their requests.
    asked: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    /// The call whose stream was closed.
    closed: Mutex<Option<Value>>,
    /// How many tools were added. Its subscribers are the streams of unasked messages.
    added: watch::Sender<usize>,
}

impl RevisionServer {
    /// Starts a server of this revision; with sessions, where the revision has them.
    pub async fn start(revision: Revision) -> Self {
        Self::start_with(revision, revision.has_sessions().then_some("the-session")).await
    }

    /// Starts a server that gives out no session id, which every revision allows.
    pub async fn start_without_session_id(revision: Revision) -> Self {
        Self::start_with(revision, None).await
    }

    async fn start_with(revision: Revision, session: Option<&'static str>) -> Self {
        let state = Arc::new(Shared {
            revision,
            session: Mutex::new(session.map(str::to_owned)),
            received: Mutex::default(),
            faults: Mutex::default(),
            asked: Mutex::default(),
            closed: Mutex::default(),
            added: watch::Sender::default(),
        });
        let address = serve(Router::new().fallback(take).with_state(Arc::clone(&state))).await;
        Self { address, state }
    }

    /// Its endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What it received so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.state.received.lock().clone()
    }

    /// What the requests lacked so far, by the rules of its revision; each fault once.
    pub fn faults(&self) -> Vec<String> {
        self.state.faults.lock().iter().cloned().collect()
    }

    /// How many streams of unasked messages are open.
    pub fn listeners(&self) -> usize {
        self.state.added.receiver_count()
    }

    /// Forgets its session, as a server that was started again.
    pub fn forget_session(&self) {
        if let Some(session) = self.state.session.lock().as_mut() {
            session.push_str("-anew");
        }
    }

    /// Adds a tool and announces that the list has changed.
    pub fn add_tool(&self) {
        self.state.added.send_modify(|added| *added += 1);
    }
}

async fn take(
    State(state): State<Arc<Shared>>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let arrived = Arrived { method: &method, headers: &headers, message: &message };
    let is_probe = arrived.is_probe(state.revision);
    let session = state.session.lock().clone();
    if headers.get(SESSION).is_some_and(|named| session.as_deref().is_some_and(|own| named != own)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    if !is_probe {
        state.faults.lock().extend(arrived.faults(state.revision, session.as_deref()));
    }
    let last_event = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned);
    state.received.lock().push(Received { method: method.clone(), headers, message: message.clone() });
    match method {
        // As servers do that validate the header before they read the body; some name a session that it has nothing to do with.
        Method::POST if is_probe => {
            let error = answers::unknown_method(&message["id"]).to_string();
            let mut refusal = respond(StatusCode::BAD_REQUEST, JSON, error);
            refusal.headers_mut().insert(SESSION, "not-a-session".parse().unwrap());
            refusal
        }
        Method::POST if message["method"].is_null() => answered(&state, &message),
        // As the official Python servers do: with a content type, and without content.
        Method::POST if message["id"].is_null() => respond(StatusCode::ACCEPTED, JSON, String::new()),
        Method::POST => request(&state, &message),
        Method::GET if state.revision.has_sessions() => match last_event.as_deref() {
            Some(CLOSED_AFTER) => resume(&state),
            Some(_) => StatusCode::BAD_REQUEST.into_response(),
            None => listen(&state, &Value::Null),
        },
        Method::DELETE if session.is_some() => StatusCode::NO_CONTENT.into_response(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// A response to what the server asked.
fn answered(state: &Shared, message: &Value) -> Response {
    let asked = state.asked.lock().remove(message["id"].as_str().unwrap_or_default());
    match asked {
        Some(asked) => {
            let _gone = asked.send(message["result"].clone());
            StatusCode::ACCEPTED.into_response()
        }
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn request(state: &Arc<Shared>, message: &Value) -> Response {
    let id = &message["id"];
    let params = &message["params"];
    match (message["method"].as_str().unwrap_or_default(), params["name"].as_str().unwrap_or_default()) {
        ("subscriptions/listen", _) if !state.revision.has_sessions() => return listen(state, id),
        ("tools/call", "progress") => return report(state, message),
        ("tools/call", "resumed") if state.revision.has_sessions() => return close_early(state, message),
        ("tools/call", "ask") if state.revision.has_sessions() => return ask(state, id),
        _ => {}
    }
    let Some(result) = answers::result(state.revision, message, *state.added.borrow()) else {
        return respond(StatusCode::NOT_FOUND, JSON, answers::unknown_method(id).to_string());
    };
    let answer = answers::response(id, result);
    if message["method"] != "initialize" {
        return respond(StatusCode::OK, JSON, answer.to_string());
    }
    // Either form is allowed for every answer; official servers use this one for the handshake, too.
    let mut response = respond(StatusCode::OK, EVENTS, event(None, &answer));
    if let Some(session) = &*state.session.lock() {
        response.headers_mut().insert(SESSION, session.parse().unwrap());
    }
    response
}

/// Three steps of progress, and the result.
fn report(state: &Shared, message: &Value) -> Response {
    let steps = (1..=3).map(|step| event(None, &progress(message, step)));
    let result = answers::result(state.revision, message, 0).unwrap();
    let end = event(None, &answers::response(&message["id"], result));
    respond(StatusCode::OK, EVENTS, steps.chain([end]).collect::<String>())
}

/// The stream ends before its answer, after an event from which it can be resumed.
fn close_early(state: &Shared, message: &Value) -> Response {
    *state.closed.lock() = Some(message.clone());
    let first = event(Some(CLOSED_AFTER), &progress(message, 1));
    respond(StatusCode::OK, EVENTS, format!("retry: 20\n{first}"))
}

/// The rest of that stream.
fn resume(state: &Shared) -> Response {
    let Some(message) = state.closed.lock().take() else { return StatusCode::BAD_REQUEST.into_response() };
    let answer = answers::response(&message["id"], answers::text("resumed"));
    let rest = [event(Some("call-2"), &progress(&message, 2)), event(Some("call-3"), &answer)];
    respond(StatusCode::OK, EVENTS, rest.concat())
}

/// Asks the client on the stream of the answer, and answers once it has responded.
fn ask(state: &Shared, id: &Value) -> Response {
    let (answer, answered) = oneshot::channel();
    let mut asked = state.asked.lock();
    let question = format!("question-{id}");
    asked.insert(question.clone(), answer);
    drop(asked);
    let id = id.clone();
    let rest = async move {
        let elicited = answered.await.unwrap_or_default();
        event(None, &answers::response(&id, answers::greeting(&elicited)))
    };
    stream_of(stream::iter([event(None, &answers::elicitation(&question))]).chain(stream::once(rest)))
}

/// A stream of unasked messages: that of a session, or the one that this request opened.
fn listen(state: &Shared, id: &Value) -> Response {
    let subscription = match id {
        Value::Null => json!({}),
        id => json!({"_meta": {"io.modelcontextprotocol/subscriptionId": id}}),
    };
    let acknowledgement = (!id.is_null()).then(|| {
        let mut params = subscription.clone();
        params["notifications"] = json!({"toolsListChanged": true});
        event(None, &answers::notification("subscriptions/acknowledged", params))
    });
    let changed = event(None, &answers::notification("tools/list_changed", subscription));
    let changes = stream::unfold(state.added.subscribe(), move |mut added| {
        let changed = changed.clone();
        async move { added.changed().await.ok().map(|()| (changed, added)) }
    });
    // A comment, so that the response begins.
    let opening = acknowledgement.unwrap_or_else(|| ": open\n\n".to_owned());
    stream_of(stream::iter([opening]).chain(changes))
}

fn progress(message: &Value, step: u32) -> Value {
    let token = &message["params"]["_meta"]["progressToken"];
    answers::notification("progress", json!({"progressToken": token, "progress": step, "total": 3}))
}

fn event(id: Option<&str>, message: &Value) -> String {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("{id}event: message\ndata: {message}\n\n")
}

fn stream_of(events: impl Stream<Item = String> + Send + 'static) -> Response {
    let events = events.map(|event| Ok::<_, Infallible>(Bytes::from(event)));
    respond(StatusCode::OK, EVENTS, Body::from_stream(events))
}

fn respond(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, kind)], body.into()).into_response()
}
