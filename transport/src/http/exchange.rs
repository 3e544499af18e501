//! HTTP exchanges: one request and its response, over as many connections as needed.

use std::sync::Arc;

use mcp_disclosure_core::brief::shorten;
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use tokio::time::Instant;

use super::{Backoff, EndpointKind, LINGER, Link, StreamPosition, body, refusal::ERROR_BODY};
use crate::{Bound, Connection, HttpError, Reason, RequestId, connection::Headers, headers};

const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

impl Link {
    /// Sends a request and processes the response. In a session, a response stream that the server closes
    /// after an event id is resumed until the request is settled.
    pub(super) async fn converse(
        self: &Arc<Self>,
        id: RequestId,
        text: Vec<u8>,
        headers: Option<Headers>,
    ) -> Result<(), HttpError> {
        let mut position = StreamPosition::default();
        if let Some(headers) = headers {
            let bare = self.bare(Method::POST);
            let request = headers.iter().fold(bare, |request, (name, value)| request.header(name, value));
            return self.post(request, text, Some(id), false, &mut position).await;
        }
        let is_list = self.connection.is_list(id);
        if self.endpoint.kind == EndpointKind::Sse {
            self.messages().await?;
        }
        let spare = self.may_turn_out_sse().then(|| text.clone());
        let posted = self.post(self.in_session(Method::POST), text, Some(id), true, &mut position).await;
        let mut exchanged = match spare.filter(|_| self.messages.initialized()) {
            Some(text) => self.post(self.in_session(Method::POST), text, Some(id), true, &mut position).await,
            None => posted,
        };
        if exchanged.is_ok() && self.messages.initialized() {
            // The response arrives on the one event stream, or the connection ends.
            self.connection.settled(id).await;
            return Ok(());
        }
        let mut backoff = self.backoff();
        let (mut resumed, mut lists_again) = (0_usize, None);
        while position.can_be_resumed() {
            tokio::select! {
                biased;
                _answered = self.connection.settled(id) => return Ok(()),
                () = tokio::time::sleep(backoff.next(position.retry())) => {}
            }
            exchanged = match self.open_stream(&position).await {
                Ok(response) => {
                    backoff.reset();
                    resumed += 1;
                    // At the end of an exchange whose GET stream was down: what the server said meanwhile may be lost. Once, since
                    // servers that are polled close their streams often; and not for requests of lists, which would not end.
                    if resumed > 1 && !is_list {
                        lists_again
                            .get_or_insert_with(|| scopeguard::guard(&self.connection, read_lists_again));
                    }
                    self.read_events(response, Some(id), &mut position).await
                }
                Err(error) if error.is_transient() && !backoff.is_exhausted() => continue,
                Err(error) => {
                    let kind = format!("closed its response stream, which cannot be resumed: it {error}");
                    return Err(HttpError::Other(Reason::new(kind).because(error.detail())));
                }
            };
        }
        exchanged
    }

