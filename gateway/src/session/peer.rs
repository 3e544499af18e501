//! One peer: a principal, otherwise a network address, otherwise the only client on stdio. Its resource use
//! is counted, so that it cannot exhaust what others need.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Weak},
};

use mcp_disclosure_transport::{Budget, ErrorText, Id, Response, Share, code};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::unread::{LARGE, Results, Text};
use crate::limits::{Limits, fixed};

/// One peer. Cheap to clone; usage is counted for as long as any clone exists.
#[derive(Clone)]
pub struct Peer(Arc<Held>);

#[derive(Debug)]
struct Held {
    name: Arc<str>,
    sessions: Budget,
    subscriptions: Budget,
    tasks: Budget,
    upstreams: Budget,
    requests: Budget,
    unread: Budget,
    replay: Budget,
    starts: Semaphore,
    results: Arc<Results>,
}

/// A reservation by a peer, released on drop. A peer is tracked for as long as it holds any.
#[derive(Debug)]
pub struct Place {
    share: Share,
    peer: Peer,
}

impl Place {
    /// Extends a request's reservation by this many bytes.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn grow(&mut self, bytes: usize) -> Result<(), ErrorText> {
        let error =
            || self.peer.refused("bytes of requests in progress", "request_bytes", &self.peer.0.requests);
        if self.share.grow(bytes) { Ok(()) } else { Err(error()) }
    }
}

impl Peer {
    /// A peer with this name and no reservations.
    pub fn new(name: impl Into<Arc<str>>, limits: &Limits) -> Self {
        Self::among(Results::new(limits.unread_bytes), name, limits)
    }

    /// The same, one of several whose unread results are bounded together.
    fn among(results: Arc<Results>, name: impl Into<Arc<str>>, limits: &Limits) -> Self {
        Self(Arc::new(Held {
            name: name.into(),
            sessions: Budget::new(limits.sessions_per_peer),
            subscriptions: Budget::new(limits.subscriptions_per_peer),
            tasks: Budget::new(limits.tasks_per_peer),
            upstreams: Budget::new(limits.upstreams_per_peer),
            requests: Budget::new(limits.request_bytes),
            unread: Budget::new(limits.client_unread_bytes),
            replay: Budget::new(limits.client_replay_bytes),
            starts: Semaphore::new(limits.starts_per_peer.min(Semaphore::MAX_PERMITS)),
            results,
        }))
    }

