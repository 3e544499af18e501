//! Event streams.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderName, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::stream;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::body::PIECE;
use crate::session::{
    Frame, Peer, Place, Purpose, ReplayBuffer, StreamEvent, Text, Unread, store::Following,
};

/// A comment is sent after this long without an event, so that no intermediary closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment.
const COMMENT: &[u8] = b":\r\n\r\n";

/// Where the events of a stream come from.
enum Source {
    /// This replica's stream, until another connection takes over: then its turn has another number.
    Here(Arc<ReplayBuffer>, u64),
    /// Another replica's stream, and the peer whose unread bytes it counts against.
    Elsewhere(Box<Following>, Peer),
}

/// A stream as sent on one connection.
pub(super) struct Stream {
    source: Source,
    waiting: VecDeque<StreamEvent>,
    shutdown: CancellationToken,
    /// The work behind the stream, which is stopped with it.
    work: Option<AbortOnDropHandle<()>>,
    /// The rest of an event sent in pieces, and its reservation of unread bytes.
    rest: Rest,
    unread: Option<Place>,
}

impl Stream {
    /// A stream of these events, up to a response or the end of the buffer. At shutdown, queued events (such
    /// as a final result) are sent first.
    pub(super) fn new(buffer: Arc<ReplayBuffer>, shutdown: &CancellationToken) -> Self {
        let turn = buffer.take_turn();
        Self::of(Source::Here(buffer, turn), shutdown)
    }

    /// A stream that goes on after an event of this number.
    pub(super) fn after(event: u64, buffer: Arc<ReplayBuffer>, shutdown: &CancellationToken) -> Self {
        let (turn, missed) = buffer.take_turn_after(event);
        Self::of(Source::Here(buffer, turn), shutdown).beginning_with(missed)
    }

    /// A stream that another replica sent to this peer, up to its response or a shutdown.
    pub(super) fn elsewhere(following: Following, peer: &Peer, shutdown: &CancellationToken) -> Self {
        Self::of(Source::Elsewhere(Box::new(following), peer.clone()), shutdown)
    }

    fn of(source: Source, shutdown: &CancellationToken) -> Self {
        let (waiting, shutdown, rest) = (VecDeque::new(), shutdown.clone(), Rest::default());
        Self { source, waiting, shutdown, work: None, rest, unread: None }
    }

    /// Sends these events first.
    pub(super) fn beginning_with(mut self, events: impl IntoIterator<Item = StreamEvent>) -> Self {
        self.waiting.extend(events);
        self
    }

    /// Sends this frame first.
    pub(super) fn then(mut self, first: Option<(Frame, Place)>) -> Self {
        let (Some((frame, place)), Source::Here(buffer, _)) = (first, &self.source) else { return self };
        let first = buffer.event(frame);
        self.unread = Some(place);
        self.beginning_with([first])
    }

    /// Stops this work when the connection closes.
    pub(super) fn of_work(mut self, work: Option<AbortOnDropHandle<()>>) -> Self {
        self.work = work;
        self
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
        if self.rest.is_empty() {
            self.rest = self.next_event().await?;
        }
        // A client that loses its result loses its stream.
        self.rest.next()
    }

    async fn next_event(&mut self) -> Option<Rest> {
        if let Some(event) = self.waiting.pop_front() {
            if let Source::Here(buffer, _) = &self.source {
                buffer.written().await;
            }
            return Some(Rest::of(&event));
        }
        self.unread = None;
        let silence = tokio::time::sleep(KEEP_ALIVE);
        let (buffer, turn) = match &mut self.source {
            Source::Here(buffer, turn) => (buffer, *turn),
            Source::Elsewhere(following, peer) => {
                let event = tokio::select! {
                    biased;
                    event = following.next() => event?,
                    () = self.shutdown.cancelled() => return None,
                    () = silence => return Some(Rest::comment()),
                };
                self.unread = Some(peer.unread_anyway(event.data.len()));
                return Some(Rest::of(&event));
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
            () = silence => return Some(Rest::comment()),
        };
        let Some((event, place)) = received else {
            buffer.is_finished().await;
            return None;
        };
        self.unread = Some(place);
        buffer.sent(turn);
        buffer.written().await;
        Some(Rest::of(&event))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Source::Here(buffer, turn) = &self.source {
            buffer.disconnect(*turn);
        }
    }
}

/// What was not sent of an event.
#[derive(Default)]
struct Rest {
    /// What is sent next.
    text: Bytes,
    /// After that, a result that may be lost, and how much of it was sent. The end of the event follows it.
    result: Option<(Arc<Unread>, usize)>,
}

impl Rest {
    fn comment() -> Self {
        Self { text: Bytes::from_static(COMMENT), result: None }
    }

    fn of(event: &StreamEvent) -> Self {
        let result = match &event.data {
            Text::Large(result) if result.piece(0, 0).is_some() => Some((Arc::clone(result), 0)),
            _ => None,
        };
        let data = if result.is_some() { Bytes::new() } else { event.data.whole() };
        let mut text = Vec::with_capacity(data.len() + 48);
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
        text.extend_from_slice(&data);
        if result.is_none() {
            text.extend_from_slice(END);
        }
        Self { text: text.into(), result }
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.result.is_none()
    }

    /// The next piece; `None` if the result was lost.
    fn next(&mut self) -> Option<Bytes> {
        let Some((result, sent)) = self.result.as_mut().filter(|_| self.text.is_empty()) else {
            let length = self.text.len().min(PIECE);
            return Some(self.text.split_to(length));
        };
        let piece = result.piece(*sent, PIECE)?;
        *sent += piece.len();
        if *sent == result.length() {
            *self = Self { text: Bytes::from_static(END), result: None };
        }
        Some(piece)
    }
}

/// The end of an event.
const END: &[u8] = b"\n\n";
