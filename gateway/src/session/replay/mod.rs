//! Resumable event streams (2025-11-25): they outlive the connection they are sent on.
//!
//! After a disconnect the client resumes a stream with the id of the last event it received: later events are
//! sent again, and the stream continues.

mod log;
mod shared;

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};

use log::Log;
use mcp_disclosure_transport::Budget;
use parking_lot::Mutex;
use shared::Shared;
use tokio::sync::Notify;

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
    /// The number of the last stream, where no replica shares the session.
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
    sending: Mutex<Sending>,
    /// Locked after `sending`, where both are.
    log: Mutex<Log>,
    kept: [Budget; 2],
    turn_changed: Notify,
}

/// What a connection sends. Locked from when a frame is taken until it is in the log, so that a connection that takes over
/// finds it in one of them.
#[derive(Debug)]
struct Sending {
    frames: Frames,
    /// The connection that sends the stream; earlier ones stop.
    turn: u64,
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
        let number = archive.map_or(state.last, |archive| archive.replicas().next_number());
        let buffer = Arc::new(ReplayBuffer {
            number: Some(number),
            replica: archive.map(|archive| Arc::clone(archive.replica())),
            shared: archive
                .filter(|_| purpose == Purpose::Answer)
                .map(|archive| Shared::new(archive.clone(), number)),
            ..ReplayBuffer::new(purpose, frames, self.kept.clone())
        });
        state.buffers.push_back(Arc::clone(&buffer));
        let ended = state.buffers.iter().filter(|buffer| buffer.may_go()).count();
        let mut surplus = ended.saturating_sub(MAX_ENDED);
        state.buffers.retain(|buffer| {
            let goes = surplus > 0 && buffer.may_go();
            surplus -= usize::from(goes);
            !goes
        });
        buffer
    }

    /// Whether answer streams that other replicas can read go on, or have a response that was not sent yet.
    pub(crate) fn has_unfinished(&self) -> bool {
        self.state.lock().buffers.iter().any(|buffer| buffer.shared.is_some() && !buffer.may_go())
    }

    /// The names, in the store, of answer streams that go on, or whose response was not sent yet.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let state = self.state.lock();
        let unfinished = state.buffers.iter().filter(|buffer| !buffer.may_go());
        unfinished.filter_map(|buffer| buffer.shared.as_ref()).map(Shared::name).collect()
    }

    /// Looks up a stream by an event id. Returns it with the number of the event in it.
    pub fn find(&self, event: &str) -> Option<(Arc<ReplayBuffer>, u64)> {
        let event = match self.archive.get() {
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

impl ReplayBuffer {
    /// A stream that is not resumable and ends with its connection.
    pub fn without_replay(frames: Frames) -> Arc<Self> {
        Arc::new(Self::new(Purpose::Answer, frames, [Budget::new(0), Budget::new(0)]))
    }

    fn new(purpose: Purpose, frames: Frames, kept: [Budget; 2]) -> Self {
        let sending = Mutex::new(Sending { frames, turn: 0 });
        Self {
            number: None,
            replica: None,
            shared: None,
            purpose,
            sending,
            log: Mutex::default(),
            kept,
            turn_changed: Notify::new(),
        }
    }

    /// The kind of the stream.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Starts sending on a new connection; an earlier one stops.
    pub fn take_turn(&self) -> u64 {
        self.turn_of(&mut self.sending.lock())
    }

    /// The same, to go on after an event. Returns the later events that were sent, too.
    pub fn take_turn_after(&self, sequence: u64) -> (u64, Vec<StreamEvent>) {
        let mut sending = self.sending.lock();
        (self.turn_of(&mut sending), self.after(sequence))
    }

    /// Ends a stream of notifications, of which another one takes the place. Returns the events after this one, sent or not.
    pub fn end_after(&self, sequence: u64) -> Vec<StreamEvent> {
        let mut sending = self.sending.lock();
        self.turn_of(&mut sending);
        self.close(&mut sending);
        self.after(sequence)
    }

    fn turn_of(&self, sending: &mut Sending) -> u64 {
        sending.turn += 1;
        // While it is locked: the holder of the next turn is not woken for this one.
        self.turn_changed.notify_waiters();
        sending.turn
    }

    /// Takes no more frames. Those that were not sent are kept for resumption.
    fn close(&self, sending: &mut Sending) {
        sending.frames.close();
        while let Some((frame, _)) = sending.frames.try_recv() {
            self.event(frame);
        }
    }

    /// Whether the final event has been sent.
    pub fn has_ended(&self) -> bool {
        self.log.lock().has_ended()
    }

    /// Whether no more events will follow.
    fn is_over(&self) -> bool {
        self.has_ended() || self.sending.lock().frames.is_over()
    }

    /// Whether it can be given up: it is over, and its response was sent.
    fn may_go(&self) -> bool {
        self.is_over() && !self.log.lock().has_unread()
    }

    /// Called when the connection of this turn closes. A notification stream is closed; a response is kept for resumption.
    pub fn disconnect(self: &Arc<Self>, turn: u64) {
        if self.purpose == Purpose::Answer {
            return self.go_on(turn);
        }
        self.close(&mut self.sending.lock());
    }

    /// An empty event that carries an id, from which the stream can be resumed. `None` if it is not
    /// resumable.
    pub fn first_event(&self) -> Option<StreamEvent> {
        self.number.map(|_| self.record(Arc::default()))
    }

    /// The next event, which is kept for resumption; `None` at the end of the stream, or when another connection took over.
    pub async fn next(&self, turn: u64) -> Option<(StreamEvent, Place)> {
        self.receive(turn, |frame, place| (self.received(frame), place)).await
    }

    /// Keeps the next event, which no connection sends: a response whatever its size, other messages within the limits of
    /// what is kept. `None` as for [`next`](Self::next).
    async fn keep_next(&self, turn: u64) -> Option<()> {
        self.receive(turn, |frame, place| {
            let mut log = self.log.lock();
            if frame.is_last() && log.is_awaited() {
                log.keep_unread(frame.into_line().into(), place);
                log.end();
            } else {
                drop(log);
                self.received(frame);
            }
        })
        .await
    }

    async fn receive<T>(&self, turn: u64, keep: impl Fn(Frame, Place) -> T) -> Option<T> {
        let taken_over = self.turn_changed.notified();
        tokio::pin!(taken_over);
        // Registered before the turn is looked at, so that no change is missed.
        taken_over.as_mut().enable();
        tokio::select! {
            biased;
            next = poll_fn(|context| self.poll_receive(turn, &keep, context)) => next,
            () = taken_over => None,
        }
    }

    fn poll_receive<T>(
        &self,
        turn: u64,
        keep: impl Fn(Frame, Place) -> T,
        context: &mut Context<'_>,
    ) -> Poll<Option<T>> {
        let mut sending = self.sending.lock();
        if sending.turn != turn {
            return Poll::Ready(None);
        }
        let received = ready!(sending.frames.poll_recv(context));
        // While it is locked: a connection that takes over finds it in the log.
        Poll::Ready(received.map(|(frame, place)| keep(frame, place)))
    }

    /// Turns a frame that is being sent into an event and keeps it for resumption.
    pub fn event(&self, frame: Frame) -> StreamEvent {
        let event = self.received(frame);
        self.all_sent();
        event
    }

    /// The connection of this turn sent the events so far. No effect if another one took over.
    pub fn sent(&self, turn: u64) {
        let sending = self.sending.lock();
        if sending.turn == turn {
            self.all_sent();
        }
    }

    fn all_sent(&self) {
        self.log.lock().sent(&self.kept);
    }

    fn received(&self, frame: Frame) -> StreamEvent {
        let is_last = frame.is_last();
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
}

#[cfg(test)]
mod tests {
    use super::{log::MAX_BYTES, *};
    use crate::{
        limits::Limits,
        session::{Outlet, Peer, store::Progress},
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
            buffer.next(turn).await.unwrap();
        }
        let (found, first) = buffers.find(&primed.id.unwrap()).unwrap();
        let (again, missed) = found.take_turn_after(first);
        assert_eq!(ids(&missed), ["1-1", "1-2"], "also what was taken, and perhaps not sent");
        assert_eq!(&*missed[1].data, notification("two").encode());
        assert!(buffer.next(turn).await.is_none(), "the broken connection must stop");
        outlet.answer(&Response::new(Id::number(3), Ok(Json::empty_object()))).await;
        assert_eq!(found.next(again).await.unwrap().0.id.as_deref(), Some("1-3"));
        let (found, second) = buffers.find("1-2").unwrap();
        assert_eq!(ids(&found.take_turn_after(second).1), ["1-3"], "an end that was missed is there");
        for unknown in ["2-0", "1", "x-y", "-", ""] {
            assert!(buffers.find(unknown).is_none(), "{unknown}");
        }
    }

    #[tokio::test]
    async fn what_an_open_stream_of_notifications_did_not_send_is_sent_on_its_successor() {
        let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
        let (outlet, frames) = outlet();
        let buffer = buffers.open(Purpose::News, frames);
        let turn = buffer.take_turn();
        buffer.first_event();
        outlet.notify(&notification("sent"));
        buffer.next(turn).await.unwrap();
        // Its connection is not read any more.
        outlet.notify(&notification("stuck"));
        let (former, last) = buffers.find("1-1").unwrap();
        let missed = former.end_after(last);
        assert_eq!(ids(&missed), ["1-2"]);
        assert_eq!(&*missed[0].data, notification("stuck").encode());
        assert!(buffer.next(turn).await.is_none() && buffer.is_over());
        assert!(!outlet.notify(&notification("late")), "nothing is lost in it from now on");
        assert_eq!(ids(&buffers.find("1-1").unwrap().0.after(1)), ["1-2"], "it can be asked for again");
    }

    #[tokio::test]
    async fn a_connection_that_waits_stops_when_another_takes_over() {
        let buffers = ReplayBuffers::new(1 << 20, Budget::new(1 << 20));
        let (outlet, frames) = outlet();
        let buffer = buffers.open(Purpose::Answer, frames);
        let turn = buffer.take_turn();
        let waiting = buffer.next(turn);
        tokio::pin!(waiting);
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        // It need not be polled before the other one can read.
        let again = buffer.take_turn();
        outlet.notify(&notification("one"));
        assert_eq!(buffer.next(again).await.unwrap().0.id.as_deref(), Some("1-0"));
        assert!(waiting.await.is_none());
    }

    #[tokio::test]
    async fn a_response_that_was_not_sent_is_kept_as_unread_bytes() {
        let buffers = ReplayBuffers::new(100, Budget::new(1000));
        let peer = Peer::new("test", &Limits::default());
        let mut broken = Vec::new();
        for number in 0..3 * MAX_ENDED as u64 {
            let (outlet, frames) = Outlet::new(&peer, &Limits::default());
            let buffer = buffers.open(Purpose::Answer, frames);
            let turn = buffer.take_turn();
            outlet.notify(&notification("before"));
            outlet.answer(&Response::new(Id::number(number), Ok(Json::empty_object()))).await;
            while !buffer.has_ended() {
                buffer.keep_next(turn).await.unwrap();
            }
            broken.push(buffer);
        }
        assert_eq!(buffers.state.lock().buffers.len(), broken.len(), "none of them was sent");
        let unread = peer.unread_bytes();
        assert!(unread > 0 && buffers.kept[0].used() <= 100, "other messages are kept within the budget");
        for (number, buffer) in broken.iter().enumerate() {
            let missed = buffers.find(&buffer.id(0)).unwrap().0.take_turn_after(0).1;
            let expected = Response::new(Id::number(number as u64), Ok(Json::empty_object())).encode();
            assert_eq!(*missed.last().unwrap().data, *expected);
        }
        assert_eq!(peer.unread_bytes(), unread, "it may not arrive");
        broken.iter().for_each(|buffer| buffer.sent(1));
        assert_eq!(peer.unread_bytes(), unread, "a connection that was replaced sent nothing");
        for (number, buffer) in broken.iter().enumerate() {
            // By a connection here, or at another replica.
            match number % 2 {
                0 => buffer.sent(2),
                _ => drop(buffer.moved(Progress::Ended).await),
            }
        }
        assert_eq!(peer.unread_bytes(), 0);
        assert!(buffers.kept[0].used() <= 100, "from now on, they are kept within the budget");
        let (_outlet, frames) = outlet();
        buffers.open(Purpose::Answer, frames);
        assert_eq!(buffers.state.lock().buffers.len(), MAX_ENDED + 1);
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
