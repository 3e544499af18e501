//! Events of answer streams in the store, so that a client can resume a stream at another replica.
//!
//! What is kept there of a stream is what its replica keeps of it, within the same limits. A stream is a set of fields of its
//! own:
//!
//! ```text
//! .         the request that the stream answers: its id, as JSON
//! NUMBER    an event that can be sent again: the message
//! $         the number of the response; `-` if the stream ended without one
//! ```

use std::sync::Arc;

use super::{Changes, Fields, Replicas, StoreError, key_of};

/// The field that every stream has.
pub(crate) const REQUEST: &[u8] = b".";

/// The field that a stream has from its end on.
pub(crate) const END: &[u8] = b"$";

/// The end of a stream without a response.
pub(crate) const NO_RESPONSE: &[u8] = b"-";

/// Where the events of a session's answer streams are kept for other replicas.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    /// The replicas.
    pub(crate) replicas: Arc<Replicas>,
    /// What stores know of the session's id.
    pub(super) session: Arc<str>,
}

impl Archive {
    /// That of this session.
    pub(crate) fn new(replicas: &Arc<Replicas>, session: Arc<str>) -> Self {
        Self { replicas: Arc::clone(replicas), session }
    }

    /// The name of this process, which ids of events begin with.
    pub(crate) fn replica(&self) -> &Arc<str> {
        self.replicas.name()
    }

    /// Changes what is kept of a stream of this process. `false` if that could not be done.
    pub(crate) async fn write(&self, stream: u64, changes: Changes) -> bool {
        let (store, lifetime) = (self.replicas.store(), self.replicas.idle);
        // What is sent does not wait for a store that is not there.
        if !store.is_connected() {
            return false;
        }
        let written = store.keep_events(&self.name_of_own(stream), changes, lifetime).await;
        written.inspect_err(|error| tracing::debug!(%error, "events cannot be resumed elsewhere")).is_ok()
    }

    /// Removes what is kept of a stream of this process. When the process is ending, the store is closed before.
    pub(crate) fn remove(&self, stream: u64) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let archive = self.clone();
        runtime.spawn(async move {
            let name = archive.name_of_own(stream);
            // Else it is gone when it has not changed for as long as a session may be idle.
            let _later = archive.replicas.store().forget_events(&name).await;
        });
    }

    /// What a replica keeps of a stream, but for events up to this one.
    pub(super) async fn read(&self, replica: &str, stream: u64, last: u64) -> Result<Fields, StoreError> {
        let is_wanted = |name: &[u8]| number(name).is_none_or(|event| event > last);
        self.replicas.store().events(&self.name(replica, stream), &is_wanted).await
    }

    /// The name of a stream of this process.
    pub(crate) fn name_of_own(&self, stream: u64) -> String {
        self.name(self.replica(), stream)
    }

    /// The session is in it: another one's streams cannot be named.
    fn name(&self, replica: &str, stream: u64) -> String {
        key_of(&format!("{}.{replica}.{stream}", self.session))
    }
}

/// The event of a field's name.
pub(super) fn number(name: &[u8]) -> Option<u64> {
    std::str::from_utf8(name).ok()?.parse().ok()
}
