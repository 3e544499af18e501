//! The seam to a store of sessions that several replicas of the gateway share (docs/decisions/0032).
//!
//! Without a store, a session is kept in one process. With one, it is kept in the store, and each replica caches copies of the
//! sessions that it serves. While a replica holds a [`Lease`], it uses its copies without a round trip. A replica that changes a
//! session answers its client only after each other holder of a copy has confirmed that it no longer uses the copy, or the
//! holder's lease has ended.
//!
//! A store knows nothing of what it keeps: a session is a set of [`Fields`], each of which is set and removed on its own,
//! so that two changes at the same time never lose each other.

mod archive;
mod confirmations;
mod fields;
mod following;
mod locks;
mod replica_message;
mod replicas;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use mcp_disclosure_core::{Digest, digest::hex};
use mcp_disclosure_transport::{ErrorText, code};

pub(crate) use archive::{Archive, END, NO_RESPONSE, REQUEST};
pub(crate) use fields::{Delta, Kept, Opened};
pub(crate) use following::Following;
pub(crate) use locks::SessionGuard;
pub(crate) use replica_message::{MessageKind, Progress, ReplicaMessage};
pub(crate) use replicas::{Incoming, Loaded, Replicas};

/// The fields of a session, by name. Names and values are bytes. No name of the gateway's begins with `@`.
pub type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// Changes of fields: a new value, or `None` to remove the field.
pub type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// The field that every session has, from its creation on. A key without it is not a session: what was written to a
/// session after its end.
pub const OPENED: &[u8] = b".";

/// Messages of up to this size, in bytes, are not dropped by the receiving store while its lease lasts. Longer ones may be, see
/// [`SessionStore::send`].
pub const RELIABLE_MESSAGE_BYTES: usize = 4096;

/// What a store knows instead of the id of a session, or of a name that has one in it: half of its SHA-256, which is as long as an
/// id. Whoever has an id can use the session, and more people read stores, their copies and their logs.
pub(crate) fn key_of(id: &str) -> String {
    hex(&Digest::of_bytes(id.as_bytes()).as_bytes()[..16])
}

/// A time in which a replica may use copies without asking the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Never used twice by this process; never 0.
    pub number: u64,
    /// The name under which this replica is registered as a holder of sessions: [`SessionStore::name`], a dot, and the
    /// number.
    pub name: Arc<str>,
}

/// What a store has of a session.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The gateway's fields.
    pub fields: Fields,
    /// The lease under which this replica was registered as a holder, before the fields were read; `None` if it could not
    /// be registered.
    pub lease: Option<u64>,
}

/// What reaches a replica from the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message that a replica has sent to this one.
    Message(Vec<u8>),
    /// A new lease has begun. Messages may have been lost before.
    Begun,
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
    /// Another replica has neither confirmed a message, nor gone.
    #[error(
        "the session store was reached, but another replica did not confirm a message; try again shortly"
    )]
    Unconfirmed,
}

impl StoreError {
    /// The error for clients.
    pub(crate) fn for_clients(&self) -> ErrorText {
        ErrorText::new(code::STORE_UNAVAILABLE, self)
    }
}

/// A store of sessions. Every method but [`event`](Self::event) returns within a second, whether the store can be reached or not.
///
/// The ids of sessions, streams and counters that it is given are digests: no session can be used by them.
#[async_trait]
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// The name of this process among the replicas: letters and digits, unguessable, and new at each start.
    fn name(&self) -> &Arc<str>;

    /// The lease that this replica has now, if it has one.
    fn lease(&self) -> Option<Lease>;

    /// Whether the store is reached, and has no memory for a lease.
    fn is_full(&self) -> bool;

    /// Creates a session that expires after `lifetime`, with this replica as a holder. Returns the number of the lease under
    /// which it was registered; `None` if the store has no memory for a lease.
    async fn create(&self, id: &str, fields: Fields, lifetime: Duration) -> Result<Option<u64>, StoreError>;

    /// How a session was opened: its field [`OPENED`]. `None` if there is no such session. Nothing is written.
    async fn opened(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Registers this replica as a holder of a session, and then reads it. `None` if there is no such session.
    async fn load(&self, id: &str) -> Result<Option<Stored>, StoreError>;

    /// Changes a session. `None` if there is no such session. Neither this nor [`load`](Self::load) extends its life.
    async fn change(&self, id: &str, changes: Changes) -> Result<Option<()>, StoreError>;

    /// Ends a session: from now on there is no such session, but its holders are kept. Returns their leases; `None` if
    /// nothing is kept.
    async fn end(&self, id: &str) -> Result<Option<Vec<Arc<str>>>, StoreError>;

    /// Removes what is kept of a session that has ended.
    async fn remove(&self, id: &str) -> Result<(), StoreError>;

    /// The leases of a session's holders. `None` if there is no such session.
    async fn holders(&self, id: &str) -> Result<Option<Vec<Arc<str>>>, StoreError>;

    /// Removes leases that have ended from a session's holders.
    async fn forget(&self, id: &str, ended: Vec<Arc<str>>) -> Result<(), StoreError>;

    /// Extends the expiry of sessions that were used. Returns for each, in this order, whether it is there, and this replica is
    /// registered as a holder under its lease, if it has one.
    async fn keep(&self, ids: &[Arc<str>], lifetime: Duration) -> Result<Vec<bool>, StoreError>;

    /// Changes what is kept of an event stream, which lives this long from now on.
    async fn keep_events(&self, stream: &str, changes: Changes, lifetime: Duration)
    -> Result<(), StoreError>;

    /// Extends the expiry of event streams that are kept.
    async fn extend_events(&self, streams: &[String], lifetime: Duration) -> Result<(), StoreError>;

    /// The names of what is kept of an event stream; none if it is unknown.
    async fn event_names(&self, stream: &str) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Those fields of an event stream that are kept, in the order of these names.
    async fn events(&self, stream: &str, names: Vec<Vec<u8>>) -> Result<Fields, StoreError>;

    /// Removes what is kept of an event stream.
    async fn forget_events(&self, stream: &str) -> Result<(), StoreError>;

    /// Sends a message to the replica of this [`name`](Self::name). Delivery is at most once, and the receiver may drop a
    /// message of more than [`RELIABLE_MESSAGE_BYTES`] bytes.
    async fn send(&self, replica: &str, message: Vec<u8>) -> Result<(), StoreError>;

    /// Whether a lease lasts, so that copies may be used under it.
    async fn lasts(&self, lease: &str) -> Result<bool, StoreError>;

    /// Adds to a counter, which is gone this long after its first use. Returns the sum, and the time until it is gone.
    async fn count(
        &self,
        counter: &str,
        amount: u32,
        window: Duration,
    ) -> Result<(u64, Duration), StoreError>;

    /// The next event. Called by one task.
    async fn event(&self) -> Event;

    /// Ends the lease, so that no replica waits for this one.
    async fn close(&self);
}
