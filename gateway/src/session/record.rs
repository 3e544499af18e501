//! One session: the state kept for a client between its requests.

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use mcp_disclosure_core::{Digest, Kind, Marks, Memory, Principal};
use mcp_disclosure_transport::{LoggingLevel, printable::Short};
use parking_lot::Mutex;

use super::{
    Address, Client, Held, InFlight, Location, Peer, Place, ReplayBuffer, ReplayBuffers, StreamEvent, Viewer,
    Watched,
    admitted::Admitted,
    list_changed,
    store::{Archive, Delta, Opened, Read, Recorded, Replicas, key_of},
};
use crate::{
    dialect::{InitializeRequest, Revision},
    limits::Limits,
    negotiation::Choice,
    observe::Who,
};

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

/// A session of a revision up to 2025-11-25.
#[derive(Debug)]
pub struct Session {
    id: Arc<str>,
    /// The beginning of its id, for logs.
    pub label: Arc<str>,
    revision: Revision,
    choice: Choice,
    /// Who opened it.
    principal: Principal,
    /// What its principal may use.
    pub admitted: Mutex<Admitted>,
    /// The URL path at which it was opened.
    pub location: Location,
    /// What the client calls itself.
    client_name: Box<str>,
    /// What tells its client from others of the same peer, once that was needed.
    pub client_digest: OnceLock<Digest>,
    /// The delivery receipts of this session.
    pub marks: Marks,
    /// Requests in progress.
    pub in_flight: InFlight,
    /// Event streams, with the events kept for resumption.
    pub replay: ReplayBuffers,
    /// Its client.
    pub client: Arc<Client>,
    recorded: Mutex<Recorded>,
    subscriptions: Mutex<HashMap<Watched, (Held, Place)>>,
    opened: Instant,
    used: Mutex<Instant>,
    /// Whether it sent a request after the handshake.
    has_worked: AtomicBool,
    /// With a store: when its life was last extended there.
    refreshed: Mutex<Option<Instant>>,
    /// The peer it counts against.
    pub peer: Peer,
    _place: Place,
}

impl Session {
    /// A session opened by `initialize` of a client that calls itself `name`; `place` is its reservation.
    pub fn new(
        id: Arc<str>,
        revision: Revision,
        mut choice: Choice,
        name: &str,
        opening: Opening,
        place: Place,
        limits: &Limits,
    ) -> Self {
        choice.traits.tasks &= revision.has_tasks();
        Self {
            label: Short(&id).to_string().into(),
            id,
            revision,
            choice,
            admitted: Mutex::new(Admitted::with(opening.principal.permits().clone())),
            principal: opening.principal,
            location: opening.address.location,
            client_name: name.into(),
            client_digest: OnceLock::new(),
            marks: Marks::default(),
            in_flight: InFlight::default(),
            replay: ReplayBuffers::new(limits.client_queue_bytes, opening.peer.replay().clone()),
            client: opening.client,
            recorded: Mutex::default(),
            subscriptions: Mutex::default(),
            opened: Instant::now(),
            used: Mutex::new(Instant::now()),
            has_worked: AtomicBool::new(false),
            refreshed: Mutex::default(),
            peer: opening.peer,
            _place: place,
        }
    }

    /// Its client may answer at any of these replicas, and resume its answer streams there.
    pub(crate) fn share(&mut self, replicas: &Arc<Replicas>) {
        self.client.asked_by(replicas);
        self.replay.archive = Some(Archive::new(replicas, key_of(&self.id).into()));
    }

    /// The id, as in the `Mcp-Session-Id` header and in logs.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The strategy that serves it, with the client's traits as known so far.
    pub fn choice(&self) -> Choice {
        self.viewer().choice
    }

    /// What its lists depend on.
    pub fn viewer(&self) -> Viewer {
        self.viewer_with(&self.recorded.lock())
    }

    /// The same, if this were recorded of it.
    pub(crate) fn viewer_with(&self, recorded: &Recorded) -> Viewer {
        let mut choice = self.choice.clone();
        choice.traits.filter_bridge &= !recorded.native;
        Viewer { principal: self.principal(), choice, memory: recorded.memory.clone() }
    }

    /// The name of the strategy that serves it.
    pub fn strategy(&self) -> &Arc<str> {
        &self.choice.name
    }

    /// Its client, for observers.
    pub(crate) fn who<'a>(&'a self, principal: &'a Principal) -> Who<'a> {
        Who {
            principal: principal.id(),
            session: Some(&self.label),
            strategy: &self.choice.name,
            client: &self.client_name,
        }
    }

    /// The principal that opened it, the only one allowed to use it, with its permissions at the last request.
    pub fn principal(&self) -> Principal {
        self.principal.clone().permitted(self.admitted.lock().permits().clone())
    }

    /// The empty event that starts a stream and makes it resumable. `None` for clients of earlier revisions,
    /// which may take it for a message.
    pub fn first_event(&self, buffer: &ReplayBuffer) -> Option<StreamEvent> {
        if self.revision < Revision::V2025_11_25 { None } else { buffer.first_event() }
    }

    /// Records a use, for the idle time-out.
    pub fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// Records the first request after the handshake.
    pub fn begin_work(&self) {
        self.has_worked.store(true, Ordering::Relaxed);
    }

    /// Whether it can be ended: unused for `limit`, or for `unused` since the handshake, with no request in
    /// progress and no stream open.
    pub fn is_idle(&self, limit: Duration, unused: Duration) -> bool {
        let is_unused = !self.has_worked.load(Ordering::Relaxed) && self.opened.elapsed() >= unused;
        (self.last_used().elapsed() >= limit || is_unused) && self.is_quiet()
    }

