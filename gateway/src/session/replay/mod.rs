//! Resumable event streams (2025-11-25): they outlive the connection they are sent on.
//!
//! After a disconnect the client resumes a stream with the id of the last event it received: later events are
//! sent again, and the stream continues.

mod log;
mod shared;

use std::{
    collections::VecDeque,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use log::Log;
use mcp_disclosure_transport::Budget;
use parking_lot::Mutex;
use shared::Shared;
use tokio::sync::{Mutex as AsyncMutex, Notify};

use super::{Frame, Frames, Place, store::Archive};

/// Maximum ended streams kept per session, for clients that missed the last event.
const MAX_ENDED: usize = 8;

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
    /// Where other replicas have streams of the same session.
    archive: OnceLock<Archive>,
    /// The budgets of this session and of its peer.
    kept: [Budget; 2],
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    buffers: VecDeque<Arc<ReplayBuffer>>,
}

/// One event stream and the events kept for its resumption.
#[derive(Debug)]
pub struct ReplayBuffer {
    /// `None` if the stream is not resumable.
    number: Option<u64>,
    replica: Option<Arc<str>>,
    /// Where its events can be read by other replicas, if they can.
    shared: Option<Shared>,
    purpose: Purpose,
    frames: AsyncMutex<Frames>,
    log: Mutex<Log>,
    kept: [Budget; 2],
    /// The connection that sends the stream; earlier ones stop.
    turn: AtomicU64,
    turn_changed: Notify,
}

/// One event of a stream.
#[derive(Clone, Debug)]
pub struct StreamEvent {
    /// The event id, if the stream is resumable.
    pub id: Option<String>,
    /// The message; empty in an event that only carries an id.
    pub data: Arc<[u8]>,
}

impl ReplayBuffers {
    /// No streams yet. Kept events take at most `most` bytes, which also count against the peer's budget.
    pub fn new(most: usize, peer: Budget) -> Self {
        Self { state: Mutex::default(), archive: OnceLock::new(), kept: [Budget::new(most), peer] }
    }

    /// From now on, ids of events name this replica, and answers can be resumed at others.
    pub(crate) fn shared(&self, archive: Archive) {
        let _same = self.archive.set(archive);
    }

    /// Where events of another replica are read, if this event id is one's.
    pub(crate) fn elsewhere(&self, event: &str) -> Option<&Archive> {
        let archive = self.archive.get()?;
        event.split_once('.').is_some_and(|(of, _)| *of != **archive.replica()).then_some(archive)
    }

    /// Opens a stream of these frames.
    pub fn open(&self, purpose: Purpose, frames: Frames) -> Arc<ReplayBuffer> {
        let mut state = self.state.lock();
        state.last += 1;
        let archive = self.archive.get();
        let buffer = Arc::new(ReplayBuffer {
            number: Some(state.last),
            replica: archive.map(|archive| Arc::clone(archive.replica())),
            shared: archive
                .filter(|_| purpose == Purpose::Answer)
                .map(|archive| Shared::new(archive.clone(), state.last)),
            ..ReplayBuffer::new(purpose, frames, self.kept.clone())
        });
        state.buffers.push_back(Arc::clone(&buffer));
        let ended = state.buffers.iter().filter(|buffer| buffer.is_over()).count();
        let mut surplus = ended.saturating_sub(MAX_ENDED);
        state.buffers.retain(|buffer| {
            let goes = surplus > 0 && buffer.is_over();
            surplus -= usize::from(goes);
            !goes
        });
        buffer
    }

    /// Looks up a stream by an event id. Returns it with the events sent after that one.
    pub fn find(&self, event: &str) -> Option<(Arc<ReplayBuffer>, Vec<StreamEvent>)> {
        let event = match self.archive.get() {
            Some(archive) => event.strip_prefix(&**archive.replica())?.strip_prefix('.')?,
            None => event,
        };
        let (buffer, sequence) = event.split_once('-')?;
        let found = self.numbered(buffer.parse().ok()?)?;
        let later = found.after(sequence.parse().ok()?);
        Some((found, later))
    }