    /// The peer's name, used in logs and as the key of other limits.
    pub fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// Reserves a session.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn session(&self) -> Result<Place, ErrorText> {
        let sessions = &self.0.sessions;
        self.place(sessions.take(1), || self.refused("sessions", "sessions_per_peer", sessions))
    }

    /// Counts a session that another replica has admitted.
    pub fn session_anyway(&self) -> Place {
        Place { share: self.0.sessions.take_anyway(1), peer: self.clone() }
    }

    /// Reserves this many subscriptions.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn subscriptions(&self, count: usize) -> Result<Place, ErrorText> {
        let held = &self.0.subscriptions;
        self.place(held.take(count), || self.refused("subscriptions", "subscriptions_per_peer", held))
    }

    /// Reserves a task.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn task(&self) -> Result<Place, ErrorText> {
        let held = &self.0.tasks;
        self.place(held.take(1), || self.refused("tasks", "tasks_per_peer", held))
    }

    /// Reserves connections to this many upstreams. The first set is admitted whatever its size, since the
    /// operator declared it.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn upstreams(&self, count: usize) -> Result<Place, ErrorText> {
        let held = &self.0.upstreams;
        let what = "connections to upstreams of its own";
        self.place(held.take_one(count), || self.refused(what, "upstreams_per_peer", held))
    }

    /// Reserves memory for a request of this many bytes, or for its first part.
    ///
    /// # Errors
    /// -32005 if the limit is reached.
    pub fn request(&self, bytes: usize) -> Result<Place, ErrorText> {
        let requests = &self.0.requests;
        let refused = || self.refused("bytes of requests in progress", "request_bytes", requests);
        self.place(requests.take_one(bytes), refused)
    }

    /// Reserves this many bytes of unread messages; `None` if the limit is reached.
    pub fn unread(&self, bytes: usize) -> Option<Place> {
        self.0.unread.take_one(bytes).map(|share| Place { share, peer: self.clone() })
    }

    /// Reserves this many bytes for a response, which cannot be dropped.
    ///
    /// # Errors
    /// -32005, to be sent instead of the response.
    pub fn unread_answer(&self, bytes: usize) -> Result<Place, ErrorText> {
        self.unread(bytes)
            .ok_or_else(|| self.refused("bytes of unread responses", "client_unread_bytes", &self.0.unread))
    }

    /// The text of a response to this request. A large one may be lost for an error before it is read.
    pub fn response(&self, line: Vec<u8>, request: Option<&Id>) -> Text {
        if line.len() <= LARGE {
            return line.into();
        }
        let message =
            "too many bytes of results were not read, and this one was dropped (limits.unread_bytes)";
        let lost = ErrorText::new(code::LIMIT_REACHED, message);
        let instead = Response { id: request.cloned(), outcome: Err(lost) }.encode();
        Text::Large(self.0.results.keep(&self.0.name, line.into(), instead.into()))
    }

    /// Bytes that were not read yet.
    #[cfg(test)]
    pub fn unread_bytes(&self) -> usize {
        self.0.unread.used()
    }

    /// Counts bytes that are sent regardless of the limit.
    pub fn unread_anyway(&self, bytes: usize) -> Place {
        Place { share: self.0.unread.take_anyway(bytes), peer: self.clone() }
    }

    /// The budget for events kept for resumption.
    pub(super) fn replay(&self) -> &Budget {
        &self.0.replay
    }

    /// Permits for starting upstreams.
    pub fn starts(&self) -> &Semaphore {
        &self.0.starts
    }

    fn place(&self, taken: Option<Share>, refused: impl FnOnce() -> ErrorText) -> Result<Place, ErrorText> {
        taken.map(|share| Place { share, peer: self.clone() }).ok_or_else(refused)
    }

    fn refused(&self, what: &str, limit: &'static str, budget: &Budget) -> ErrorText {
        tracing::warn!(peer = %self.0.name, limit, "client reached a limit");
        let most = budget.most();
        let setting = if fixed(limit).is_none() { format!(" (limits.{limit})") } else { String::new() };
        ErrorText::new(
            code::LIMIT_REACHED,
            format_args!("too many {what}: one client, or address, may have {most}{setting}"),
        )
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Peer").field(&self.0.name).finish()
    }
}

/// All peers that hold reservations.
#[derive(Debug)]
pub(crate) struct Peers {
    limits: Limits,
    results: Arc<Results>,
    by_name: Mutex<HashMap<Arc<str>, Weak<Held>>>,
}

impl Peers {
    /// An empty table.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, results: Results::new(limits.unread_bytes), by_name: Mutex::default() }
    }

    /// The peer with this name.
    pub(crate) fn of(&self, name: &str) -> Peer {
        let mut peers = self.by_name.lock();
        if let Some(held) = peers.get(name).and_then(Weak::upgrade) {
            return Peer(held);
        }
        let peer = Peer::among(Arc::clone(&self.results), name, &self.limits);
        peers.insert(Arc::clone(peer.name()), Arc::downgrade(&peer.0));
        peer
    }

    /// Forgets those that hold nothing.
    pub(crate) fn sweep(&self) {
        self.by_name.lock().retain(|_, held| held.strong_count() > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_that_hold_nothing_are_forgotten() {
        let peers = Peers::new(Limits::default());
        let kept = peers.of("kept");
        for number in 0..10_000 {
            peers.of(&number.to_string());
        }
        peers.sweep();
        assert_eq!(peers.by_name.lock().len(), 1);
        assert!(Arc::ptr_eq(&kept.0, &peers.of("kept").0));
    }
}