    /// Posts a message and processes the response. `about` is the request in it.
    pub(super) async fn post(
        self: &Arc<Self>,
        request: RequestBuilder,
        text: Vec<u8>,
        about: Option<RequestId>,
        in_session: bool,
        position: &mut StreamPosition,
    ) -> Result<(), HttpError> {
        let posting = self.posting.token();
        let response = self.execute(accepting_both(request).body(text)).await?;
        let status = response.status();
        // Some servers send a session id with an error, or in response to a stateless request; those are
        // ignored.
        let session = response.headers().get(headers::SESSION).filter(|_| in_session && status.is_success());
        if let Some(session) = session {
            *self.session.lock() = Some(session.clone());
        }
        if !status.is_success() {
            return Err(self.refused(response, about, in_session, position, posting).await);
        }
        match content_type(&response) {
            // By HTTP+SSE the response to a message is on the event stream; this one only acknowledges it.
            _ if self.messages.initialized() => {
                // Read only so that its connection can be used again.
                let _unused = tokio::time::timeout(LINGER, read_body(response, ERROR_BODY)).await;
                Ok(())
            }
            kind if kind.starts_with(EVENT_STREAM) => {
                drop(posting);
                self.read_events(response, about, position).await
            }
            kind if kind.starts_with(JSON) => {
                let body = read_body(response, self.connection.bounds().message_bytes).await?;
                // Some servers acknowledge a message by 202 with this content type, and no content.
                if about.is_some() || !body.trim_ascii().is_empty() {
                    self.connection.receive(&body, about);
                }
                Ok(())
            }
            kind if about.is_some() && !kind.is_empty() => {
                Err(of_type(status, &kind, "JSON or an event stream"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the server may turn out to serve HTTP+SSE: nothing but `initialize` was sent in a session.
    pub(super) fn may_turn_out_sse(&self) -> bool {
        self.endpoint.kind == EndpointKind::Detect
            && !self.messages.initialized()
            && self.connection.revision().is_none()
    }

    async fn read_events(
        &self,
        response: Response,
        about: Option<RequestId>,
        position: &mut StreamPosition,
    ) -> Result<(), HttpError> {
        let receive = |data: &str| self.connection.receive(data.as_bytes(), about);
        position.read(response, self.connection.bounds().message_bytes, receive).await
    }

    /// Keeps the general GET stream open, if the server has one.
    pub(super) async fn follow(&self) {
        let (mut position, mut backoff) = (StreamPosition::default(), self.backoff());
        let (mut was_open, mut was_down) = (false, false);
        while !self.connection.is_ended() {
            match self.open_stream(&position).await {
                Ok(response) => {
                    if was_down {
                        self.connection.handler.lists_may_have_changed();
                    }
                    was_open = true;
                    let opened = Instant::now();
                    let _broken = self.read_events(response, None, &mut position).await;
                    let resume_wait = self.connection.bounds().resume_wait;
                    // A stream closed without any event counts as a failed attempt.
                    if position.has_delivered() || opened.elapsed() > resume_wait {
                        backoff.reset();
                    }
                }
                Err(error) if error.is_transient() => {}
                // A server that had the stream has lost the session; others answer like that to any GET.
                Err(error) => {
                    if was_open && self.has_lost_session(&error).await {
                        return self.end_session().await;
                    }
                    // It may have forgotten the event.
                    if position.can_be_resumed() {
                        position.forget();
                    } else {
                        if was_open {
                            self.connection.handler.lists_may_have_changed();
                        }
                        return;
                    }
                }
            }
            was_down = true;
            tokio::time::sleep(backoff.next(position.retry())).await;
        }
    }

    /// Opens an event stream by GET: resumed at this position, or the general one.
    pub(super) async fn open_stream(&self, position: &StreamPosition) -> Result<Response, HttpError> {
        let request = self.in_session(Method::GET).header(ACCEPT, EVENT_STREAM);
        let response = self.execute(position.resuming(request)).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(HttpError::Status { status, body: String::new() });
        }
        let content_type = content_type(&response);
        match content_type.starts_with(EVENT_STREAM) {
            true => Ok(response),
            false => Err(of_type(status, &content_type, "an event stream")),
        }
    }

    fn backoff(&self) -> Backoff {
        Backoff::up_to(self.connection.bounds().resume_wait)
    }
}

fn read_lists_again(connection: &Arc<Connection>) {
    if !connection.is_ended() {
        connection.handler.lists_may_have_changed();
    }
}

/// A POST of a message, whose response may be JSON or events.
pub(super) fn accepting_both(request: RequestBuilder) -> RequestBuilder {
    request.header(CONTENT_TYPE, JSON).header(ACCEPT, "application/json, text/event-stream")
}

/// A response that is neither of what was expected, such as a web page.
fn of_type(status: StatusCode, content_type: &str, expected: &str) -> HttpError {
    let content_type = shorten(content_type, 60);
    let kind = format!("answered HTTP {status} with content type '{content_type}' instead of {expected}");
    HttpError::Other(Reason::new(kind))
}

pub(super) fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_ascii_lowercase()
}

pub(super) async fn read_body(response: Response, bound: Bound) -> Result<Vec<u8>, HttpError> {
    let read = body(response, bound.most).await.map_err(|error| HttpError::from(&error))?;
    read.ok_or_else(|| HttpError::too_long(bound))
}
