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
use parking_lot::Mutex;
use tokio::time::timeout;

use super::connections::{Connection, Phase};

/// How long reading goes on after the response. Closing with unread bytes would reset the connection, and a proxy would
/// lose the response.
const LINGERING: Duration = Duration::from_secs(5);

/// A request's body. Clones share it: an application reads one, and what it leaves is there in the other.
#[derive(Clone)]
pub(super) struct Received {
    /// `None` once it was read.
    body: Arc<Mutex<Option<Incoming>>>,
    connection: Arc<Connection>,
}

impl Received {
    /// What is received on this connection.
    pub(super) fn new(body: Incoming, connection: &Arc<Connection>) -> Self {
        if body.is_end_stream() {
            connection.enter_after(Phase::Body, Phase::Busy);
        }
        Self { body: Arc::new(Mutex::new(Some(body))), connection: Arc::clone(connection) }
    }

    /// Reads what is left beside the response, and forgets it; `false` if nothing is. hyper keeps the connection open as long as the
    /// body is read.
    pub(super) fn linger(&self) -> bool {
        let left = self.body.lock().take().filter(|body| !body.is_end_stream());
        let Some(mut rest) = left else { return false };
        let reading = async move { while let Some(Ok(_)) = rest.frame().await {} };
        tokio::spawn(timeout(LINGERING, reading));
        self.connection.enter_after(Phase::Body, Phase::Busy);
        true
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut body = self.body.lock();
        let Some(receiving) = body.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(receiving).poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) {
            *body = None;
            self.connection.enter_after(Phase::Body, Phase::Busy);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.lock().as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.lock().as_ref().map_or_else(SizeHint::default, Incoming::size_hint)
    }
}
