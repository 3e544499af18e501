//! Resumable event streams (2025-11-25): they outlive the connection they are sent on.
//!
//! After a disconnect the client resumes a stream with the id of the last event it received: later events are
//! sent again, and the stream continues.

mod log;
mod shared;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Poll, ready},
};

use log::Log;
use mcp_disclosure_transport::Budget;
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;

use super::{Frame, Frames, Place, Queued, Text, store::Archive};

/// Maximum ended streams kept per session, for clients that missed the last event.
const MAX_ENDED: usize = 8;

/// Maximum streams kept per session whose responses were not sent: as many can break at once as there may be connections.
const MAX_UNSENT: usize = 1_000;

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Ends with a response; a shutdown waits for it.
    Answer,
    /// Carries notifications and requests; a shutdown closes it.
    News,
}

/// The event streams of one session.
#[derive(Debug)]
pub struct ReplayBuffers {
    state: Mutex<State>,
    /// With a store: where other replicas have streams of the same session. Then ids of events name this one, and answers can be
    /// resumed at others.
    pub(super) archive: Option<Archive>,
    /// The budgets of this session and of its peer.
    kept: [Budget; 2],
}

#[derive(Debug, Default)]
struct State {
    /// The number of the last stream, where no replica shares the session.
    last: u64,
    buffers: VecDeque<Arc<ReplayBuffer>>,
}

/// One event stream and the events kept for its resumption.
#[derive(Debug)]
pub struct ReplayBuffer {
    /// `None` if the stream is not resumable.
    number: Option<u64>,
    /// Where other replicas have streams of the same session, and can read the events of this one if it is an answer's.
    archive: Option<Archive>,
    /// The kind of the stream.
    pub purpose: Purpose,
    sending: Mutex<Sending>,
    /// Locked after `sending`, where both are.
    log: Mutex<Log>,
    kept: [Budget; 2],
    /// Held while other replicas are given events, so that they get them in order.
    writing: AsyncMutex<()>,
}

/// What a connection sends. Locked from when a frame is taken until it is in the log, so that a connection that takes over
/// finds it in one of them.
#[derive(Debug)]
struct Sending {
    frames: Frames,
    /// That of the connection that sends the stream.
    turn: Turn,
}

/// The turn of a connection to send a stream; cancelled when another one takes over.
pub(crate) type Turn = CancellationToken;

/// One event of a stream.
#[derive(Clone, Debug)]
pub struct StreamEvent {
    /// The event id, if the stream is resumable.
    pub id: Option<String>,
    /// The message; empty in an event that only carries an id.
    pub data: Text,
}

impl ReplayBuffers {
    /// No streams yet. Kept events take at most `most` bytes, which also count against the peer's budget.
    pub fn new(most: usize, peer: Budget) -> Self {
        Self { state: Mutex::default(), archive: None, kept: [Budget::new(most), peer] }
    }

    /// Opens a stream of these frames.
    pub fn open(&self, purpose: Purpose, frames: Frames) -> Arc<ReplayBuffer> {
        let mut state = self.state.lock();
        state.last += 1;
        let archive = self.archive.clone();
        let number = archive.as_ref().map_or(state.last, |archive| archive.replicas.next_number());
        let buffer = Arc::new(ReplayBuffer::new(purpose, frames, self.kept.clone(), Some(number), archive));
        state.buffers.push_back(Arc::clone(&buffer));
        state.forget(MAX_ENDED, ReplayBuffer::may_go);
        state.forget(MAX_UNSENT, ReplayBuffer::is_answered);
        buffer
    }

    /// The names, in the store, of answer streams that other replicas can read and that go on, or whose response was not sent yet.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let state = self.state.lock();
        let unfinished = state.buffers.iter().filter(|buffer| !buffer.may_go());
        unfinished
            .filter_map(|buffer| buffer.shared())
            .map(|(archive, number)| archive.name_of_own(number))
            .collect()
    }

    /// Looks up a stream by an event id. Returns it with the number of the event in it.
    pub fn find(&self, event: &str) -> Option<(Arc<ReplayBuffer>, u64)> {
        let event = match &self.archive {
            Some(archive) => event.strip_prefix(&**archive.replica())?.strip_prefix('.')?,
            None => event,
        };
        let (buffer, sequence) = event.split_once('-')?;
        Some((self.numbered(buffer.parse().ok()?)?, sequence.parse().ok()?))
    }

    /// The stream of this number.
    pub fn numbered(&self, number: u64) -> Option<Arc<ReplayBuffer>> {
        self.state.lock().buffers.iter().find(|other| other.number == Some(number)).cloned()
    }
}

impl State {
    /// Forgets the oldest of such streams, but for this many.
    fn forget(&mut self, most: usize, goes: impl Fn(&ReplayBuffer) -> bool) {
        let mut surplus = self.buffers.iter().filter(|buffer| goes(buffer)).count().saturating_sub(most);
        self.buffers.retain(|buffer| {
            let is_one = surplus > 0 && goes(buffer);
            surplus -= usize::from(is_one);
            !is_one
        });
    }
}

impl ReplayBuffer {
    /// A stream that is not resumable and ends with its connection.
    pub fn without_replay(frames: Frames) -> Arc<Self> {
        Arc::new(Self::new(Purpose::Answer, frames, [Budget::new(0), Budget::new(0)], None, None))
    }

