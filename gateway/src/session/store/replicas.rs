//! The replicas that share a store: sessions as they read and change them there, and messages between them, as JSON: about streams,
//! requests in progress and upstreams, which are not in the store.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use mcp_disclosure_core::{Principal, digest::is_random_id};
use mcp_disclosure_transport::{Id, Response};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore};

use super::{Delta, Opened, Read, SHORT_MESSAGE_BYTES, SessionStore, StoreError, key_of};

/// Maximum size of a client's response that is passed to another replica, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// How many of those are sent at a time, so that a client cannot have more of them sent than a replica takes in.
const ANSWERS: usize = 4;

/// A message about a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ReplicaMessage {
    /// The process that sent it.
    #[serde(rename = "f")]
    pub from: Arc<str>,
    /// What stores know of the session's id.
    #[serde(rename = "s")]
    pub session: Arc<str>,
    /// What happened.
    #[serde(rename = "w")]
    pub kind: MessageKind,
}

/// What a message says. The last two are for one replica, the others for all.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MessageKind {
    /// The session changed: an open stream may have to carry that, or updates of other resources.
    Changed,
    /// The session ended.
    Ended,
    /// The client cancelled a request of its own, by its id as JSON text.
    Cancelled(String),
    /// The client's roots changed.
    Roots,
    /// Another replica serves the client now, with upstreams of its own: all lists may have changed.
    Moved,
    /// The client resumed this event stream at the sender.
    Followed {
        /// Its number.
        stream: u64,
        /// How far it is.
        progress: Progress,
    },
    /// The client's response to a request that the receiver sent: a JSON-RPC message.
    Answer(String),
}

/// How far a replica is that sends another one's event stream to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Progress {
    /// It begins: a connection that sends the stream elsewhere must stop.
    Begins,
    /// It goes on.
    GoesOn,
    /// It has sent the last event.
    Ended,
}

/// The store, as this replica uses it.
#[derive(Debug)]
pub(crate) struct Replicas {
    store: Arc<dyn SessionStore>,
    /// The last number that was given.
    last: AtomicU64,
    /// How long a session lives without being used, and one that was not used since it was opened.
    pub(super) idle: Duration,
    unused: Duration,
    /// The sessions that are adopted at the moment.
    adopting: Mutex<HashMap<Arc<str>, Arc<AsyncMutex<()>>>>,
    answers: Semaphore,
}

impl Replicas {
    /// Shares this store.
    pub(crate) fn new(store: Arc<dyn SessionStore>, idle: Duration, unused: Duration) -> Self {
        Self {
            store,
            last: AtomicU64::new(0),
            idle,
            unused: unused.min(idle),
            adopting: Mutex::default(),
            answers: Semaphore::new(ANSWERS),
        }
    }

    /// The name of this process.
    pub(crate) fn name(&self) -> &Arc<str> {
        self.store.name()
    }

    /// The store.
    pub(crate) fn store(&self) -> &dyn SessionStore {
        &*self.store
    }

    /// A number for a reading, an event stream, or a request to a client. Unique in this process: a copy of a session may be
    /// dropped and made again, and clients may still use numbers of the former one.
    pub(crate) fn next_number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The id of a request to a client.
    pub(crate) fn next_request(&self) -> Option<Id> {
        Id::parse(&format!("\"{}-{}\"", self.name(), self.next_number()))
    }

    /// Waits until no one else adopts this session, and lets others wait until this is dropped.
    pub(crate) async fn adopting(&self, id: &str) -> OwnedMutexGuard<()> {
        let lock = {
            let mut adopting = self.adopting.lock();
            adopting.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(adopting.entry(id.into()).or_default())
        };
        lock.lock_owned().await
    }

    /// Creates a session, with what was recorded of it since it was opened.
    pub(crate) async fn create(&self, id: &str, opened: &Opened, recorded: &Delta) -> Result<(), StoreError> {
        self.store.create(&key_of(id), opened.fields(recorded), self.unused).await
    }

    /// Reads a session of this principal.
    pub(crate) async fn read_own(&self, id: &str, principal: &Principal) -> Result<Option<Read>, StoreError> {
        // The store is asked only for what can be the id of a session.
        let read = if is_random_id(id) { self.read(id, None).await? } else { None };
        Ok(read.filter(|read| read.opened.principal.as_deref() == principal.id()))
    }

    /// Reads a session; `None` if there is no such session. With a `lifetime`, it expires after that.
    pub(crate) async fn read(
        &self,
        id: &str,
        lifetime: Option<Duration>,
    ) -> Result<Option<Read>, StoreError> {
        let number = self.next_number();
        let fields = self.store.load(&key_of(id), lifetime).await?;
        Ok(fields.and_then(|fields| Read::of(&fields, number)))
    }

