//! Outgoing streams to a client.

use std::collections::VecDeque;

use mcp_disclosure_core::brief::shorten;
use mcp_disclosure_transport::{Budget, ErrorText, Message, Notification, Response, Share, code};
use tokio::sync::{mpsc, watch};

use super::{Peer, Place, Text};
use crate::limits::Limits;

/// The longest error that is kept whole beside its line, in bytes: a large line may be lost to make room, and what is kept
/// beside it takes none.
const LONGEST_ERROR: usize = 4 * 1024;

/// An outgoing message, as one line of JSON.
#[derive(Clone, Debug)]
pub enum Frame {
    /// A notification or a request.
    Message(Text),
    /// A response, with its error if it is one, under the code by which it is answered over HTTP; of a long one, code and message.
    Answer(Text, Option<ErrorText>),
}

impl Frame {
    /// Whether no frame of the same stream follows.
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Answer(..))
    }

    /// The line, without a line terminator.
    pub fn into_text(self) -> Text {
        match self {
            Self::Message(text) | Self::Answer(text, _) => text,
        }
    }
}

/// A queued frame.
#[derive(Debug)]
pub struct Queued {
    /// The frame.
    pub frame: Frame,
    /// Its bytes, which count as unread until this is dropped.
    pub place: Place,
    _in_stream: Option<Share>,
}

/// The receiving half of an [`Outlet`].
pub(crate) type Frames = mpsc::Receiver<Queued>;

/// The sending half of a stream to a client: a request's own stream, or the general one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outlet {
    frames: mpsc::Sender<Queued>,
    budget: Budget,
    peer: Peer,
    answers_only: bool,
}

impl Outlet {
    /// Maximum queued messages. Beyond it, and beyond the byte limits, notifications are dropped: a slow
    /// client must not block an upstream or fill memory.
    const WAITING: usize = 256;

    /// A new outlet for a stream to this peer, and its receiving half.
    pub fn new(peer: &Peer, limits: &Limits) -> (Self, Frames) {
        let (frames, receiver) = mpsc::channel(Self::WAITING);
        let budget = Budget::new(limits.client_queue_bytes);
        (Self { frames, budget, peer: peer.clone(), answers_only: false }, receiver)
    }

    /// The same outlet for a stream that can carry only a response: other messages are dropped.
    pub fn for_answers_only(self) -> Self {
        Self { answers_only: true, ..self }
    }

    /// The outlet of a stream to the same peer that is over.
    pub fn ended(&self) -> Self {
        Self { frames: mpsc::channel(1).0, ..self.clone() }
    }

    /// Whether its stream was answered on, or its client is gone.
    pub fn is_over(&self) -> bool {
        self.frames.is_closed()
    }

    /// Whether requests to the client can be sent here.
    pub fn takes_requests(&self) -> bool {
        !self.answers_only && !self.is_over()
    }

    /// Queues a notification, or drops it if the queue is full. `false` if the client is gone.
    pub fn notify(&self, notification: &Notification) -> bool {
        self.offer(notification.encode())
    }

    /// Queues a request. `false` if the client is gone or the queue is full.
    pub fn request(&self, request: &Message) -> bool {
        self.takes_requests() && self.send(request.encode())
    }

    /// Queues a response, waiting as long as the client takes to read. A response that exceeds the peer's
    /// unread bytes becomes an error.
    pub async fn answer(&self, response: &Response) {
        let (mut error, mut line) = (response.outcome.as_ref().err().map(own), response.encode());
        let place = self.peer.unread_answer(line.len()).unwrap_or_else(|refused| {
            error = Some(refused.clone());
            line = Response { id: response.id.clone(), outcome: Err(refused) }.encode();
            self.peer.unread_anyway(line.len())
        });
        let text = self.peer.response(line, response.id.as_ref());
        let queued = Queued { frame: Frame::Answer(text, error), place, _in_stream: None };
        // If the client is gone, its response is dropped.
        let _gone = self.frames.send(queued).await;
    }

    /// Waits until the queue has room, or the client is gone.
    pub async fn room(&self) {
        if self.frames.capacity() == 0 {
            let _gone = self.frames.reserve().await;
        }
    }

    /// Queues a message that is no response, if there is room.
    fn send(&self, line: Vec<u8>) -> bool {
        let room = self.budget.take_one(line.len()).zip(self.peer.unread(line.len()));
        room.is_some_and(|(in_stream, place)| {
            let frame = Frame::Message(line.into());
            self.frames.try_send(Queued { frame, place, _in_stream: Some(in_stream) }).is_ok()
        })
    }

    fn offer(&self, message: Vec<u8>) -> bool {
        if self.answers_only || self.send(message) {
            return true;
        }
        let is_there = !self.is_over();
        if is_there {
            tracing::debug!("notification dropped: client reads too slowly");
        }
        is_there
    }
}

