//! Event streams.

use std::{collections::VecDeque, iter, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::body::PIECE;
use crate::session::{Peer, Place, Purpose, Queued, ReplayBuffer, StreamEvent, Text, Turn, store::Following};

/// A comment is sent after this long without an event, so that no intermediary closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment.
const COMMENT: &[u8] = b":\r\n\r\n";

/// Where the events of a stream come from.
pub(super) enum Source {
    /// This replica's stream, until another connection takes over.
    Here(Arc<ReplayBuffer>, Turn),
    /// Another replica's stream, and the peer whose unread bytes it counts against.
    Elsewhere(Box<Following>, Peer),
}

/// A stream as sent on one connection.
pub(super) struct Stream {
    source: Source,
    waiting: VecDeque<StreamEvent>,
    shutdown: CancellationToken,
    /// The work behind the stream, which is stopped with it.
    pub(super) work: Option<AbortOnDropHandle<()>>,
    /// The rest of an event, and its reservation of unread bytes.
    rest: Pieces,
    unread: Option<Place>,
}

/// What is sent of an event, piece by piece; `None` where its result was lost.
type Pieces = Box<dyn Iterator<Item = Option<Bytes>> + Send>;

impl Stream {
    /// A stream of these events, up to a response or the end of the buffer. At shutdown, queued events (such
    /// as a final result) are sent first.
    pub(super) fn new(buffer: Arc<ReplayBuffer>, shutdown: &CancellationToken) -> Self {
        let turn = buffer.take_turn();
        Self::of(Source::Here(buffer, turn), shutdown)
    }

    /// A stream of the events that come from there.
    pub(super) fn of(source: Source, shutdown: &CancellationToken) -> Self {
        let (waiting, shutdown, rest) = (VecDeque::new(), shutdown.clone(), Box::new(iter::empty()));
        Self { source, waiting, shutdown, work: None, rest, unread: None }
    }

    /// Sends these events first.
    pub(super) fn beginning_with(mut self, events: impl IntoIterator<Item = StreamEvent>) -> Self {
        self.waiting.extend(events);
        self
    }

    /// Sends this frame first.
    pub(super) fn then(mut self, first: Option<Queued>) -> Self {
        let (Some(first), Source::Here(buffer, _)) = (first, &self.source) else { return self };
        self.unread = Some(first.place);
        let first = buffer.event(first.frame);
        self.beginning_with([first])
    }

    /// The response.
    pub(super) fn into_response(self) -> Response {
        let events = stream::unfold(self, async move |mut stream| {
            let bytes = stream.next().await?;
            Some((Ok::<_, std::convert::Infallible>(bytes), stream))
        });
        let headers = [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache"),
            (HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        (headers, Body::from_stream(events)).into_response()
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            // A client that loses its result loses its stream.
            if let Some(piece) = self.rest.next() {
                return piece;
            }
            self.rest = self.next_event().await?;
        }
    }

    async fn next_event(&mut self) -> Option<Pieces> {
        if let Some(event) = self.waiting.pop_front() {
            if let Source::Here(buffer, _) = &self.source {
                buffer.written().await;
            }
            return Some(pieces(&event));
        }
        self.unread = None;
        let silence = tokio::time::sleep(KEEP_ALIVE);
        let (buffer, turn) = match &mut self.source {
            Source::Here(buffer, turn) => (buffer, turn),
            Source::Elsewhere(following, peer) => {
                let event = tokio::select! {
                    biased;
                    event = following.next() => event?,
                    () = self.shutdown.cancelled() => return None,
                    () = silence => return Some(in_pieces(Bytes::from_static(COMMENT))),
                };
                self.unread = Some(peer.unread_anyway(event.data.len()));
                return Some(pieces(&event));
            }
        };
        if buffer.has_ended() {
            buffer.sent(turn);
            // The work behind the stream is no longer needed.
            self.work = None;
            return None;
        }
        let received = tokio::select! {
            biased;
            received = buffer.next(turn) => received,
            () = self.shutdown.cancelled(), if buffer.purpose == Purpose::News => None,
            () = silence => return Some(in_pieces(Bytes::from_static(COMMENT))),
        };
        let Some((event, place)) = received else {
            buffer.is_finished().await;
            return None;
        };
        self.unread = Some(place);
        buffer.sent(turn);
        buffer.written().await;
        Some(pieces(&event))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Source::Here(buffer, turn) = &self.source {
            buffer.disconnect(turn);
        }
    }
}

fn pieces(event: &StreamEvent) -> Pieces {
    let mut text = Vec::with_capacity(event.data.len().min(PIECE) + 64);
    // An event of the default type `message` must have data that is one.
    if !event.data.is_empty() {
        text.extend_from_slice(b"event: message\n");
    }
    if let Some(id) = &event.id {
        text.extend_from_slice(b"id: ");
        text.extend_from_slice(id.as_bytes());
        text.push(b'\n');
    }
    text.extend_from_slice(b"data: ");
    match &event.data {
        Text::Large(result) if result.piece(0, 0).is_some() => {
            let result = Arc::clone(result);
            let data = (0..result.length()).step_by(PIECE).map(move |from| result.piece(from, PIECE));
            Box::new(in_pieces(text.into()).chain(data).chain(in_pieces(Bytes::from_static(END))))
        }
        data => {
            text.extend_from_slice(&data.whole());
            text.extend_from_slice(END);
            in_pieces(text.into())
        }
    }
}

fn in_pieces(text: Bytes) -> Pieces {
    let length = text.len();
    Box::new((0..length).step_by(PIECE).map(move |from| Some(text.slice(from..length.min(from + PIECE)))))
}

/// The end of an event.
const END: &[u8] = b"\n\n";
