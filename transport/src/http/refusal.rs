//! Responses with an error status: answers to the request, or something about the session or the endpoint.

use std::{sync::Arc, time::Duration};

use bytes::BytesMut;
use futures::FutureExt;
use mcp_disclosure_core::brief::shorten;
use reqwest::Response;

use super::{
    Link, StreamPosition,
    exchange::{EVENT_STREAM, content_type, read_body},
};
use crate::{Bound, Connection, HttpError, Message, RequestId};

/// Maximum size of an error response: it is read for an error object and for the log.
pub(super) const ERROR_BODY: Bound = Bound { most: 1024 * 1024, setting: "" };

/// When a session is lost, its other requests may take this long to be refused, too: those that are refused can
/// be sent again in the next session.
const ALSO_REFUSED: Duration = Duration::from_secs(1);

/// A response with an error status.
pub(super) struct Refusal {
    error: HttpError,
    content: Content,
}

enum Content {
    /// The response to the request, which has been delivered: some servers send JSON-RPC errors with error
    /// statuses.
    Answer,
    /// A message without the request's id.
    Message(BytesMut),
    /// An event stream, whose messages were delivered.
    Events,
    /// Nothing of JSON-RPC.
    Other,
}

impl Refusal {
    /// Reads the response to this request.
    pub(super) async fn read(
        response: Response,
        about: Option<RequestId>,
        connection: &Arc<Connection>,
        position: &mut StreamPosition,
    ) -> Self {
        let status = response.status();
        let bounds = connection.bounds();
        if content_type(&response).starts_with(EVENT_STREAM) {
            let answered = about.map(|id| connection.settled(id));
            let receive = |data: &str| connection.receive(data.as_bytes(), about);
            let _broken = position.read(response, bounds.message_bytes, receive).await;
            let is_answer = answered.is_some_and(|answered| answered.now_or_never() == Some(true));
            let content = if is_answer { Content::Answer } else { Content::Events };
            return Self { error: HttpError::Status { status, body: String::new() }, content };
        }
        let body = read_body(response, ERROR_BODY).await.unwrap_or_default();
        let shown = shorten(String::from_utf8_lossy(&body).trim(), 200);
        let content = match Message::parse(&body, bounds.message_depth) {
            Ok(message) if answers(&message, about) => {
                connection.receive(&body, about);
                Content::Answer
            }
            Ok(_) => Content::Message(body),
            Err(_) => Content::Other,
        };
        Self { error: HttpError::Status { status, body: shown }, content }
    }
}

/// Whether a message is the response to this request, by its id.
fn answers(message: &Message, request: Option<RequestId>) -> bool {
    let Message::Response(response) = message else { return false };
    let id = response.id.as_ref().and_then(RequestId::of);
    id.is_some() && id == request
}

impl Link {
    /// Handles a refusal of a message. It may mean that the server does not serve Streamable HTTP, or that it no
    /// longer knows the session; otherwise an error without an id is about the request.
    pub(super) async fn refused(
        self: &Arc<Self>,
        refusal: Refusal,
        about: Option<RequestId>,
        in_session: bool,
    ) -> HttpError {
        let Refusal { error, content } = refusal;
        let has_session = self.session().is_some() || self.messages.initialized();
        match content {
            Content::Answer => {}
            Content::Message(_) | Content::Other | Content::Events
                if in_session && has_session && error.is_not_found() =>
            {
                if let Some(id) = about.filter(|_| !matches!(content, Content::Events)) {
                    self.connection.note_refused(id);
                }
                self.end_session().await;
            }
            Content::Message(_) | Content::Other
                if in_session && self.may_turn_out_sse() && error.is_unknown_endpoint() =>
            {
                match self.messages().await {
                    // The caller posts the message again, to this URL.
                    Ok(_) => {}
                    Err(bad @ HttpError::UnusableEndpoint(_)) => return bad,
                    Err(other) => {
                        let (upstream, reason) = (self.connection.name(), other.in_full());
                        tracing::debug!(upstream, reason, "the server does not serve HTTP+SSE either");
                        self.deliver(&content, about);
                    }
                }
            }
            content => self.deliver(&content, about),
        }
        error
    }

    fn deliver(&self, content: &Content, about: Option<RequestId>) {
        if let Content::Message(body) = content {
            self.connection.receive(body, about);
        }
    }

    /// Ends the connection because the server no longer knows the session.
    pub(super) async fn end_session(&self) {
        self.posting.close();
        let _in_time = tokio::time::timeout(ALSO_REFUSED, self.posting.wait()).await;
        self.connection.lose_session();
    }
}
