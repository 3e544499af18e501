//! What backends learn from slots.

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::Share;
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};

/// An event of a slot.
#[derive(Clone, Debug)]
pub enum Event {
    /// Its status changed.
    Changed,
    /// A subscribed resource changed: the notification's parameters, and the queue space they take.
    ResourceUpdated(RawObject, Arc<Share>),
}

/// Signals of a slot's connection: events for backends, and changed lists for the slot itself.
#[derive(Debug, Default)]
pub struct Signals {
    followers: Mutex<Vec<mpsc::UnboundedSender<(usize, Event)>>>,
    lists: Notify,
}

impl Signals {
    /// Sends events to this follower from now on.
    pub fn attach(&self, follower: mpsc::UnboundedSender<(usize, Event)>) {
        let mut followers = self.followers.lock();
        // Backends of clients that are gone.
        followers.retain(|follower| !follower.is_closed());
        followers.push(follower);
    }

    /// Sends an event of the upstream with this number to all followers that are still there.
    pub fn send(&self, number: usize, event: &Event) {
        self.followers.lock().retain(|follower| follower.send((number, event.clone())).is_ok());
    }

    /// Lists of the upstream may have changed.
    pub fn lists_changed(&self) {
        self.lists.notify_one();
    }

    /// Waits for changed lists. Changes while nothing waits lead to one more return.
    pub(super) async fn changed_lists(&self) {
        self.lists.notified().await;
    }
}
