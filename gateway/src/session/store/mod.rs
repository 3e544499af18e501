//! The seam to a store of sessions that several replicas of the gateway share (docs/decisions/0032).
//!
//! Without a store, a session is kept in one process. With one, it is kept in the store, and each request reads it there. What a
//! replica has of a session besides are its connections: streams, requests in progress, upstreams of its own. Messages
//! between replicas are about these alone, so one that is lost makes no answer wrong.
//!
//! A store knows nothing of what it keeps: a session is a set of [`Fields`], each of which is set and removed on its own,
//! so that two changes at the same time never lose each other.

mod archive;
mod fields;
mod following;
mod replicas;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use mcp_disclosure_core::{Digest, digest::hex};
use mcp_disclosure_transport::{ErrorText, code};

pub(crate) use archive::{Archive, END, NO_RESPONSE, REQUEST};
pub(crate) use fields::{Delta, Opened, Read, Recorded};
pub(crate) use following::Following;
pub(crate) use replicas::{MessageKind, Progress, ReplicaMessage, Replicas};

/// The fields of a session, by name. Names and values are bytes.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// Changes of fields: a new value, or `None` to remove the field.
pub type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// The field that every session has, from its creation on. A key without it is not a session: what was written to a
/// session after its end.
pub const OPENED: &[u8] = b".";

/// Messages of up to this size, in bytes, reach a replica that is connected. Longer ones may be dropped, see
/// [`SessionStore::send`].
pub const SHORT_MESSAGE_BYTES: usize = 4096;

/// What a store knows instead of the id of a session, or of a name that has one in it: half of its SHA-256, which is as long as an
/// id. Whoever has an id can use the session, and more people read stores, their copies and their logs.
pub(crate) fn key_of(id: &str) -> String {
    hex(&Digest::of_bytes(id.as_bytes()).as_bytes()[..16])
}

/// What reaches a replica from the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message of a replica, perhaps of this one.
    Message(Vec<u8>),
    /// The store is connected. Messages may have been lost before.
    Connected,
}

/// Why the store did not do what was asked of it. The `Display` of each is safe for clients; details are logged where they
/// occur.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached, or does not answer in time.
    #[error("the session store cannot be reached; try again shortly")]
    Unreachable,
    /// It has no memory left.
    #[error("the session store is full; try again later")]
    Full,
    /// It refused what was asked of it.
    #[error("the session store refused a command; its operator finds the reason in the log")]
    Refused,
}

impl From<StoreError> for ErrorText {
    fn from(error: StoreError) -> Self {
        Self::new(code::STORE_UNAVAILABLE, error)
    }
}

/// A store of sessions. Every method but [`event`](Self::event) returns within a second, whether the store can be reached or not.
///
/// The ids of sessions, streams and counters that it is given are digests: no session can be used by them.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// The name of this process among the replicas: letters and digits, unguessable, and new at each start.
    fn name(&self) -> &Arc<str>;

    /// Whether it is connected.
    fn is_connected(&self) -> bool;

    /// Waits for half a second at most until it is connected.
    async fn reach(&self) -> Result<(), StoreError>;

    /// Creates a session that expires after `lifetime`.
    async fn create(&self, id: &str, fields: Fields, lifetime: Duration) -> Result<(), StoreError>;

    /// Reads a session, as it was left by the last change that was answered; `None` if there is none. With a `lifetime`, it
    /// expires after that; otherwise nothing is written.
    ///
    /// # Errors
    /// Also if the store may not be asked for the latest, such as a server that was replaced by another one.
    async fn load(&self, id: &str, lifetime: Option<Duration>) -> Result<Option<Fields>, StoreError>;

    /// Changes a session, and does not extend its life. `false` if there is no such session.
    async fn change(&self, id: &str, changes: Changes) -> Result<bool, StoreError>;

    /// Ends a session: from now on there is no such session.
    async fn end(&self, id: &str) -> Result<(), StoreError>;

    /// Changes what is kept of an event stream, if anything, which lives this long from now on.
    async fn keep_events(&self, stream: &str, changes: Changes, lifetime: Duration)
    -> Result<(), StoreError>;

    /// What is kept of an event stream under names that are wanted; none if it is unknown.
    async fn events(
        &self,
        stream: &str,
        is_wanted: &(dyn for<'n> Fn(&'n [u8]) -> bool + Sync),
    ) -> Result<Fields, StoreError>;

    /// Removes what is kept of an event stream.
    async fn forget_events(&self, stream: &str) -> Result<(), StoreError>;

    /// Sends a message to the replica of this [`name`](Self::name), or to all. Delivery is at most once, and a receiver may
    /// drop a message of more than [`SHORT_MESSAGE_BYTES`] bytes.
    async fn send(&self, replica: Option<&str>, message: Vec<u8>) -> Result<(), StoreError>;

    /// Whether the replica of this name is connected to the store.
    async fn is_there(&self, replica: &str) -> Result<bool, StoreError>;

    /// Adds to a counter, which is gone this long after its first use. Returns the sum, and the time until it is gone.
    async fn count(
        &self,
        counter: &str,
        amount: u32,
        window: Duration,
    ) -> Result<(u64, Duration), StoreError>;

    /// The next event; `None` when this was closed. Called by one task.
    async fn event(&self) -> Option<Event>;

    /// Disconnects for good. Everything fails from now on.
    fn close(&self);
}
