//! Upstreams over Streamable HTTP, revisions with sessions: one POST a message, answers as JSON or as an
//! event stream, and one GET stream for what the upstream sends unasked.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::BytesMut;
use futures::StreamExt;
use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use sse_stream::SseStream;
use tokio::sync::mpsc;

use super::{CallError, Connection};
use crate::{dialect::Revision, wire::Message};

/// An answer may be so long.
const LONGEST_ANSWER: usize = 256 * 1024 * 1024;

/// How long to wait before the stream of unasked messages is opened again; doubled up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

const SESSION: &str = "mcp-session-id";

/// Carries messages until the connection is closed.
pub(super) fn open(url: Url, connection: &Arc<Connection>, outgoing: mpsc::UnboundedReceiver<Message>) {
    let connection = Arc::clone(connection);
    tokio::spawn(async move {
        let client = match client() {
            Ok(client) => client,
            Err(error) => return connection.end(&format!("no HTTP client could be made: {}", root(&error))),
        };
        let link =
            Arc::new(Link { client, url, session: Mutex::default(), connection: Arc::clone(&connection) });
        link.run(outgoing).await;
        connection.end("the connection was closed");
    });
}

fn client() -> reqwest::Result<Client> {
    // Somebody else in the process may have chosen a provider already, which is as good.
    let _already = rustls::crypto::ring::default_provider().install_default();
    Client::builder().tcp_nodelay(true).connect_timeout(Duration::from_secs(20)).build()
}

#[derive(Debug)]
struct Link {
    client: Client,
    url: Url,
    session: Mutex<Option<HeaderValue>>,
    connection: Arc<Connection>,
}

impl Link {
    async fn run(self: &Arc<Self>, mut outgoing: mpsc::UnboundedReceiver<Message>) {
        loop {
            let message = tokio::select! {
                message = outgoing.recv() => message,
                () = self.connection.closing().cancelled() => None,
            };
            let Some(message) = message else { break };
            let is_initialized =
                matches!(&message, Message::Notification(note) if note.method == "notifications/initialized");
            if is_initialized {
                // Requests must not overtake it.
                self.post(message).await;
                let link = Arc::clone(self);
                tokio::spawn(async move { link.listen().await });
            } else {
                let link = Arc::clone(self);
                tokio::spawn(async move { link.post(message).await });
            }
        }
        self.leave().await;
    }

    async fn post(&self, message: Message) {
        let id = match &message {
            Message::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let request = self
            .request(Method::POST)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.encode());
        let result = tokio::select! {
            result = self.exchange(request) => result,
            () = self.connection.closing().cancelled() => return,
        };
        let Some(id) = id else { return };
        let error = match result {
            // If its answer was among what came, nothing is pending under the id any more.
            Ok(()) => upstream_failed("the answer ended without the request's response"),
            Err(error) => error,
        };
        self.connection.fail(&id, error);
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<(), CallError> {
        let response = request.send().await.map_err(|error| ended(&error))?;
        let status = response.status();
        if let Some(session) = response.headers().get(SESSION) {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
        if status == StatusCode::NOT_FOUND && self.session().is_some() {
            self.connection.end("the upstream does not know our session any more (HTTP 404)");
        }
        let is_json = content_type(&response).starts_with("application/json");
        if !status.is_success() && !is_json {
            return Err(upstream_failed(&format!("it answered HTTP {status}")));
        }
        self.deliver(response).await
    }

    async fn deliver(&self, response: Response) -> Result<(), CallError> {
        let kind = content_type(&response);
        let status = response.status();
        if kind.starts_with("text/event-stream") {
            let mut events = SseStream::from_bytes_stream(response.bytes_stream());
            while let Some(event) = events.next().await {
                let event = event.map_err(|error| upstream_failed(&format!("its stream broke: {error}")))?;
                if let Some(data) = event.data.filter(|data| !data.trim().is_empty()) {
                    self.connection.receive(data.as_bytes());
                }
            }
        } else if kind.starts_with("application/json") {
            let mut body = BytesMut::new();
            let mut chunks = response.bytes_stream();
            while let Some(chunk) = chunks.next().await {
                body.extend_from_slice(&chunk.map_err(|error| ended(&error))?);
                if body.len() > LONGEST_ANSWER {
                    return Err(upstream_failed("its answer is too long"));
                }
            }
            self.connection.receive(&body);
            if !status.is_success() {
                let told = mcp_disclosure_core::brief::shorten(&String::from_utf8_lossy(&body), 200);
                return Err(upstream_failed(&format!("it answered HTTP {status}: {told}")));
            }
        }
        Ok(())
    }

    /// Keeps the stream of unasked messages open, for upstreams that have one.
    async fn listen(&self) {
        let mut wait = FIRST_WAIT;
        while !self.connection.closing().is_cancelled() && !self.connection.is_ended() {
            let request = self.request(Method::GET).header(ACCEPT, "text/event-stream");
            let opened = tokio::select! {
                opened = request.send() => opened,
                () = self.connection.closing().cancelled() => return,
            };
            match opened {
                Ok(response) if response.status().is_success() => {
                    wait = FIRST_WAIT;
                    tokio::select! {
                        _broken = self.deliver(response) => {}
                        () = self.connection.closing().cancelled() => return,
                    }
                }
                // It has none (405), or wants something else of us; asking again would not change that.
                Ok(response) if response.status().is_client_error() => return,
                _ => {}
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => wait = (wait * 2).min(LONGEST_WAIT),
                () = self.connection.closing().cancelled() => return,
            }
        }
    }

    async fn leave(&self) {
        if self.session().is_some() {
            let left = self.request(Method::DELETE).timeout(Duration::from_secs(2)).send().await;
            if let Err(error) = left {
                tracing::debug!(upstream = self.connection.name(), %error, "the session could not be ended");
            }
        }
    }

    fn request(&self, method: Method) -> RequestBuilder {
        let mut request = self.client.request(method, self.url.clone());
        if let Some(session) = self.session() {
            request = request
                .header(SESSION, session)
                .header("mcp-protocol-version", Revision::LATEST_WITH_SESSIONS.to_string());
        }
        request
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

fn upstream_failed(reason: &str) -> CallError {
    CallError::Ended { reason: reason.to_owned() }
}

fn ended(error: &reqwest::Error) -> CallError {
    CallError::Ended { reason: format!("it cannot be reached: {}", root(error)) }
}

/// The innermost reason, which is the one a person can act on.
fn root(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
