//! The replicas that share a store: copies of sessions, and how those of others stop being used.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{ErrorText, Response};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    Delta, Event, Kept, MessageKind, Opened, RELIABLE_MESSAGE_BYTES, ReplicaMessage, SessionStore,
    StoreError,
    confirmations::{self, Confirmations},
    key_of,
    locks::{ReadAt, SessionGuard, SessionLocks},
};
use crate::session::{Session, SessionLimits};

/// Expiry is extended when this part of the idle time is over.
const PARTS: u32 = 10;

/// Maximum number of sessions whose expiry is extended at once, so that no command waits long for others.
const BATCH: usize = 256;

/// Maximum size of a client's response that is passed to another replica, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// How many of those are sent at a time.
const ANSWERS: usize = 4;

/// How often one is sent, how long a confirmation is awaited each time, and how long all of that may take.
const SENDINGS: u32 = 2;
const RECEIVING: Duration = Duration::from_millis(300);
const PASSING: Duration = Duration::from_millis(900);

/// The store, and the messages that wait for confirmations of other replicas.
#[derive(Debug)]
pub(crate) struct Replicas {
    store: Arc<dyn SessionStore>,
    limits: SessionLimits,
    unused: Duration,
    locks: SessionLocks,
    confirmations: Confirmations,
    answers: Semaphore,
    last_number: AtomicU64,
    started: Instant,
    closed: CancellationToken,
}

/// A session as it was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The session.
    pub kept: Kept,
    lease: Option<u64>,
    read_at: ReadAt,
}

/// What reached this replica.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(ReplicaMessage),
    /// A new lease: copies of former ones are not used.
    Begun,
}

impl Replicas {
    /// Shares this store.
    pub(crate) fn new(store: Arc<dyn SessionStore>, limits: SessionLimits, unused: Duration) -> Self {
        Self {
            store,
            limits,
            unused,
            locks: SessionLocks::default(),
            confirmations: Confirmations::default(),
            answers: Semaphore::new(ANSWERS),
            last_number: AtomicU64::new(0),
            started: Instant::now(),
            closed: CancellationToken::new(),
        }
    }

    /// The name of this process.
    pub(crate) fn name(&self) -> &Arc<str> {
        self.store.name()
    }

    /// A number for an event stream, or for a request to a client. Unique in this process: a copy of a session may be dropped
    /// and made again, and clients may still use numbers of the former one.
    pub(crate) fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The store, and how long what is kept there lives without being used.
    pub(super) fn store(&self) -> (&Arc<dyn SessionStore>, Duration) {
        (&self.store, self.limits.idle)
    }

    /// Whether a copy may be used without asking the store.
    pub(crate) fn may_use(&self, session: &Session) -> bool {
        let under = session.copied_under();
        under != 0 && self.store.lease().is_some_and(|lease| lease.number == under)
    }

    /// Waits until nothing else reads or changes the session here.
    ///
    /// # Errors
    /// That of a task that had the lock meanwhile, and failed.
    pub(crate) async fn lock(&self, id: &str) -> Result<SessionGuard, ErrorText> {
        self.locks.of(id).await
    }

    /// Creates a session; its copy may be used then.
    pub(crate) async fn create(&self, session: &Session, kept: Kept) -> Result<(), StoreError> {
        let lifetime = self.unused.min(self.limits.idle);
        let lease = self.store.create(&key_of(session.id()), kept.fields(), lifetime).await?;
        // No other replica knows its id yet, so nothing can be heard of it.
        session.copy_under(lease.unwrap_or(0));
        Ok(())
    }

    /// How a session of this principal was opened; `None` if there is no such session. This replica is no holder of it then.
    pub(crate) async fn opened_by(
        &self,
        principal: &Principal,
        id: &str,
    ) -> Result<Option<Opened>, StoreError> {
        let opened = self.store.opened(&key_of(id)).await?.and_then(|opened| Opened::read(&opened));
        Ok(opened.filter(|opened| opened.principal.as_deref() == principal.id()))
    }

    /// Reads a session; `None` if there is no such session.
    pub(crate) async fn load(&self, id: &str, guard: &SessionGuard) -> Result<Option<Loaded>, StoreError> {
        let read_at = guard.reading();
        let stored = self.store.load(&key_of(id)).await?;
        Ok(stored.and_then(|stored| {
            Some(Loaded { kept: Kept::read(&stored.fields)?, lease: stored.lease, read_at })
        }))
    }

    /// Marks the copy as valid under the lease with which it was read, unless the session may have changed since. Returns
    /// whether this request may use it: also if there was no lease, since then each request reads.
    pub(crate) fn validate(&self, copy: &Session, loaded: &Loaded) -> bool {
        let Some(lease) = loaded.lease else { return true };
        loaded.read_at.validate(copy, lease);
        self.may_use(copy)
    }

