//! Events that the gateway has not heard yet, within limits.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_disclosure_gateway::store::{Event, LONGEST_NEWS};
use tokio::sync::{Mutex, mpsc};

/// Most events that wait.
const EVENTS: usize = 10_000;

/// Most bytes of long messages that wait.
const BYTES: usize = 8 * 1024 * 1024;

/// Where events wait.
#[derive(Debug)]
pub(crate) struct Events {
    waiting: mpsc::Sender<Event>,
    long: Arc<AtomicUsize>,
}

/// Where they are heard.
#[derive(Debug)]
pub(crate) struct Hearing {
    waiting: Mutex<mpsc::Receiver<Event>>,
    long: Arc<AtomicUsize>,
}

/// Both ends.
pub(crate) fn events() -> (Events, Hearing) {
    let (sender, receiver) = mpsc::channel(EVENTS);
    let long = Arc::<AtomicUsize>::default();
    (Events { waiting: sender, long: Arc::clone(&long) }, Hearing { waiting: Mutex::new(receiver), long })
}

impl Events {
    /// Adds one. `false` if there are too many; a long message is dropped instead, so that no peer's messages end a tenure.
    pub(crate) fn add(&self, event: Event) -> bool {
        let length = long(&event);
        if self.long.load(Ordering::Relaxed) + length > BYTES {
            tracing::warn!(
                bytes = length,
                "too much waits to be heard; a message of another replica was dropped"
            );
            return true;
        }
        self.long.fetch_add(length, Ordering::Relaxed);
        self.waiting.try_send(event).is_ok()
    }
}

impl Hearing {
    /// The next one; `None` if there will be none.
    pub(crate) async fn next(&self) -> Option<Event> {
        let event = self.waiting.lock().await.recv().await?;
        self.long.fetch_sub(long(&event), Ordering::Relaxed);
        Some(event)
    }
}

/// How many bytes an event counts: those of a long message.
fn long(event: &Event) -> usize {
    match event {
        Event::Message(message) if message.len() > LONGEST_NEWS => message.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn k4_long_messages_are_dropped_before_short_ones_are() {
        let (events, hearing) = events();
        let message = |length: usize| Event::Message(vec![b'x'; length]);
        for _ in 0..9 {
            assert!(events.add(message(1024 * 1024)));
        }
        assert!(events.add(message(7)), "a short one always has room");
        for _ in 0..8 {
            assert_eq!(hearing.next().await, Some(message(1024 * 1024)));
        }
        assert_eq!(hearing.next().await, Some(message(7)), "the ninth was dropped");
        assert!(events.add(message(BYTES)), "what was heard makes room");
        assert_eq!(hearing.next().await, Some(message(BYTES)));
        assert!((0..EVENTS).all(|_| events.add(message(7))));
        assert!(!events.add(message(7)));
    }
}