    /// Reads a session, and extends its expiry and that of these answer streams.
    pub(crate) async fn keep(&self, id: &str, streams: &[String]) -> Result<Option<Read>, StoreError> {
        let read = self.read(id, Some(self.idle)).await?;
        for stream in streams {
            self.store.keep_events(stream, Vec::new(), self.idle).await?;
        }
        Ok(read)
    }

    /// Changes a session. `false` if there is no such session.
    pub(crate) async fn change(&self, id: &str, delta: &Delta) -> Result<bool, StoreError> {
        self.store.change(&key_of(id), delta.changes()).await
    }

    /// Ends a session everywhere. After an error, this can be called again.
    pub(crate) async fn end(&self, id: &Arc<str>) -> Result<(), StoreError> {
        self.store.end(&key_of(id)).await?;
        self.mention(id, MessageKind::Ended).await
    }

    /// Notifies all other replicas.
    pub(crate) async fn mention(&self, id: &Arc<str>, kind: MessageKind) -> Result<(), StoreError> {
        let text = self.message(&key_of(id), kind);
        if text.len() > SHORT_MESSAGE_BYTES {
            tracing::debug!(bytes = text.len(), "what a client sent is too long for other replicas");
            return Ok(());
        }
        self.store.send(None, text).await
    }

    /// Notifies one replica about the session of this key. `false` if it is gone.
    pub(super) async fn tell(
        &self,
        replica: &str,
        session: &str,
        kind: MessageKind,
    ) -> Result<bool, StoreError> {
        let is_there = self.store.is_there(replica).await?;
        if is_there {
            self.store.send(Some(replica), self.message(session, kind)).await?;
        }
        Ok(is_there)
    }

    fn message(&self, session: &str, kind: MessageKind) -> Vec<u8> {
        let message = ReplicaMessage { from: Arc::clone(self.name()), session: session.into(), kind };
        // It consists of strings and numbers.
        serde_json::to_vec(&message).unwrap_or_default()
    }

    /// Passes a client's response on to the replica that asked. `false` if its id names no other replica.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub(crate) async fn pass_on(&self, id: &Arc<str>, response: &Response) -> Result<bool, StoreError> {
        let asker = response.id.as_ref().and_then(|id| asker(id.as_str()));
        let Some(asker) = asker.filter(|asker| *asker != &**self.name()) else { return Ok(false) };
        let text = String::from_utf8(response.encode()).unwrap_or_default();
        if text.len() > LONGEST_ANSWER {
            tracing::warn!(
                bytes = text.len(),
                "a client's response is too long for another replica; dropped"
            );
            return Ok(true);
        }
        let _sending = self.answers.acquire().await.map_err(|_| StoreError::Unreachable)?;
        if !self.tell(asker, &key_of(id), MessageKind::Answer(text)).await? {
            tracing::debug!("a client's response is dropped: the replica that asked is gone");
        }
        Ok(true)
    }
}

/// The replica that sent the request of this id, as JSON text: `"REPLICA-NUMBER"`.
fn asker(id: &str) -> Option<&str> {
    let (replica, number) = id.strip_prefix('"')?.strip_suffix('"')?.split_once('-')?;
    (is_name(replica) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(replica)
}

/// The replica, the stream and the event of an id `REPLICA.STREAM-EVENT`.
pub(super) fn event(id: &str) -> Option<(&str, u64, u64)> {
    let (replica, event) = id.split_once('.').filter(|(replica, _)| is_name(replica))?;
    let (stream, event) = event.split_once('-')?;
    Some((replica, stream.parse().ok()?, event.parse().ok()?))
}

fn is_name(replica: &str) -> bool {
    (1..=32).contains(&replica.len()) && replica.bytes().all(|byte| byte.is_ascii_alphanumeric())
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

    #[test]
    fn k1_only_ids_of_events_name_a_stream() {
        assert_eq!(event("ab12.3-4"), Some(("ab12", 3, 4)));
        for other in ["3-4", ".3-4", "a b.3-4", "a:b.3-4", "ab.3", "ab.-4", "ab.3-", "ab.3-x", "ab.x-4", ""] {
            assert_eq!(event(other), None, "{other}");
        }
    }

    #[test]
    fn k1_a_message_is_read_as_it_was_sent() {
        let message = ReplicaMessage {
            from: "ab12".into(),
            session: "s".into(),
            kind: MessageKind::Cancelled("\"x\"".into()),
        };
        let text = serde_json::to_vec(&message).unwrap();
        let read: ReplicaMessage = serde_json::from_slice(&text).unwrap();
        assert_eq!(format!("{read:?}"), format!("{message:?}"));
        for text in ["", "nonsense", "{}", r#"{"f":"a","s":"s","w":"later"}"#] {
            assert!(serde_json::from_str::<ReplicaMessage>(text).is_err(), "{text}");
        }
    }
}
