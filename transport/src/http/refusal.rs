//! Responses with an error status: answers to the request, or something about the session or the endpoint.

use std::{sync::Arc, time::Duration};

use futures::FutureExt;
use mcp_disclosure_core::brief::shorten;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{
    Link, StreamPosition,
    exchange::{EVENT_STREAM, accepting_both, content_type, read_body},
};
use crate::{Bound, HttpError, Message, RequestId, connection::LOST_SESSION};

/// Maximum size of an error response: it is read for an error object and for the log.
pub(super) const ERROR_BODY: Bound = Bound { most: 1024 * 1024, setting: "" };

/// When a session is lost, its other requests may take this long to be refused, too: those that are refused can
/// be sent again in the next session.
const ALSO_REFUSED: Duration = Duration::from_secs(1);

/// Asks whether the session is there. The id is of no request.
const PING: &str = r#"{"jsonrpc":"2.0","id":"is-the-session-there","method":"ping"}"#;
const PING_ID: &str = "is-the-session-there";
/// A server that does not answer in time has not said that it lost the session.
const PING_TIMEOUT: Duration = Duration::from_secs(5);

impl Link {
    /// Handles the refusal of a message. Some servers send the response to a request with an error status. Otherwise it may
    /// mean that the server does not serve Streamable HTTP, or that it no longer knows the session; else an error without an
    /// id is about the request. `posting` says for as long as it is read that there is no response yet.
    pub(super) async fn refused(
        self: &Arc<Self>,
        response: Response,
        about: Option<RequestId>,
        in_session: bool,
        position: &mut StreamPosition,
        posting: TaskTrackerToken,
    ) -> HttpError {
        let (status, bounds) = (response.status(), self.connection.bounds());
        let is_stream = content_type(&response).starts_with(EVENT_STREAM);
        let (mut is_answered, mut shown, mut message) = (false, String::new(), None);
        if is_stream {
            let answered = about.map(|id| self.connection.settled(id));
            let receive = |data: &str| self.connection.receive(data.as_bytes(), about);
            let _broken = position.read(response, bounds.message_bytes, receive).await;
            is_answered = answered.is_some_and(|answered| answered.now_or_never() == Some(true));
        } else {
            let body = read_body(response, ERROR_BODY).await.unwrap_or_default();
            shown = shorten(String::from_utf8_lossy(&body).trim(), 200);
            match Message::parse(&body, bounds.message_depth) {
                Ok(response) if answers(&response, about) => {
                    self.connection.receive(&body, about);
                    is_answered = true;
                }
                Ok(_) => message = Some(body),
                Err(_) => {}
            }
        }
        let error = HttpError::Status { status, body: shown };
        let is_lost = in_session && !is_answered && self.has_lost_session(&error).await;
        if let Some(id) = about.filter(|_| is_lost && !is_stream) {
            self.connection.note_refused(id);
        }
        drop(posting);
        if is_answered {
            return error;
        }
        if is_lost {
            self.end_session().await;
            return error;
        }
        if in_session && !is_stream && self.may_turn_out_sse() && error.is_unknown_endpoint() {
            match self.messages().await {
                // The caller posts the message again, to this URL.
                Ok(_) => return error,
                Err(bad @ HttpError::UnusableEndpoint(_)) => return bad,
                Err(other) => {
                    let (upstream, reason) = (self.connection.name(), other.in_full());
                    tracing::debug!(upstream, reason, "the server does not serve HTTP+SSE either");
                }
            }
        }
        if let Some(message) = message {
            self.connection.receive(&message, about);
        }
        error
    }

    /// Whether this refusal means that the server no longer knows the session. 404 says so. Some servers answer 400, which
    /// may also be about the message alone: then they answer a ping.
    pub(super) async fn has_lost_session(&self, error: &HttpError) -> bool {
        let HttpError::Status { status, .. } = error else { return false };
        match *status {
            StatusCode::NOT_FOUND => self.session().is_some() || self.messages.initialized(),
            StatusCode::BAD_REQUEST if self.session().is_some() => {
                let ping = accepting_both(self.in_session(Method::POST)).body(PING);
                let asked = tokio::time::timeout(PING_TIMEOUT, self.is_refused(ping));
                asked.await.unwrap_or(false)
            }
            _ => false,
        }
    }

    /// Whether the session of a ping is refused, and not the ping: that has an answer, with any status.
    async fn is_refused(&self, ping: RequestBuilder) -> bool {
        let Ok(response) = self.execute(ping).await else { return false };
        match response.status() {
            StatusCode::NOT_FOUND => true,
            StatusCode::BAD_REQUEST => {
                let body = read_body(response, ERROR_BODY).await.unwrap_or_default();
                !String::from_utf8_lossy(&body).contains(PING_ID)
            }
            _ => false,
        }
    }

    /// Ends the connection because the server no longer knows the session.
    pub(super) async fn end_session(&self) {
        self.posting.close();
        let _in_time = tokio::time::timeout(ALSO_REFUSED, self.posting.wait()).await;
        self.connection.end(LOST_SESSION);
    }
}

/// Whether a message is the response to this request, by its id.
fn answers(message: &Message, request: Option<RequestId>) -> bool {
    let Message::Response(response) = message else { return false };
    let id = response.id.as_ref().and_then(RequestId::of);
    id.is_some() && id == request
}