    /// Invalidates the copy of a session, and a read of it in progress.
    pub(crate) fn invalidate(&self, id: &str, copy: Option<&Session>) {
        self.locks.invalidate(id, copy);
    }

    /// Changes a session. If the change concerns what other replicas answer, they have confirmed it then. `false` if there
    /// is no such session.
    pub(crate) async fn change(&self, id: &Arc<str>, delta: &Delta) -> Result<bool, StoreError> {
        let changed = self.store.change(&key_of(id), delta.changes()).await?;
        if changed.is_some() && delta.invalidates_copies() {
            self.announce(id, MessageKind::Changed).await?;
        }
        Ok(changed.is_some())
    }

    /// Ends a session everywhere. `false` if there is no such session. After an error, this can be called again: the session is
    /// removed when all holders have confirmed.
    pub(crate) async fn end(&self, id: &Arc<str>, copy: Option<&Session>) -> Result<bool, StoreError> {
        let key = key_of(id);
        let Some(holders) = self.store.end(&key).await? else { return Ok(false) };
        // This replica does not serve it any more either, while others are waited for.
        self.invalidate(id, copy);
        self.confirmations.of(&*self.store, id, holders, MessageKind::Ended).await?;
        self.store.remove(&key).await?;
        Ok(true)
    }

    /// Waits until the store can be used, at most this long.
    ///
    /// # Errors
    /// If it cannot be used then.
    pub(crate) async fn ready(&self, patience: Duration) -> Result<(), StoreError> {
        let begun = async {
            while self.store.lease().is_none() {
                if self.store.is_full() {
                    return Err(StoreError::Full);
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        };
        tokio::time::timeout(patience, begun).await.unwrap_or(Err(StoreError::Unreachable))
    }

    /// Notifies the other holders, and waits until they have confirmed.
    async fn announce(&self, id: &Arc<str>, kind: MessageKind) -> Result<(), StoreError> {
        let key = key_of(id);
        let Some(holders) = self.store.holders(&key).await? else { return Ok(()) };
        let ended = self.confirmations.of(&*self.store, id, holders, kind).await?;
        if !ended.is_empty()
            && let Err(error) = self.store.forget(&key, ended).await
        {
            // All have confirmed. The next change asks for these leases again.
            tracing::debug!(%error, "leases that have ended are still registered");
        }
        Ok(())
    }

    /// Notifies the other holders, and does not wait for them.
    pub(crate) async fn mention(&self, id: &Arc<str>, kind: MessageKind) -> Result<(), StoreError> {
        let Some(holders) = self.store.holders(&key_of(id)).await? else { return Ok(()) };
        let message =
            ReplicaMessage { from: Arc::clone(self.name()), number: 0, session: Arc::clone(id), kind };
        let text = message.text();
        if text.len() > RELIABLE_MESSAGE_BYTES {
            tracing::debug!(bytes = text.len(), "what a client sent is too long for other replicas");
            return Ok(());
        }
        confirmations::send(&*self.store, &holders, &text).await
    }

    /// Notifies one replica, and waits at most this long until it has confirmed.
    pub(super) async fn ask(
        &self,
        replica: &str,
        id: &Arc<str>,
        kind: MessageKind,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        self.confirmations.from(&*self.store, replica, id, kind, patience).await
    }

    /// A message was received by this process.
    pub(crate) fn received(&self, message: &ReplicaMessage) {
        self.confirmations.received(message);
    }

    /// Confirms a message, if its sender waits.
    pub(crate) async fn confirm(&self, message: &ReplicaMessage) {
        if message.number == 0 {
            return;
        }
        let answer =
            ReplicaMessage { from: Arc::clone(self.name()), kind: MessageKind::Received, ..message.clone() };
        if let Err(error) = self.store.send(&message.from, answer.text()).await {
            tracing::debug!(%error, "a message could not be confirmed");
        }
    }

    /// Whether a replica holds a session under a lease that lasts.
    async fn is_held_by(&self, replica: &str, id: &str) -> Result<bool, StoreError> {
        let holders = self.store.holders(&key_of(id)).await?.unwrap_or_default();
        let own = holders.iter().filter(|holder| confirmations::process(holder) == replica);
        let lasting = join_all(own.map(|holder| self.store.lasts(holder))).await;
        lasting.into_iter().try_fold(false, |any, lasts| Ok(any | lasts?))
    }

    /// Passes a client's response on to the replica that asked. `false` if its id names no other replica.
    ///
    /// # Errors
    /// If the store cannot be used, or that replica did not confirm it and still serves the session.
    pub(crate) async fn pass_on(&self, id: &Arc<str>, response: &Response) -> Result<bool, StoreError> {
        let Some(asker) = response.id.as_ref().and_then(|id| asker(id.as_str())) else { return Ok(false) };
        if asker == &**self.name() {
            return Ok(false);
        }
        let text = String::from_utf8(response.encode()).unwrap_or_default();
        if text.len() > LONGEST_ANSWER {
            tracing::warn!(
                bytes = text.len(),
                "a client's response is too long for another replica; dropped"
            );
            return Ok(true);
        }
        let passing = self.deliver(asker, id, MessageKind::Answer(text));
        tokio::time::timeout(PASSING, passing).await.unwrap_or(Err(StoreError::Unreachable))?;
        Ok(true)
    }

    /// Sends a message to a replica until it has confirmed, or does not hold the session any more.
    async fn deliver(&self, replica: &str, id: &Arc<str>, kind: MessageKind) -> Result<(), StoreError> {
        let (number, mut received) = self.confirmations.wait();
        let text = number.message(&*self.store, id, kind).text();
        for _ in 0..SENDINGS {
            // So that a client cannot have more of them sent than a replica takes in.
            let sending = self.answers.acquire().await.map_err(|_| StoreError::Unreachable)?;
            self.store.send(replica, text.clone()).await?;
            drop(sending);
            if tokio::time::timeout(RECEIVING, received.recv()).await.is_ok() {
                return Ok(());
            }
        }
        match self.is_held_by(replica, id).await? {
            true => Err(StoreError::Unconfirmed),
            false => Ok(()),
        }
    }

    /// What reaches this replica next.
    pub(crate) async fn receive(&self) -> Incoming {
        loop {
            match self.store.event().await {
                Event::Begun => return Incoming::Begun,
                Event::Message(text) => match ReplicaMessage::read(&text) {
                    Some(message) => return Incoming::Message(message),
                    None => tracing::warn!(
                        "a message of another replica cannot be read; is it of another version?"
                    ),
                },
            }
        }
    }

    /// Extends the expiry of those sessions that were used since, or are in use, and of their unfinished answer streams. Returns
    /// those that are gone, or of which this replica is no holder, since the store failed over without the latest writes: their
    /// copies are invalid.
    pub(crate) async fn keep(&self, sessions: &[Arc<Session>]) -> Vec<Arc<Session>> {
        let mut lost = Vec::new();
        let (now, part) = (self.now(), self.limits.idle / PARTS);
        let due: Vec<_> = sessions.iter().filter(|session| session.is_due(now, part)).collect();
        for batch in due.chunks(BATCH) {
            let ids: Vec<Arc<str>> = batch.iter().map(|session| key_of(session.id()).into()).collect();
            let kept = match self.store.keep(&ids, self.limits.idle).await {
                Ok(kept) => kept,
                // The next sweep goes on with those that are left.
                Err(error) => {
                    tracing::debug!(%error, "the expiry of sessions was not extended");
                    break;
                }
            };
            for (session, is_kept) in batch.iter().zip(kept) {
                session.refreshed(now);
                if !is_kept {
                    self.invalidate(session.id(), Some(session));
                    lost.push(Arc::clone(session));
                }
            }
            let streams: Vec<String> = batch.iter().flat_map(|session| session.replay.unfinished()).collect();
            if let Err(error) = self.store.extend_events(&streams, self.limits.idle).await {
                tracing::debug!(%error, "the expiry of event streams was not extended");
            }
        }
        lost
    }

    /// Adds fetches to those that all replicas admitted to a caller in this minute.
    pub(crate) async fn count(&self, caller: &str, fetches: u32) -> Result<(u64, Duration), StoreError> {
        self.store.count(caller, fetches, Duration::from_secs(60)).await
    }

    /// Ends the lease.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.store.close().await;
    }

    /// Whether this is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until this is closed.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    fn now(&self) -> Duration {
        // Never zero, which stands for never.
        self.started.elapsed() + Duration::from_millis(1)
    }
}

/// The replica that sent the request of this id, as JSON text: `"REPLICA-NUMBER"`.
fn asker(id: &str) -> Option<&str> {
    let (replica, number) = id.strip_prefix('"')?.strip_suffix('"')?.split_once('-')?;
    let is_name = !replica.is_empty()
        && replica.len() <= 32
        && replica.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_name && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(replica)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_the_replica_that_sent_it() {
        for (id, expected) in [
            ("\"ab12-7\"", Some("ab12")),
            ("7", None),
            ("\"7\"", None),
            ("\"-7\"", None),
            ("\"a b-7\"", None),
            ("\"ab-x\"", None),
            ("\"a*-7\"", None),
        ] {
            assert_eq!(asker(id), expected, "{id}");
        }
    }
}
