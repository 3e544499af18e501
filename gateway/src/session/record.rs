//! One session: the state kept for a client between its requests.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use mcp_disclosure_core::{Kind, Marks, Memory, Notes, Permits, Principal};
use mcp_disclosure_transport::LoggingLevel;
use parking_lot::Mutex;

use super::{
    Address, Client, InFlight, Location, Peer, Place, ReplayBuffer, ReplayBuffers, StreamEvent, Watched,
    list_changed,
};
use crate::{backend::Backend, dialect::Revision, limits::Limits, negotiation::Choice, observe::Who};

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Who opens the session; requests of other principals are rejected.
    pub principal: Principal,
    /// Where it is opened.
    pub address: Address,
    /// The client itself.
    pub client: Arc<Client>,
    /// The peer that the session counts against.
    pub peer: Peer,
}

/// A new session id: 128 random bits in hexadecimal.
///
/// # Errors
/// If the operating system provides no randomness.
pub(crate) fn new_id() -> Result<Arc<str>, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
}

/// A session of a revision up to 2025-11-25.
#[derive(Debug)]
pub struct Session {
    id: Arc<str>,
    revision: Revision,
    choice: Choice,
    /// Who opened it.
    principal: Principal,
    admitted: Mutex<Admitted>,
    location: Location,
    /// What the client calls itself.
    client_name: Box<str>,
    /// The delivery receipts of this session.
    pub marks: Marks,
    /// Requests in progress.
    pub in_flight: InFlight,
    /// Event streams, with the events kept for resumption.
    pub replay: ReplayBuffers,
    /// Its client.
    pub client: Arc<Client>,
    memory: Mutex<Memory>,
    log_level: Mutex<Option<LoggingLevel>>,
    subscriptions: Mutex<HashMap<Watched, Place>>,
    opened: Instant,
    /// Milliseconds from `opened` to the last use.
    used: AtomicU64,
    /// Whether it sent a request after the handshake.
    has_worked: AtomicBool,
    /// Whether the client used a filter's own methods or members.
    speaks_natively: AtomicBool,
    peer: Peer,
    /// The backend that serves it, kept alive for as long as the session is referenced, even after it ended.
    backend: Arc<Backend>,
    _place: Place,
}

/// What its principal was permitted at the last request. Changes of permissions are numbered.
#[derive(Debug)]
struct Admitted {
    permits: Permits,
    /// The last change that these permissions are no older than, once subscriptions follow them.
    at: u64,
    /// The last change that may concern it.
    changed: u64,
}

impl Admitted {
    /// Takes over permissions as of a change, unless a later one is known. Whether they may differ.
    fn take_over(&mut self, permits: &Permits, at: u64) -> bool {
        if at < self.at.max(self.changed) {
            return false;
        }
        let may_differ = at > self.at || self.permits != *permits;
        if may_differ {
            self.permits = permits.clone();
        }
        may_differ
    }

    /// Whether subscriptions follow the last change.
    fn is_current(&self) -> bool {
        self.at >= self.changed
    }
}

impl Session {
    /// A session opened by `initialize`; `place` is its reservation.
    pub fn new(
        id: Arc<str>,
        revision: Revision,
        choice: Choice,
        opening: Opening,
        backend: Arc<Backend>,
        place: Place,
        limits: &Limits,
    ) -> Self {
        Self {
            id,
            revision,
            choice,
            admitted: Mutex::new(Admitted {
                permits: opening.principal.permits().clone(),
                at: 0,
                changed: 0,
            }),
            principal: opening.principal,
            location: opening.address.location,
            client_name: Box::default(),
            marks: Marks::default(),
            in_flight: InFlight::default(),
            replay: ReplayBuffers::new(limits.client_queue_bytes, opening.peer.replay().clone()),
            client: opening.client,
            memory: Mutex::default(),
            log_level: Mutex::default(),
            subscriptions: Mutex::default(),
            opened: Instant::now(),
            used: AtomicU64::new(0),
            has_worked: AtomicBool::new(false),
            speaks_natively: AtomicBool::new(false),
            peer: opening.peer,
            backend,
            _place: place,
        }
    }

    /// The session of a client that calls itself this.
    pub fn of_client(self, name: &str) -> Self {
        Self { client_name: name.into(), ..self }
    }

    /// The id, as in the `Mcp-Session-Id` header and in logs.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The backend that serves it.
    pub fn backend(&self) -> &Arc<Backend> {
        &self.backend
    }

    /// The negotiated protocol revision.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The strategy that serves it, with the client's traits as known so far.
    pub fn choice(&self) -> Choice {
        let mut choice = self.choice.clone();
        choice.traits.filter_bridge &= !self.speaks_natively.load(Ordering::Relaxed);
        choice
    }

    /// Records that the client used a filter's own methods or members.
    pub fn speak_natively(&self) {
        self.speaks_natively.store(true, Ordering::Relaxed);
    }

    /// The name of the strategy that serves it.
    pub fn strategy(&self) -> &Arc<str> {
        &self.choice.name
    }