    /// Whether no request is in progress and no stream open.
    pub fn is_quiet(&self) -> bool {
        self.in_flight.is_empty() && !self.client.outbox().is_open()
    }

    /// When it was last used.
    pub fn last_used(&self) -> Instant {
        *self.used.lock()
    }

    /// Its life in the store was extended at this time.
    pub fn refreshed(&self, at: Instant) {
        *self.refreshed.lock() = Some(at);
    }

    /// Whether its life in the store is to be extended: it was used, or is in use, and it was last extended that long ago.
    pub fn is_due(&self, after: Duration) -> bool {
        let was_used = match *self.refreshed.lock() {
            None => self.has_worked.load(Ordering::Relaxed),
            Some(last) if last.elapsed() >= after => self.last_used() > last,
            Some(_) => return false,
        };
        was_used || !self.is_quiet()
    }

    /// Replaces what this copy has with what the store had. Returns what was recorded before; `None` if the copy is as of a later
    /// reading.
    pub(crate) fn replace(&self, read: &Read) -> Option<Recorded> {
        let mut recorded = self.recorded.lock();
        if recorded.as_of > read.recorded.as_of {
            return None;
        }
        read.marks.iter().for_each(|(tool, digest)| self.marks.mark(tool.clone(), *digest));
        let before = std::mem::replace(&mut *recorded, read.recorded.clone());
        drop(self.keep_subscriptions(|watched| read.subscriptions.contains(&watched.uri)));
        Some(before)
    }

    /// How it was opened, by this request. Of the extensions that the client declared, only those are kept that are `known`.
    pub(crate) fn opened_by(&self, initialize: &InitializeRequest, known: impl Fn(&str) -> bool) -> Opened {
        let principal = self.principal();
        let permitted = principal.permits().strategies();
        let mut offer = initialize.offer.clone();
        offer.extensions.retain(|id| known(id));
        Opened {
            revision: initialize.revision.to_string(),
            chosen: self.strategy().to_string(),
            location: self.location.clone(),
            principal: principal.id().map(str::to_owned),
            permitted: permitted.map(|names| names.into_iter().map(str::to_owned).collect()),
            client: initialize.client.clone(),
            offer,
            capabilities: self.client.capabilities().clone(),
            chain: self.client.chain(),
        }
    }

    /// What was recorded while it was opened: it has no subscriptions yet.
    pub(crate) fn recorded(&self) -> Delta {
        let Recorded { memory, native, log_level, .. } = self.recorded.lock().clone();
        let notes = memory.iter().map(|(strategy, notes)| (strategy.to_owned(), notes.clone())).collect();
        Delta { marks: self.marks.all(), notes, native, log_level, ..Delta::default() }
    }

    /// What strategies recorded about the client so far.
    pub fn memory(&self) -> Memory {
        self.recorded.lock().memory.clone()
    }

    /// The part of a change that this copy does not have yet. Subscriptions are always part of it.
    pub(crate) fn changed_by(&self, mut delta: Delta) -> Delta {
        let known = self.recorded.lock();
        delta.marks.retain(|(tool, digest)| !self.marks.has(tool, digest));
        delta.native &= !known.native;
        delta.log_level = delta.log_level.filter(|level| Some(*level) != known.log_level);
        if delta.noted_in(&known.memory) == known.memory {
            delta.notes.clear();
        }
        delta
    }

    /// Applies changes, but for those of subscriptions. Returns what was recorded before.
    pub(crate) fn apply(&self, delta: Delta) -> Recorded {
        let mut recorded = self.recorded.lock();
        let before = recorded.clone();
        recorded.memory = delta.noted_in(&before.memory);
        recorded.native |= delta.native;
        recorded.log_level = delta.log_level.or(before.log_level);
        delta.marks.into_iter().for_each(|(tool, digest)| self.marks.mark(tool, digest));
        before
    }

    /// Sends a `list_changed` notification for each of these kinds.
    pub fn notify_changed(&self, kinds: &[Kind]) {
        list_changed(kinds).iter().for_each(|(_, news)| self.client.outbox().notify(news));
    }

    /// The minimum log level, if the client set one.
    pub fn log_level(&self) -> Option<LoggingLevel> {
        self.recorded.lock().log_level
    }

    /// Adds a subscription, unless the client is subscribed already; `place` is its reservation.
    pub fn subscribe(&self, watched: Watched, held: Held, place: Place) {
        let _former = self.subscriptions.lock().insert(watched, (held, place));
    }

    /// Whether the client is subscribed to this resource.
    pub fn is_subscribed(&self, watched: &Watched) -> bool {
        self.subscriptions.lock().contains_key(watched)
    }

    /// The URIs of all subscriptions.
    pub fn subscribed(&self) -> Vec<String> {
        self.subscriptions.lock().keys().map(|watched| watched.uri.clone()).collect()
    }

    /// Ends the subscriptions to other resources than these, which are released, and returns them.
    pub fn keep_subscriptions(&self, keep: impl Fn(&Watched) -> bool) -> Vec<Watched> {
        // Released beside the lock.
        let ended: Vec<_> = self.subscriptions.lock().extract_if(|watched, _| !keep(watched)).collect();
        ended.into_iter().map(|(watched, _)| watched).collect()
    }

    /// Whether there is any subscription.
    pub fn has_subscriptions(&self) -> bool {
        !self.subscriptions.lock().is_empty()
    }
}