    fn new(
        purpose: Purpose,
        frames: Frames,
        kept: [Budget; 2],
        number: Option<u64>,
        archive: Option<Archive>,
    ) -> Self {
        Self {
            number,
            archive,
            purpose,
            sending: Mutex::new(Sending { frames, turn: Turn::new() }),
            log: Mutex::default(),
            kept,
            writing: AsyncMutex::default(),
        }
    }

    /// Starts sending on a new connection; an earlier one stops.
    pub fn take_turn(&self) -> Turn {
        turn_of(&mut self.sending.lock())
    }

    /// The same, to go on after an event. Returns the later events that were sent, too.
    pub fn take_turn_after(&self, sequence: u64) -> (Turn, Vec<StreamEvent>) {
        let mut sending = self.sending.lock();
        (turn_of(&mut sending), self.after(sequence))
    }

    /// Ends a stream of notifications, of which another one takes the place. Returns the events after this one, sent or not.
    pub fn end_after(&self, sequence: u64) -> Vec<StreamEvent> {
        let mut sending = self.sending.lock();
        turn_of(&mut sending);
        self.close(&mut sending);
        self.after(sequence)
    }

    /// Takes no more frames. Those that were not sent are kept for resumption.
    fn close(&self, sending: &mut Sending) {
        sending.frames.close();
        while let Ok(queued) = sending.frames.try_recv() {
            self.event(queued.frame);
        }
    }

    /// Whether the final event has been sent.
    pub fn has_ended(&self) -> bool {
        self.log.lock().has_ended
    }

    /// Whether nothing more is sent to it, though it may not have been sent on.
    fn is_answered(&self) -> bool {
        self.has_ended() || self.sending.lock().frames.is_closed()
    }

    /// Whether no more events will follow.
    fn is_over(&self) -> bool {
        let is_over = |frames: &Frames| frames.is_closed() && frames.is_empty();
        self.has_ended() || is_over(&self.sending.lock().frames)
    }

    /// Whether it can be given up: it is over, and its response was sent.
    fn may_go(&self) -> bool {
        self.is_over() && !self.log.lock().has_unread()
    }

    /// Called when the connection of this turn closes. A notification stream is closed; a response is kept for resumption.
    pub fn disconnect(self: &Arc<Self>, turn: &Turn) {
        if self.purpose == Purpose::Answer {
            return self.go_on(turn.clone());
        }
        self.close(&mut self.sending.lock());
    }

    /// An empty event that carries an id, from which the stream can be resumed. `None` if it is not
    /// resumable.
    pub fn first_event(&self) -> Option<StreamEvent> {
        self.number.map(|_| self.record(Text::default()))
    }

    /// The next event, which is kept for resumption; `None` at the end of the stream, or when another connection took over.
    pub async fn next(&self, turn: &Turn) -> Option<(StreamEvent, Place)> {
        self.receive(turn, |Queued { frame, place, .. }| (self.received(frame), place)).await
    }

    /// Keeps the next event, which no connection sends: a response whatever its size, other messages within the limits of
    /// what is kept. `None` as for [`next`](Self::next).
    async fn keep_next(&self, turn: &Turn) -> Option<()> {
        self.receive(turn, |Queued { frame, place, .. }| {
            let mut log = self.log.lock();
            if frame.is_last() && !log.is_given_up {
                log.keep_unread(frame.into_text(), place);
                log.end();
            } else {
                drop(log);
                self.received(frame);
            }
        })
        .await
    }

    async fn receive<T>(&self, turn: &Turn, keep: impl Fn(Queued) -> T) -> Option<T> {
        let next = poll_fn(|context| {
            let mut sending = self.sending.lock();
            if turn.is_cancelled() {
                return Poll::Ready(None);
            }
            let received = ready!(sending.frames.poll_recv(context));
            // While it is locked: a connection that takes over finds it in the log.
            Poll::Ready(received.map(&keep))
        });
        turn.run_until_cancelled(next).await.flatten()
    }

    /// Turns a frame that is being sent into an event and keeps it for resumption.
    pub fn event(&self, frame: Frame) -> StreamEvent {
        let event = self.received(frame);
        self.all_sent();
        event
    }

    /// The connection of this turn sent the events so far. No effect if another one took over.
    pub fn sent(&self, turn: &Turn) {
        let _sending = self.sending.lock();
        if !turn.is_cancelled() {
            self.all_sent();
        }
    }

    fn all_sent(&self) {
        self.log.lock().sent(&self.kept);
    }

    fn received(&self, frame: Frame) -> StreamEvent {
        let is_last = frame.is_last();
        let event = self.record(frame.into_text());
        if is_last {
            self.log.lock().end();
        }
        event
    }

    fn record(&self, data: Text) -> StreamEvent {
        if self.number.is_none() {
            return StreamEvent { id: None, data };
        }
        let sequence = self.log.lock().keep(&data, &self.kept);
        StreamEvent { id: Some(self.id(sequence)), data }
    }

    fn id(&self, sequence: u64) -> String {
        let number = self.number.unwrap_or_default();
        match &self.archive {
            Some(archive) => format!("{}.{number}-{sequence}", archive.replica()),
            None => format!("{number}-{sequence}"),
        }
    }

    fn after(&self, sequence: u64) -> Vec<StreamEvent> {
        let log = self.log.lock();
        log.after(sequence)
            .map(|(sequence, data)| StreamEvent { id: Some(self.id(sequence)), data })
            .collect()
    }
}

/// The turn of another connection; the present one stops.
fn turn_of(sending: &mut Sending) -> Turn {
    std::mem::take(&mut sending.turn).cancel();
    sending.turn.clone()
}
