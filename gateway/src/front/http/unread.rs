//! Requests that are answered before their body was read, such as those that are not admitted.
//!
//! hyper closes the connection of such a request without `Connection: close` in the response, so that the client's next request
//! on it can be lost; and a client that is still sending can lose the response. So the response announces the close, and reading
//! continues for [`LINGERING`] at most.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{sync::oneshot, time::timeout};

use super::connections::{Connection, Phase};

/// How long reading goes on after the response. Closing with unread bytes would reset the connection, and a proxy would
/// lose the response.
const LINGERING: Duration = Duration::from_secs(5);

/// A request's body, which is handed over if it is dropped before its end.
pub(super) struct Received {
    /// `None` once it was read.
    body: Option<Incoming>,
    rest: Option<oneshot::Sender<Incoming>>,
    connection: Arc<Connection>,
}

/// A body as an application reads it, and what receives the rest of it, at the latest when the request is dropped.
pub(super) fn watched(
    body: Incoming,
    connection: &Arc<Connection>,
) -> (Received, oneshot::Receiver<Incoming>) {
    let (left, rest) = oneshot::channel();
    if body.is_end_stream() {
        connection.enter_after(Phase::Body, Phase::Busy);
    }
    (Received { body: Some(body), rest: Some(left), connection: Arc::clone(connection) }, rest)
}

/// Reads the rest of a body beside the response, and forgets it. hyper keeps the connection open as long as the body is read.
pub(super) fn linger(mut rest: Incoming) {
    let reading = async move { while let Some(Ok(_)) = rest.frame().await {} };
    tokio::spawn(timeout(LINGERING, reading));
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = self.body.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) {
            self.body = None;
            self.connection.enter_after(Phase::Body, Phase::Busy);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Incoming::size_hint)
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        if let (false, Some(body), Some(rest)) = (self.is_end_stream(), self.body.take(), self.rest.take()) {
            // A connection that is gone waits for nothing.
            let _gone = rest.send(body);
        }
    }
}
