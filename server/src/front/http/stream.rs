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

use crate::session::Frame;

/// A comment is sent after so long without an event, so that nobody between closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It ends with an answer, for which a shutdown waits.
    Answer,
    /// It tells what comes, and a shutdown ends it.
    News,
}

/// Answers that are under way at shutdown get so long.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// Something that must live as long as the stream: dropping it stops the work behind it.
pub(super) type Held = Box<dyn Send + Sync>;

/// A stream of messages: `first`, then what comes, up to an answer or the end of the channel. When the
/// gateway shuts down, what still waits (a farewell among it) goes out first.
pub(super) fn events(
    purpose: Purpose,
    first: Option<Frame>,
    frames: mpsc::Receiver<Frame>,
    shutdown: CancellationToken,
    held: Option<Held>,
) -> Response {
    let state = Some((first, frames, shutdown, held));
    let events = stream::unfold(state, move |state| async move {
        let (mut first, mut frames, shutdown, held) = state?;
        let frame = match first.take() {
            Some(frame) => Next::Frame(frame),
            None => next(purpose, &mut frames, &shutdown).await,
        };
        let rest = Some((None, frames, shutdown, held));
        let (event, rest) = match frame {
            Next::Frame(Frame::Told(message)) => (framed(&message), rest),
            Next::Frame(Frame::Answer(message, _)) => (framed(&message), None),
            Next::Quiet => (Bytes::from_static(b":\r\n\r\n"), rest),
            Next::End => return None,
        };
        Some((Ok::<_, std::convert::Infallible>(event), rest))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

enum Next {
    Frame(Frame),
    Quiet,
    End,
}

async fn next(purpose: Purpose, frames: &mut mpsc::Receiver<Frame>, shutdown: &CancellationToken) -> Next {
    let received = tokio::select! {
        biased;
        received = frames.recv() => received,
        () = shutdown.cancelled(), if purpose == Purpose::News => None,
        () = shutdown.cancelled() => {
            tokio::time::timeout(LAST_WORDS, frames.recv()).await.ok().flatten()
        }
        () = tokio::time::sleep(KEEP_ALIVE) => return Next::Quiet,
    };
    received.map_or(Next::End, Next::Frame)
}

fn framed(message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len() + 24);
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(message);
    event.extend_from_slice(b"\n\n");
    event.into()
}
