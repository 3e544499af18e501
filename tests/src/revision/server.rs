//! The server: which request gets which response, and the event streams.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use axum::{
    http::Method,
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use super::{Revision, answers, checks::SESSION};
use crate::{
    HttpServer,
    http_server::{EVENTS, JSON, Received, event, reply, said, status, stream_of},
    messages::{failure, notification, response},
};

/// A server of one revision.
pub type RevisionServer = HttpServer<State>;

/// What a server knows.
#[derive(Debug)]
pub struct State {
    revision: Revision,
    session: Mutex<Option<String>>,
    faults: Mutex<BTreeSet<String>>,
    /// Elicitations without an answer, by the ids of their requests.
    asked: Mutex<HashMap<String, oneshot::Sender<Value>>>,
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

    async fn start_with(revision: Revision, session: Option<&str>) -> Self {
        let state = State {
            revision,
            session: Mutex::new(session.map(str::to_owned)),
            faults: Mutex::default(),
            asked: Mutex::default(),
            added: watch::Sender::default(),
        };
        Self::serving(state, take).await
    }
}

impl State {
    /// What the requests lacked so far, by the rules of its revision; each fault once.
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().iter().cloned().collect()
    }

    /// How many streams of unasked messages are open.
    pub fn listeners(&self) -> usize {
        self.added.receiver_count()
    }

    /// Forgets its session, as a server that was started again.
    pub fn forget_session(&self) {
        if let Some(session) = self.session.lock().as_mut() {
            session.push_str("-anew");
        }
    }

    /// Adds a tool and announces that the list has changed.
    pub fn add_tool(&self) {
        self.added.send_modify(|added| *added += 1);
    }
}

async fn take(state: Arc<State>, request: Received) -> Response {
    let is_probe = request.is_probe(state.revision);
    let session = state.session.lock().clone();
    if request.header(SESSION).is_some_and(|named| session.as_deref().is_some_and(|own| named != own)) {
        return status(404);
    }
    if !is_probe {
        state.faults.lock().extend(request.faults(state.revision, session.as_deref()));
    }
    let message = &request.message;
    match request.method {
        // As servers do that validate the header before they read the body; some name a session that it has nothing to do with.
        Method::POST if is_probe => {
            let refusal = said(400, JSON, failure(&message["id"], -32601, "Method not found").to_string());
            ([(SESSION, "not-a-session")], refusal).into_response()
        }
        Method::POST if message["method"].is_null() => answered(&state, message),
        // As the official Python servers do: with a content type, and without content.
        Method::POST if message["id"].is_null() => said(202, JSON, String::new()),
        Method::POST => answer(&state, &request),
        Method::GET if state.revision.has_sessions() => listen(&state, &Value::Null),
        Method::DELETE if session.is_some() => status(204),
        _ => status(405),
    }
}

/// A response to what the server asked.
fn answered(state: &State, message: &Value) -> Response {
    let asked = state.asked.lock().remove(message["id"].as_str().unwrap_or_default());
    let is_taken = asked.is_some_and(|asked| asked.send(message["result"].clone()).is_ok());
    status(if is_taken { 202 } else { 400 })
}

fn answer(state: &State, request: &Received) -> Response {
    let message = &request.message;
    let (id, tool) = (&message["id"], message["params"]["name"].as_str().unwrap_or_default());
    match (request.rpc_method(), tool) {
        ("subscriptions/listen", _) if !state.revision.has_sessions() => return listen(state, id),
        ("tools/call", "progress") => return report(state, message),
        ("tools/call", "ask") if state.revision.has_sessions() => return ask(state, id),
        _ => {}
    }
    let Some(result) = answers::result(state.revision, message, *state.added.borrow()) else {
        return said(404, JSON, failure(id, -32601, "Method not found").to_string());
    };
    let answer = response(id, result);
    if request.rpc_method() != "initialize" {
        return reply(&answer);
    }
    // Either form is allowed for every answer; official servers use this one for the handshake, too.
    let opened = said(200, EVENTS, event(None, &answer));
    match &*state.session.lock() {
        Some(session) => ([(SESSION, session.clone())], opened).into_response(),
        None => opened,
    }
}

/// Three steps of progress, and the result.
fn report(state: &State, message: &Value) -> Response {
    let token = &message["params"]["_meta"]["progressToken"];
    let step =
        |step: u32| notification("progress", json!({"progressToken": token, "progress": step, "total": 3}));
    let steps = (1..=3).map(|number| event(None, &step(number)));
    let result = answers::result(state.revision, message, 0).unwrap();
    let end = event(None, &response(&message["id"], result));
    said(200, EVENTS, steps.chain([end]).collect::<String>())
}

/// Asks the client on the stream of the answer, and answers once it has responded.
fn ask(state: &State, id: &Value) -> Response {
    let (answer, answered) = oneshot::channel();
    let question = format!("question-{id}");
    state.asked.lock().insert(question.clone(), answer);
    let id = id.clone();
    let rest = async move {
        let elicited = answered.await.unwrap_or_default();
        event(None, &response(&id, answers::greeting(&elicited)))
    };
    stream_of(stream::iter([event(None, &answers::elicitation(&question))]).chain(stream::once(rest)))
}

/// A stream of unasked messages: that of a session, or the one that this request opened.
fn listen(state: &State, id: &Value) -> Response {
    let subscription = match id {
        Value::Null => json!({}),
        id => json!({"_meta": {"io.modelcontextprotocol/subscriptionId": id}}),
    };
    let acknowledgement = (!id.is_null()).then(|| {
        let mut params = subscription.clone();
        params["notifications"] = json!({"toolsListChanged": true});
        event(None, &notification("subscriptions/acknowledged", params))
    });
    let changed = event(None, &notification("tools/list_changed", subscription));
    let changes = stream::unfold(state.added.subscribe(), move |mut added| {
        let changed = changed.clone();
        async move { added.changed().await.ok().map(|()| (changed, added)) }
    });
    // A comment, so that the response begins.
    let opening = acknowledgement.unwrap_or_else(|| ": open\n\n".to_owned());
    stream_of(stream::iter([opening]).chain(changes))
}
