//! The queue of events for the gateway, within limits.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_disclosure_gateway::store::{Event, RELIABLE_MESSAGE_BYTES};
use tokio::sync::{Mutex, mpsc};

/// Maximum number of queued events.
const EVENTS: usize = 10_000;

/// Maximum bytes of queued long messages.
const BYTES: usize = 8 * 1024 * 1024;

/// The sending half of the queue.
#[derive(Debug)]
pub(crate) struct EventSender {
    waiting: mpsc::Sender<Event>,
    long: Arc<AtomicUsize>,
}

/// The receiving half.
#[derive(Debug)]
pub(crate) struct EventReceiver {
    waiting: Mutex<mpsc::Receiver<Event>>,
    long: Arc<AtomicUsize>,
}

/// An empty queue.
pub(crate) fn events() -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::channel(EVENTS);
    let long = Arc::<AtomicUsize>::default();
    (
        EventSender { waiting: sender, long: Arc::clone(&long) },
        EventReceiver { waiting: Mutex::new(receiver), long },
    )
}

impl EventSender {
    /// Queues an event. `false` if the queue is full, which ends the lease. Long messages beyond [`BYTES`] are dropped instead,
    /// so that what clients post cannot end it.
    pub(crate) fn add(&self, event: Event) -> bool {
        let length = long(&event);
        if self.long.load(Ordering::Relaxed) + length > BYTES {
            tracing::warn!(
                bytes = length,
                "the queue of long messages is full; a message from another replica was dropped"
            );
            return true;
        }
        self.long.fetch_add(length, Ordering::Relaxed);
        let is_queued = self.waiting.try_send(event).is_ok();
        if !is_queued {
            self.long.fetch_sub(length, Ordering::Relaxed);
        }
        is_queued
    }
}

impl EventReceiver {
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
        Event::Message(message) if message.len() > RELIABLE_MESSAGE_BYTES => message.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn k4_long_messages_are_dropped_before_short_ones_are() {
        let (events, receiver) = events();
        let message = |length: usize| Event::Message(vec![b'x'; length]);
        for _ in 0..9 {
            assert!(events.add(message(1024 * 1024)));
        }
        assert!(events.add(message(7)), "a short one always has room");
        for _ in 0..8 {
            assert_eq!(receiver.next().await, Some(message(1024 * 1024)));
        }
        assert_eq!(receiver.next().await, Some(message(7)), "the ninth was dropped");
        assert!(events.add(message(BYTES)), "what was heard makes room");
        assert_eq!(receiver.next().await, Some(message(BYTES)));
        assert!((0..EVENTS).all(|_| events.add(message(7))));
        assert!(!events.add(message(7)));
    }
}