/// The error as this gateway's own. An upstream's -32006 is not about the store of our sessions.
fn own(error: &ErrorText) -> ErrorText {
    let code = match error.code() {
        code::STORE_UNAVAILABLE if error.is_relayed() => code::UPSTREAM_FAILED,
        code => code,
    };
    if error.text().as_str().len() > LONGEST_ERROR {
        return ErrorText::new(code, shorten(&error.message(), LONGEST_ERROR / 4));
    }
    if code == error.code() { error.clone() } else { error.clone().recoded(code) }
}

/// A session's general stream for messages that belong to no request: its connection, or an event stream that
/// may not be open.
#[derive(Debug, Default)]
pub struct Outbox(watch::Sender<State>);

#[derive(Debug, Default)]
struct State {
    outlet: Option<Outlet>,
    waiting: VecDeque<Vec<u8>>,
    closed: bool,
}

impl State {
    /// The stream, if it is open.
    fn open(&self) -> Option<&Outlet> {
        self.outlet.as_ref().filter(|outlet| outlet.takes_requests())
    }
}

impl Outbox {
    /// Maximum messages kept while no stream is open.
    const KEPT: usize = 16;

    /// Maximum bytes kept while no stream is open.
    const KEPT_BYTES: usize = 256 * 1024;

    /// Sends a notification, or keeps it until a stream is opened.
    pub fn notify(&self, notification: &Notification) {
        self.0.send_if_modified(|state| {
            let message = notification.encode();
            if state.outlet.as_ref().is_some_and(|outlet| outlet.offer(message.clone())) {
                return false;
            }
            state.outlet = None;
            if !state.waiting.contains(&message) {
                state.waiting.push_back(message);
                let bytes = |waiting: &VecDeque<Vec<u8>>| waiting.iter().map(Vec::len).sum::<usize>();
                while state.waiting.len() > Self::KEPT || bytes(&state.waiting) > Self::KEPT_BYTES {
                    state.waiting.pop_front();
                }
            }
            false
        });
    }

    /// Makes this the general stream and sends what was kept. A previous stream is closed.
    pub fn open(&self, outlet: Outlet) {
        self.0.send_modify(|state| {
            for message in std::mem::take(&mut state.waiting) {
                outlet.offer(message);
            }
            state.outlet = Some(outlet);
        });
    }

    /// Closes the general stream permanently.
    pub fn close(&self) {
        self.0.send_modify(|state| (state.outlet, state.closed) = (None, true));
    }

    /// Whether a stream is open.
    pub fn is_open(&self) -> bool {
        self.0.borrow().open().is_some()
    }

    /// Waits for an open stream; `None` once the session is closed.
    pub async fn opened(&self) -> Option<Outlet> {
        let mut state = self.0.subscribe();
        let decided = state.wait_for(|state| state.closed || state.open().is_some()).await.ok()?;
        decided.open().filter(|_| !decided.closed).cloned()
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::RawObject;
    use mcp_disclosure_transport::Id;

    use super::*;

    #[tokio::test]
    async fn k4_an_upstreams_own_error_is_not_that_of_a_store() {
        let (outlet, mut frames) = Outlet::new(&Peer::new("test", &Limits::default()), &Limits::default());
        let relayed =
            ErrorText::relayed(RawObject::parse(r#"{"code":-32006,"message":"mine"}"#).unwrap().into());
        let own = ErrorText::new(code::STORE_UNAVAILABLE, "ours");
        for (error, expected) in [(relayed, code::UPSTREAM_FAILED), (own, code::STORE_UNAVAILABLE)] {
            outlet.answer(&Response::new(Id::number(1), Err(error))).await;
            let frame = frames.recv().await.unwrap().frame;
            let Frame::Answer(text, answered) = frame else { panic!("{frame:?}") };
            assert!(
                String::from_utf8(text.into_line()).unwrap().contains("-32006"),
                "it is passed on as it is"
            );
            assert_eq!(answered.map(|error| error.code()), Some(expected));
        }
    }

    #[tokio::test]
    async fn p8_of_a_long_error_little_is_kept_beside_its_line() {
        let (outlet, mut frames) = Outlet::new(&Peer::new("test", &Limits::default()), &Limits::default());
        let long = RawObject::empty().with_value("code", &code::LIMIT_REACHED);
        let long = long.with_value("message", "mine").with_value("data", &"x".repeat(1_000_000));
        outlet.answer(&Response::new(Id::number(1), Err(ErrorText::relayed(long.into())))).await;
        let frame = frames.recv().await.unwrap().frame;
        let Frame::Answer(text, Some(kept)) = frame else { panic!("{frame:?}") };
        assert!(text.into_line().len() > 1_000_000);
        assert_eq!(kept, ErrorText::new(code::LIMIT_REACHED, "mine"));
    }
}
