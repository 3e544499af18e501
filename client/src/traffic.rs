//! Counts the messages of a connection, and passes them to an observer.

use std::{
    fmt,
    ops::Sub,
    sync::Arc,
    time::{Duration, Instant},
};

pub use mcp_disclosure_transport::{Direction, Passage, PassageKind as Kind};
use parking_lot::Mutex;

/// The traffic of a connection so far. The difference of two values is the traffic in between.
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
    /// Responses, including errors.
    pub answers: u64,
    /// Notifications.
    pub notifications: u64,
    /// Bytes of JSON text. Line ends, HTTP headers and event framing are not counted, so that transports are
    /// comparable.
    pub bytes: u64,
}

impl Traffic {
    /// Requests of this client, including the handshake: each is one round trip.
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

/// Receives every message, in order. It is called where messages are read and written, so it should return quickly.
pub type Observer = Arc<dyn Fn(&Passage<'_>) + Send + Sync>;

/// Counts messages.
pub(crate) struct Meter {
    opened: Instant,
    flows: Mutex<(Flow, Flow)>,
    observer: Option<Observer>,
}

impl Meter {
    pub(crate) fn new(observer: Option<Observer>) -> Self {
        Self { opened: Instant::now(), flows: Mutex::default(), observer }
    }

    pub(crate) fn pass(&self, message: &Passage<'_>) {
        {
            let mut flows = self.flows.lock();
            let flow = if message.direction == Direction::Sent { &mut flows.0 } else { &mut flows.1 };
            flow.count(message.kind, message.text.len());
        }
        if let Some(observer) = &self.observer {
            observer(message);
        }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        let (sent, received) = *self.flows.lock();
        Traffic { sent, received, elapsed: self.opened.elapsed() }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.traffic().fmt(formatter)
    }
}
