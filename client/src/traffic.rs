//! Counts the messages of a connection, and passes them to an observer.

use std::{fmt, sync::Arc};

pub use mcp_disclosure_transport::{Direction, Passage, PassageKind as Kind};
use parking_lot::Mutex;

/// The traffic of a connection so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests of this client, including the handshake.
    pub round_trips: u64,
    /// Bytes of JSON text to the server. Line ends, HTTP headers and event framing are not counted, so that transports are
    /// comparable.
    pub sent_bytes: u64,
    /// The same from the server.
    pub received_bytes: u64,
}

impl Traffic {
    /// Bytes of JSON text in both directions.
    pub fn bytes(&self) -> u64 {
        self.sent_bytes + self.received_bytes
    }
}

/// Receives every message, in order. It is called where messages are read and written, so it should return quickly.
pub type Observer = Arc<dyn Fn(&Passage<'_>) + Send + Sync>;

/// Counts messages.
pub(crate) struct Meter {
    traffic: Mutex<Traffic>,
    observer: Option<Observer>,
}

impl Meter {
    pub(crate) fn new(observer: Option<Observer>) -> Self {
        Self { traffic: Mutex::default(), observer }
    }

    pub(crate) fn pass(&self, message: &Passage<'_>) {
        {
            let mut traffic = self.traffic.lock();
            let is_sent = message.direction == Direction::Sent;
            traffic.round_trips += u64::from(is_sent && message.kind == Kind::Request);
            let bytes = if is_sent { &mut traffic.sent_bytes } else { &mut traffic.received_bytes };
            *bytes += message.text.len() as u64;
        }
        if let Some(observer) = &self.observer {
            observer(message);
        }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        *self.traffic.lock()
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.traffic().fmt(formatter)
    }
}
