//! Lists that change, and who is notified.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    service::{Peer, SubscriptionSink},
};

/// A list that can change.
#[derive(Clone, Copy)]
pub(super) enum List {
    Tools,
    Prompts,
}

/// Which lists have grown, and who listens.
#[derive(Default)]
pub(super) struct News {
    tools: AtomicBool,
    prompts: AtomicBool,
    sessions: Mutex<Vec<Peer<RoleServer>>>,
    listeners: Mutex<Vec<SubscriptionSink>>,
}

impl News {
    /// Whether a list has grown.
    pub(super) fn has_grown(&self, list: List) -> bool {
        self.flag(list).load(Ordering::SeqCst)
    }

    /// Tells this session from now on.
    pub(super) fn add_session(&self, peer: Peer<RoleServer>) {
        let mut sessions = self.sessions.lock();
        sessions.retain(|peer| !peer.is_transport_closed());
        sessions.push(peer);
    }

    /// Tells this listener until it is gone.
    pub(super) fn add_listener(&self, sink: SubscriptionSink) {
        self.listeners.lock().push(sink);
    }

    /// Forgets a listener.
    pub(super) fn remove_listener(&self, sink: &SubscriptionSink) {
        self.listeners.lock().retain(|other| other.id() != sink.id());
    }

    /// Lets a list grow, or shrink again, and tells everyone.
    pub(super) async fn change(&self, list: List) {
        self.flag(list).fetch_xor(true, Ordering::SeqCst);
        let sessions = self.sessions.lock().clone();
        for peer in sessions {
            let _gone = match list {
                List::Tools => peer.notify_tool_list_changed().await,
                List::Prompts => peer.notify_prompt_list_changed().await,
            };
        }
        let listeners = self.listeners.lock().clone();
        for sink in listeners {
            let _not_wanted = match list {
                List::Tools => sink.notify_tool_list_changed().await,
                List::Prompts => sink.notify_prompt_list_changed().await,
            };
        }
    }

    fn flag(&self, list: List) -> &AtomicBool {
        match list {
            List::Tools => &self.tools,
            List::Prompts => &self.prompts,
        }
    }
}
