//! What goes over a connection: counted, and shown to whoever wants to watch.

use std::{
    fmt,
    ops::Sub,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// What went over a connection so far. The difference of two is what went over it in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// From this client to the server.
    pub sent: Flow,
    /// From the server to this client.
    pub received: Flow,
    /// Wall time since the connection was opened.
    pub elapsed: Duration,
}

/// Messages in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Requests.
    pub requests: u64,
    /// Answers to requests, errors among them.
    pub answers: u64,
    /// Notifications.
    pub notifications: u64,
    /// Bytes of JSON text. Line ends, HTTP heads and event framing are left out, so that transports compare.
    pub bytes: u64,
}

impl Traffic {
    /// Requests of this client, the handshake included: each is one trip to the server and back.
    pub fn round_trips(&self) -> u64 {
        self.sent.requests
    }

    /// Bytes of JSON text in both directions.
    pub fn bytes(&self) -> u64 {
        self.sent.bytes + self.received.bytes
    }
}

impl Flow {
    /// Messages of all kinds.
    pub fn messages(&self) -> u64 {
        self.requests + self.answers + self.notifications
    }

    fn count(&mut self, kind: Kind, bytes: usize) {
        match kind {
            Kind::Request => self.requests += 1,
            Kind::Answer => self.answers += 1,
            Kind::Notification => self.notifications += 1,
        }
        self.bytes += bytes as u64;
    }
}

impl Sub for Traffic {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            received: self.received - earlier.received,
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
        }
    }
}

impl Sub for Flow {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            requests: self.requests - earlier.requests,
            answers: self.answers - earlier.answers,
            notifications: self.notifications - earlier.notifications,
            bytes: self.bytes - earlier.bytes,
        }
    }
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this client to the server.
    Sent,
    /// From the server to this client.
    Received,
}

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Wants an answer.
    Request,
    /// Is one: a result or an error.
    Answer,
    /// Wants none.
    Notification,
}

/// One message on its way.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// Which way it goes.
    pub direction: Direction,
    /// What kind it is.
    pub kind: Kind,
    /// Its method; that of the request for an answer, and empty for an answer that nobody waits for.
    pub method: &'a str,
    /// The whole message.
    pub text: &'a str,
}

/// Sees every message as it passes, in order. It is called where messages are read and written, so it should
/// return soon.
pub type Observer = Arc<dyn Fn(&Passage<'_>) + Send + Sync>;

/// Counts what passes.
pub(crate) struct Meter {
    opened: Instant,
    flows: Mutex<(Flow, Flow)>,
    observer: Option<Observer>,
}

impl Meter {
    pub(crate) fn new(observer: Option<Observer>) -> Self {
        Self { opened: Instant::now(), flows: Mutex::default(), observer }
    }

    pub(crate) fn pass(&self, direction: Direction, kind: Kind, method: &str, text: &str) {
        {
            let mut flows = self.flows.lock().unwrap_or_else(PoisonError::into_inner);
            let flow = if direction == Direction::Sent { &mut flows.0 } else { &mut flows.1 };
            flow.count(kind, text.len());
        }
        if let Some(observer) = &self.observer {
            observer(&Passage { direction, kind, method, text });
        }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let (sent, received) = *self.flows.lock().unwrap_or_else(PoisonError::into_inner);
        Traffic { sent, received, elapsed: self.opened.elapsed() }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.traffic().fmt(formatter)
    }
}
