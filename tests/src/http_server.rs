//! Servers over HTTP that tests write: what they receive is kept, and a function answers it.

use std::{
    convert::Infallible,
    future::pending,
    net::SocketAddr,
    ops::Deref,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt};
use parking_lot::Mutex;
use serde_json::Value;

use crate::http::serve;

/// The content type of a message.
pub const JSON: &str = "application/json";
/// The content type of a stream of events.
pub const EVENTS: &str = "text/event-stream";

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The HTTP method.
    pub method: Method,
    /// The target.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The message of a POST.
    pub message: Value,
    /// When it came.
    pub at: Instant,
}

impl Received {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    /// The method of the message; empty if it is no request.
    pub fn rpc_method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }
}

/// A server, which lives as long as the test's runtime. What is asked of its state is asked of it.
#[derive(Clone, Debug)]
pub struct HttpServer<S> {
    address: SocketAddr,
    state: Arc<S>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl<S: Send + Sync + 'static> HttpServer<S> {
    /// Starts one that answers by this function.
    pub async fn serving<F>(
        state: S,
        answer: impl Fn(Arc<S>, Received) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let (state, received) = (Arc::new(state), Arc::<Mutex<Vec<Received>>>::default());
        let (answering, journal) = (Arc::clone(&state), Arc::clone(&received));
        let take = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let message = serde_json::from_slice(&body).unwrap_or_default();
            let request = Received { method, uri, headers, body, message, at: Instant::now() };
            journal.lock().push(request.clone());
            answer(Arc::clone(&answering), request)
        };
        Self { address: serve(Router::new().fallback(take)).await, state, received }
    }

    /// The same on a thread of its own, for tests that block.
    pub fn apart<F>(state: S, answer: impl Fn(Arc<S>, Received) -> F + Clone + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let (started, server) = mpsc::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                started.send(Self::serving(state, answer).await).ok();
                pending::<()>().await;
            });
        });
        server.recv().unwrap()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL at this path.
    pub fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its endpoint.
    pub fn url(&self) -> String {
        self.at("/mcp")
    }

    /// What it received so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().clone()
    }
}

impl<S> Deref for HttpServer<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

/// An answer with this status, content type and body.
pub fn said(status: u16, kind: &str, body: impl Into<Body>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(header::CONTENT_TYPE, kind.to_owned())], body.into()).into_response()
}

/// An answer without a body.
pub fn status(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap().into_response()
}

/// The message as an answer.
pub fn reply(message: &Value) -> Response {
    said(200, JSON, message.to_string())
}

/// A stream of events as an answer.
pub fn stream_of(events: impl Stream<Item = String> + Send + 'static) -> Response {
    said(200, EVENTS, Body::from_stream(events.map(|event| Ok::<_, Infallible>(Bytes::from(event)))))
}

/// A message as an event, with an id if one is given.
pub fn event(id: Option<&str>, message: &Value) -> String {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("{id}event: message\ndata: {message}\n\n")
}
