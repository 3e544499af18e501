//! Requests that are answered before their body was read, such as those that are not admitted.
//!
//! hyper closes the connection of such a request without `Connection: close` in the response, so that the client's next request
//! on it can be lost; and a client that is still sending can lose the response. So the rest of the body is read first. If it does
//! not arrive soon, the response announces the close, and reading continues for [`LINGERING`] at most.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::Bytes,
    http::{HeaderMap, header},
};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{sync::oneshot, time::timeout};

use super::connections::Connection;

/// How long the response waits for the rest of a body. Most clients send it with the head.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long reading goes on after the response. Closing with unread bytes would reset the connection, and a proxy would
/// lose the response.
const LINGERING: Duration = Duration::from_secs(5);

/// A request's body, which is handed over if it is dropped before its end.
pub(super) struct Received {
    /// `None` once it was read.
    body: Option<Incoming>,
    /// Whether the client sends it: without `Expect`, or once it was asked for; not where it broke off.
    is_coming: bool,
    rest: Option<oneshot::Sender<Rest>>,
    connection: Arc<Connection>,
}

/// What was not read of a body.
pub(super) struct Rest {
    body: Incoming,
    is_coming: bool,
}

/// A body as an application reads it, and what receives the rest of it, at the latest when the request is dropped.
pub(super) fn watched(
    body: Incoming,
    headers: &HeaderMap,
    connection: &Arc<Connection>,
) -> (Received, oneshot::Receiver<Rest>) {
    let (left, rest) = oneshot::channel();
    let is_coming = !headers.contains_key(header::EXPECT);
    if body.is_end_stream() {
        connection.note_body();
    }
    let received =
        Received { body: Some(body), is_coming, rest: Some(left), connection: Arc::clone(connection) };
    (received, rest)
}

impl Rest {
    /// Reads at most this many bytes, and forgets them. Returns whether the body ended, so that another request may follow.
    pub(super) async fn ends_within(&mut self, most: usize) -> bool {
        let mut read = 0_usize;
        let ended = async {
            while read <= most {
                match self.body.frame().await {
                    Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
                    Some(Err(_)) => return false,
                    None => return true,
                }
            }
            false
        };
        self.is_coming && timeout(PATIENCE, ended).await.unwrap_or(false)
    }

    /// Reads on, beside the response. hyper keeps the connection open as long as the body is read.
    pub(super) fn linger(mut self) {
        let reading = async move { while let Some(Ok(_)) = self.body.frame().await {} };
        tokio::spawn(timeout(LINGERING, reading));
    }
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
        self.is_coming = !matches!(polled, Poll::Ready(Some(Err(_))));
        if matches!(polled, Poll::Ready(None)) {
            self.body = None;
            self.connection.note_body();
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
            let _gone = rest.send(Rest { body, is_coming: self.is_coming });
        }
    }
}
