//! The way back to a client.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use tokio::sync::{Notify, mpsc};

use crate::wire::{ErrorText, Message, Notification, Response};

/// A message on its way to a client, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Something told or asked: a notification or a request.
    Told(Vec<u8>),
    /// The answer to a request, and its error code if it is an error.
    Answer(Vec<u8>, Option<i64>),
}

impl Frame {
    /// The line, without its end.
    pub fn into_line(self) -> Vec<u8> {
        match self {
            Self::Told(line) | Self::Answer(line, _) => line,
        }
    }
}

/// Takes messages for one client, or for one of its requests. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Outlet {
    frames: mpsc::Sender<Frame>,
    answers_only: bool,
}

impl Outlet {
    /// So many messages may wait for a client that reads slowly. Beyond that notifications are dropped:
    /// one client's trouble must not slow an upstream, nor fill memory.
    const WAITING: usize = 256;

    /// An outlet, and what comes out of it.
    pub fn new() -> (Self, mpsc::Receiver<Frame>) {
        let (frames, receiver) = mpsc::channel(Self::WAITING);
        (Self { frames, answers_only: false }, receiver)
    }

    /// The same for a client that takes an answer and nothing else: what it is told is dropped.
    pub fn for_answers_only(self) -> Self {
        Self { answers_only: true, ..self }
    }

    /// Whether requests to the client can go here.
    pub fn can_ask(&self) -> bool {
        !self.answers_only && !self.frames.is_closed()
    }

    /// Sends a notification if there is room for it. `false` if the client is gone.
    pub fn tell(&self, notification: &Notification) -> bool {
        self.offer(notification.encode())
    }

    /// Sends a request; `false` if the client is gone, or reads too slowly to be asked.
    pub fn ask(&self, request: &Message) -> bool {
        self.can_ask() && self.frames.try_send(Frame::Told(request.encode())).is_ok()
    }

    /// Sends an answer, however long the client takes to read.
    pub async fn answer(&self, response: &Response) {
        let error = response.outcome.as_ref().err().map(ErrorText::code);
        // A client that is gone has no use for its answer.
        let _gone = self.frames.send(Frame::Answer(response.encode(), error)).await;
    }

    /// Waits until one more message would not have to wait, or the client is gone.
    pub async fn room(&self) {
        let _gone = self.frames.reserve().await;
    }

    fn offer(&self, message: Vec<u8>) -> bool {
        if self.answers_only {
            return true;
        }
        match self.frames.try_send(Frame::Told(message)) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                tracing::debug!("a notification was dropped: the client reads too slowly");
                true
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }
}

/// Where a session is told things unasked: its connection, or the event stream it may or may not have
/// open.
#[derive(Debug, Default)]
pub struct Outbox {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    outlet: Option<Outlet>,
    waiting: VecDeque<Vec<u8>>,
    closed: bool,
}

impl Outbox {
    /// So many messages are kept for a client that has no stream open.
    const KEPT: usize = 16;

    /// Tells the client, now or when it opens a stream.
    pub fn tell(&self, notification: &Notification) {
        let mut state = self.state();
        let message = notification.encode();
        if state.outlet.as_ref().is_some_and(|outlet| outlet.offer(message.clone())) {
            return;
        }
        state.outlet = None;
        if !state.waiting.contains(&message) {
            if state.waiting.len() == Self::KEPT {
                state.waiting.pop_front();
            }
            state.waiting.push_back(message);
        }
    }

    /// Sends what waits, and all that comes, here. A former stream of the session ends.
    pub fn open(&self, outlet: Outlet) {
        let mut state = self.state();
        for message in std::mem::take(&mut state.waiting) {
            outlet.offer(message);
        }
        state.outlet = Some(outlet);
        drop(state);
        self.changed.notify_waiters();
    }

    /// Ends the stream, if one is open, for good.
    pub fn close(&self) {
        let mut state = self.state();
        state.outlet = None;
        state.closed = true;
        drop(state);
        self.changed.notify_waiters();
    }

    /// Whether a stream is open.
    pub fn is_open(&self) -> bool {
        self.state().outlet.as_ref().is_some_and(Outlet::can_ask)
    }

    /// The stream, as soon as one is open; `None` once there never will be.
    pub async fn opened(&self) -> Option<Outlet> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            {
                let state = self.state();
                if state.closed {
                    return None;
                }
                if let Some(outlet) = state.outlet.as_ref().filter(|outlet| outlet.can_ask()) {
                    return Some(outlet.clone());
                }
            }
            changed.await;
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
