//! Event streams.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures::stream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A comment is sent after so long without an event, so that nobody between closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Something that must live as long as the stream: dropping it stops the work behind it.
pub(super) type Held = Box<dyn Send + Sync>;

/// A stream of messages: `first`, then what comes, until the channel closes or the gateway shuts down.
pub(super) fn events(
    first: Option<Vec<u8>>,
    messages: mpsc::Receiver<Vec<u8>>,
    shutdown: CancellationToken,
    held: Option<Held>,
) -> Response {
    let state = (first, messages, shutdown, held);
    let events = stream::unfold(state, |(mut first, mut messages, shutdown, held)| async move {
        let event = match first.take() {
            Some(message) => Some(framed(&message)),
            None => next(&mut messages, &shutdown).await,
        };
        event.map(|event| (Ok::<_, std::convert::Infallible>(event), (None, messages, shutdown, held)))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

async fn next(messages: &mut mpsc::Receiver<Vec<u8>>, shutdown: &CancellationToken) -> Option<Bytes> {
    tokio::select! {
        biased;
        message = messages.recv() => message.map(|message| framed(&message)),
        () = shutdown.cancelled() => {
            // What still waits, a farewell among it, goes out first.
            let last = tokio::time::timeout(Duration::from_millis(100), messages.recv()).await;
            last.ok().flatten().map(|message| framed(&message))
        }
        () = tokio::time::sleep(KEEP_ALIVE) => Some(Bytes::from_static(b":\r\n\r\n")),
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len() + 24);
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(message);
    event.extend_from_slice(b"\n\n");
    event.into()
}
