//! The handler of a connection: processes the peer's requests and notifications.

use std::fmt;

use futures::future::BoxFuture;
use mcp_disclosure_core::RawObject;

use crate::{ErrorText, Json, Notification, Request, RequestId};

/// The owner of a connection.
///
/// Methods are called by the reader, in the order of the messages, so they must return quickly. No lock of
/// the connection is held during a call.
pub trait Handler: Send + Sync + fmt::Debug + 'static {
    /// The peer's name, for logs.
    fn name(&self) -> String;

    /// Handles a request from the peer; `None` if its method is not supported. The connection itself answers
    /// `ping`, and drops the future if the peer cancels the request.
    fn handle_request(&self, _request: &Request) -> Option<BoxFuture<'static, Result<Json, ErrorText>>> {
        None
    }

    /// Handles a notification. `about` is the request on whose stream it arrived, if the transport has such
    /// streams. Progress and cancellation are handled separately.
    fn handle_notification(&self, _notification: Notification, _about: Option<RequestId>) {}

    /// Handles the parameters of a progress notification for a request, which may have been answered: by a task that goes on.
    fn handle_progress(&self, _request: RequestId, _params: &RawObject) {}

    /// Called when notifications may have been missed, so that the peer's lists may have changed.
    fn lists_may_have_changed(&self) {}

    /// Called once when a request is settled, before its caller gets the result, and again for a late
    /// response.
    fn settled(&self, _request: RequestId, _how: Settled) {}

    /// Whether to restart the time-out of a request that timed out, because the peer itself waits for the
    /// owner.
    fn extends_timeouts(&self) -> bool {
        false
    }

    /// Called for each message sent or received, in order.
    fn observe(&self, _message: &Passage<'_>) {}
}

/// How a request was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It was answered.
    Answered,
    /// The peer has not processed it: it was never sent, or refused together with its session.
    Unsent,
    /// It was abandoned; the peer may still work on it.
    GivenUp,
    /// It was answered after it was abandoned.
    Late,
}

/// A message that is sent or received.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// Who sent it.
    pub direction: Direction,
    /// The kind of message.
    pub kind: PassageKind,
    /// Its method; for a response that of the request, or empty if no request with the id is pending.
    pub method: &'a str,
    /// The whole message, in UTF-8.
    pub text: &'a [u8],
}

impl<'a> Passage<'a> {
    /// The whole message.
    pub fn as_str(&self) -> &'a str {
        std::str::from_utf8(self.text).unwrap_or_default()
    }
}

/// The direction of a message, as the owner of the connection sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the peer.
    Sent,
    /// From the peer.
    Received,
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageKind {
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response: a result or an error.
    Answer,
}