    /// The stream of this number.
    pub fn numbered(&self, number: u64) -> Option<Arc<ReplayBuffer>> {
        self.state.lock().buffers.iter().find(|other| other.number == Some(number)).cloned()
    }
}

impl ReplayBuffer {
    /// A stream that is not resumable and ends with its connection.
    pub fn without_replay(frames: Frames) -> Arc<Self> {
        Arc::new(Self::new(Purpose::Answer, frames, [Budget::new(0), Budget::new(0)]))
    }

    fn new(purpose: Purpose, frames: Frames, kept: [Budget; 2]) -> Self {
        let (log, turn_changed) = (Mutex::default(), Notify::new());
        Self {
            number: None,
            replica: None,
            shared: None,
            purpose,
            frames: AsyncMutex::new(frames),
            log,
            kept,
            turn: AtomicU64::new(0),
            turn_changed,
        }
    }

    /// The kind of the stream.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Starts sending on a new connection; an earlier one stops.
    pub fn take_turn(&self) -> u64 {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) + 1;
        self.turn_changed.notify_waiters();
        turn
    }

    /// Whether the final event has been sent.
    pub fn has_ended(&self) -> bool {
        self.log.lock().has_ended()
    }

    /// Whether no more events will follow.
    fn is_over(&self) -> bool {
        self.has_ended() || self.frames.try_lock().is_ok_and(|frames| frames.is_over())
    }

    /// Called when the connection of this turn closes. A notification stream is closed; a response is kept for resumption.
    pub fn disconnect(self: &Arc<Self>, turn: u64) {
        if self.purpose == Purpose::Answer {
            return self.go_on(turn);
        }
        // Only the connection that closed could hold this lock.
        if let Ok(mut frames) = self.frames.try_lock() {
            frames.close();
            while let Some((frame, _)) = frames.try_recv() {
                self.event(frame);
            }
        }
    }

    /// An empty event that carries an id, from which the stream can be resumed. `None` if it is not
    /// resumable.
    pub fn first_event(&self) -> Option<StreamEvent> {
        self.number.map(|_| self.record(Arc::default()))
    }

    /// The next frame; `None` at the end of the stream, or when another connection took over.
    pub async fn next(&self, turn: u64) -> Option<(Frame, Place)> {
        tokio::select! {
            biased;
            () = self.taken_over(turn) => None,
            frame = async { self.frames.lock().await.recv().await } => frame,
        }
    }

    /// Turns a frame into an event and keeps it for resumption.
    pub fn event(&self, frame: Frame) -> StreamEvent {
        let event = self.received(frame);
        self.log.lock().sent();
        event
    }

    fn received(&self, frame: Frame) -> StreamEvent {
        let is_last = matches!(frame, Frame::Answer(..));
        let event = self.record(frame.into_line().into());
        if is_last {
            self.log.lock().end();
        }
        event
    }

    fn record(&self, data: Arc<[u8]>) -> StreamEvent {
        if self.number.is_none() {
            return StreamEvent { id: None, data };
        }
        let sequence = self.log.lock().keep(&data, &self.kept);
        StreamEvent { id: Some(self.id(sequence)), data }
    }

    fn id(&self, sequence: u64) -> String {
        let number = self.number.unwrap_or_default();
        match &self.replica {
            Some(replica) => format!("{replica}.{number}-{sequence}"),
            None => format!("{number}-{sequence}"),
        }
    }

    fn after(&self, sequence: u64) -> Vec<StreamEvent> {
        let log = self.log.lock();
        log.after(sequence)
            .map(|(sequence, data)| StreamEvent { id: Some(self.id(sequence)), data })
            .collect()
    }

    /// Waits until another connection takes over.
    async fn taken_over(&self, turn: u64) {
        loop {
            let turn_changed = self.turn_changed.notified();
            tokio::pin!(turn_changed);
            // Registered before the check below, so that no change is missed.
            turn_changed.as_mut().enable();
            if self.turn.load(Ordering::Relaxed) != turn {
                return;
            }
            turn_changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{log::MAX_BYTES, *};
    use crate::{
        limits::Limits,
        session::{Outlet, Peer},
    };
    use mcp_disclosure_transport::{Id, Json, Notification, Response};

    fn outlet() -> (Outlet, Frames) {
        Outlet::new(&Peer::new("test", &Limits::default()), &Limits::default())
    }

    fn notification(text: &'static str) -> Notification {
        Notification::new(text, mcp_disclosure_core::RawObject::empty())
    }

    fn ids(events: &[StreamEvent]) -> Vec<&str> {
        events.iter().filter_map(|event| event.id.as_deref()).collect()
    }

    #[tokio::test]
    async fn a_stream_is_taken_up_where_it_broke() {
        let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
        let (outlet, frames) = outlet();
        let buffer = buffers.open(Purpose::Answer, frames);
        let turn = buffer.take_turn();
        let primed = buffer.first_event().unwrap();
        for text in ["one", "two"] {
            outlet.notify(&notification(text));
            let (frame, _) = buffer.next(turn).await.unwrap();
            buffer.event(frame);
        }
        let (found, missed) = buffers.find(&primed.id.unwrap()).unwrap();
        assert_eq!(ids(&missed), ["1-1", "1-2"]);
        assert_eq!(&*missed[1].data, notification("two").encode());
        let again = found.take_turn();
        assert!(buffer.next(turn).await.is_none(), "the broken connection must stop");
        outlet.answer(&Response::new(Id::number(3), Ok(Json::empty_object()))).await;
        let (last, _) = found.next(again).await.unwrap();
        assert_eq!(found.event(last).id.as_deref(), Some("1-3"));
        assert_eq!(ids(&buffers.find("1-2").unwrap().1), ["1-3"], "an end that was missed is there");
        for unknown in ["2-0", "1", "x-y", "-", ""] {
            assert!(buffers.find(unknown).is_none(), "{unknown}");
        }
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded() {
        let buffers = ReplayBuffers::new(4 * MAX_BYTES, Budget::new(4 * MAX_BYTES));
        let (_outlet, frames) = outlet();
        let long = buffers.open(Purpose::Answer, frames);
        for _ in 0..10 {
            long.event(Frame::Message(vec![b'x'; MAX_BYTES / 3]));
        }
        assert!(long.log.lock().bytes <= MAX_BYTES);
        for _ in 0..3 * MAX_ENDED {
            let (_outlet, frames) = outlet();
            buffers.open(Purpose::Answer, frames).event(Frame::Answer(vec![b'x'; 2 * MAX_BYTES], None));
        }
        let kept = buffers.state.lock();
        assert!(kept.buffers.len() <= MAX_ENDED + 2);
        assert!(kept.buffers.iter().all(|buffer| buffer.log.lock().bytes <= MAX_BYTES));
    }

    #[tokio::test]
    async fn what_a_session_keeps_is_bounded_and_what_goes_gives_room() {
        let buffers = ReplayBuffers::new(1000, Budget::new(5000));
        let open = || {
            let (outlet, frames) = outlet();
            (outlet, buffers.open(Purpose::News, frames))
        };
        let (first, second) = (open(), open());
        first.1.event(Frame::Message(vec![b'x'; 900]));
        let lost = second.1.event(Frame::Message(vec![b'x'; 900]));
        assert!(lost.id.is_some(), "it is sent, whether it is kept or not");
        assert_eq!((first.1.log.lock().bytes, second.1.log.lock().bytes), (900, 0));
        first.1.event(Frame::Message(vec![b'x'; 950]));
        assert_eq!(first.1.log.lock().bytes, 950, "its own older ones make room");
        drop(first);
        buffers.state.lock().buffers.clear();
        second.1.event(Frame::Message(vec![b'x'; 900]));
        assert_eq!(second.1.log.lock().bytes, 900);
    }
}