    /// Its client, for observers; `label` is the beginning of its id.
    pub(crate) fn who<'a>(&'a self, label: &'a str, principal: &'a Principal) -> Who<'a> {
        Who {
            principal: principal.id(),
            session: Some(label),
            strategy: &self.choice.name,
            client: &self.client_name,
        }
    }

    /// The principal that opened it, the only one allowed to use it, with its permissions at the last request.
    pub fn principal(&self) -> Principal {
        self.principal.clone().permitted(self.admitted.lock().permits.clone())
    }

    /// Takes over the permissions that its principal had after this change, unless a later one is known. Whether
    /// subscriptions have to follow them, before [`resume`](Self::resume).
    pub fn readmit(&self, principal: &Principal, at: u64) -> bool {
        self.admitted.lock().take_over(principal.permits(), at)
    }

    /// Its subscriptions follow its permissions as of this change.
    pub fn resume(&self, at: u64) {
        let mut known = self.admitted.lock();
        known.at = known.at.max(at);
    }

    /// Its permissions may have changed: until a request that was admitted after this change, nothing is sent about what
    /// it is subscribed to.
    pub fn await_readmission(&self, change: u64) {
        let mut known = self.admitted.lock();
        known.changed = known.changed.max(change);
    }

    /// The URL path at which it was opened.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The empty event that starts a stream and makes it resumable. `None` for clients of earlier revisions,
    /// which may take it for a message.
    pub fn first_event(&self, buffer: &ReplayBuffer) -> Option<StreamEvent> {
        if self.revision < Revision::V2025_11_25 { None } else { buffer.first_event() }
    }

    /// Records a use, for the idle time-out.
    pub fn touch(&self) {
        let since = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.store(since, Ordering::Relaxed);
    }

    /// Records the first request after the handshake.
    pub fn begin_work(&self) {
        self.has_worked.store(true, Ordering::Relaxed);
    }

    /// The peer it counts against.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Whether it can be ended: unused for `limit`, or for `unused` since the handshake, with no request in
    /// progress and no stream open.
    pub fn is_idle(&self, limit: Duration, unused: Duration) -> bool {
        let last = self.opened + Duration::from_millis(self.used.load(Ordering::Relaxed));
        let is_unused = !self.has_worked.load(Ordering::Relaxed) && self.opened.elapsed() >= unused;
        let is_quiet = || self.in_flight.is_empty() && !self.client.outbox().is_open();
        (last.elapsed() >= limit || is_unused) && is_quiet()
    }

    /// What strategies recorded about the client so far.
    pub fn memory(&self) -> Memory {
        self.memory.lock().clone()
    }

    /// Merges changes into a strategy's notes. Returns the memory before and after.
    pub fn remember(&self, strategy: &str, changes: Notes) -> (Memory, Memory) {
        let mut memory = self.memory.lock();
        let after = memory.with(strategy, changes);
        (std::mem::replace(&mut *memory, after.clone()), after)
    }

    /// Sends a `list_changed` notification for each of these kinds.
    pub fn notify_changed(&self, kinds: &[Kind]) {
        list_changed(kinds).iter().for_each(|(_, news)| self.client.outbox().notify(news));
    }

    /// Sets the minimum log level, by `logging/setLevel`.
    pub fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock() = Some(level);
    }

    /// The minimum log level, if the client set one.
    pub fn log_level(&self) -> Option<LoggingLevel> {
        *self.log_level.lock()
    }

    /// Adds a subscription; `place` is its reservation. `false` if the client was already subscribed.
    pub fn subscribe(&self, watched: Watched, place: Place) -> bool {
        let mut subscriptions = self.subscriptions.lock();
        let is_new = !subscriptions.contains_key(&watched);
        if is_new {
            subscriptions.insert(watched, place);
        }
        is_new
    }

    /// Whether the client is subscribed to this resource.
    pub fn is_subscribed(&self, watched: &Watched) -> bool {
        self.subscriptions.lock().contains_key(watched)
    }

    /// Whether the client is to be notified of this resource.
    pub fn wants_updates_of(&self, watched: &Watched) -> bool {
        let is_current = self.admitted.lock().is_current();
        is_current && self.is_subscribed(watched)
    }

    /// Ends the subscriptions to other resources than these, and returns them.
    pub fn keep_subscriptions(&self, keep: impl Fn(&Watched) -> bool) -> Vec<Watched> {
        self.subscriptions
            .lock()
            .extract_if(|watched, _| !keep(watched))
            .map(|(watched, _)| watched)
            .collect()
    }

    /// Whether there is any subscription.
    pub fn has_subscriptions(&self) -> bool {
        !self.subscriptions.lock().is_empty()
    }

    /// Removes and returns all subscriptions.
    pub fn take_subscriptions(&self) -> Vec<Watched> {
        self.subscriptions.lock().drain().map(|(watched, _)| watched).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_request_that_was_admitted_before_a_change_takes_nothing_back() {
        let (before, after) = (Permits::of_tools(["a/*"]), Permits::of_tools(["b/*"]));
        let mut known = Admitted { permits: before.clone(), at: 0, changed: 0 };
        assert!(known.is_current() && !known.take_over(&before, 0));
        known.changed = 1;
        assert!(!known.take_over(&before, 0) && !known.is_current());
        // What follows the change sees to the subscriptions, and until then each other one does.
        assert!(known.take_over(&after, 1) && known.take_over(&after, 1) && !known.is_current());
        known.at = 1;
        assert!(known.is_current() && !known.take_over(&after, 1));
        assert!(!known.take_over(&before, 0));
        assert_eq!(known.permits, after);
        // Another token of the same caller may permit something else.
        assert!(known.take_over(&before, 1));
    }
}
