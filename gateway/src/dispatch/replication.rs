//! The store of sessions that replicas share, and what this one says to the others.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_transport::{ErrorText, Response};
use tracing::Instrument;

use super::{Caller, FetchLimits, common::panicked};
use crate::session::{
    Session,
    store::{Archive, MessageKind, Opened, Replicas, key_of},
};

/// How long fetches are counted together.
const COUNTING: Duration = Duration::from_secs(60);

/// The store; without one, nothing here does anything.
#[derive(Clone, Debug)]
pub(crate) struct Replication(Option<Arc<Replicas>>);

impl Replication {
    pub(super) fn new(replicas: Option<Replicas>) -> Self {
        Self(replicas.map(Arc::new))
    }

    /// The store, as this replica uses it.
    pub(super) fn replicas(&self) -> Option<&Arc<Replicas>> {
        self.0.as_ref()
    }

    /// Waits for the store.
    ///
    /// # Errors
    /// -32006 if it cannot be used.
    pub(super) async fn reach(&self) -> Result<(), ErrorText> {
        let Some(replicas) = &self.0 else { return Ok(()) };
        Ok(replicas.store().reach().await?)
    }

    /// Lets a session's client answer at any replica, and its answer streams be resumed there.
    pub(super) fn share(&self, session: &Session) {
        let Some(replicas) = &self.0 else { return };
        session.client.asked_by(replicas);
        session.replay.shared(Archive::new(replicas, key_of(session.id()).into()));
    }

    /// Writes a new session to the store.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub(super) async fn publish(&self, session: &Session, opened: &Opened) -> Result<(), ErrorText> {
        let Some(replicas) = &self.0 else { return Ok(()) };
        Ok(replicas.create(session.id(), opened, &session.recorded()).await?)
    }

    /// Tells the other replicas that serve a session.
    pub(super) async fn mention(&self, session: &Session, kind: MessageKind) {
        let Some(replicas) = &self.0 else { return };
        if let Err(error) = replicas.mention(session.id(), kind).await {
            tracing::debug!(%error, "other replicas were not notified");
        }
    }

    /// Delivers a client's response to the request that it answers, wherever that was sent from.
    ///
    /// # Errors
    /// -32006 if another replica sent it, and the store cannot be used.
    pub(crate) async fn settle(&self, session: &Session, response: Response) -> Result<(), ErrorText> {
        if let Some(replicas) = &self.0
            && replicas.pass_on(session.id(), &response).await?
        {
            return Ok(());
        }
        session.client.settle(response);
        Ok(())
    }

    /// Adds fetches of a caller to those that all replicas admitted to it, and takes note of the sum. A caller without a
    /// session does not wait for that.
    pub(super) async fn count(&self, limits: &Arc<FetchLimits>, caller: &Caller, fetches: u32) {
        // Of every call, and most fetch nothing.
        let (Some(replicas), true) = (&self.0, fetches > 0) else { return };
        let Some(name) = caller.fetcher.shared_name() else { return };
        let (replicas, limits, fetcher) = (Arc::clone(replicas), Arc::clone(limits), caller.fetcher.clone());
        let counting = async move {
            match replicas.store().count(&name, fetches, COUNTING).await {
                Ok((sum, left)) => limits.note(&fetcher, fetches, sum, left),
                // The limit of this replica goes on.
                Err(error) => tracing::debug!(%error, "fetches are not counted across replicas"),
            }
        };
        match caller.session {
            Some(_) => counting.await,
            None => drop(tokio::spawn(counting)),
        }
    }

    /// Runs what changes the store to completion, even if the caller is cancelled.
    pub(super) async fn finishing<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, ErrorText>> + Send + 'static,
    ) -> Result<T, ErrorText> {
        if self.0.is_none() {
            return work.await;
        }
        let finished = tokio::spawn(work.in_current_span()).await;
        finished.unwrap_or_else(|_| Err(panicked("a change of a session")))
    }
}
