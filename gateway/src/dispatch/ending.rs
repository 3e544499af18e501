//! The end of a session that its client asks for: at every replica that serves it.

use std::sync::Arc;

use mcp_disclosure_core::Principal;
use mcp_disclosure_transport::{ErrorText, printable::Short};

use super::{
    Gateway,
    replicas::{ATTEMPTS, is_id},
};
use crate::session::Location;

impl Gateway {
    /// Ends a session everywhere. `false` if the id is unknown. Once begun, this is finished, even if the client hangs up.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub async fn end_everywhere(self: &Arc<Self>, id: &Arc<str>) -> Result<bool, ErrorText> {
        let (gateway, id) = (Arc::clone(self), Arc::clone(id));
        self.finishing(async move { gateway.end_shared(&id).await }).await
    }

    async fn end_shared(self: &Arc<Self>, id: &Arc<str>) -> Result<bool, ErrorText> {
        let Some(replicas) = &self.replicas else { return Ok(self.end_session(id)) };
        let ended = replicas.end(id).await;
        self.end_session(id);
        if ended.is_err() {
            // The end has begun, and must not depend on whether the client tries again.
            tokio::spawn(Arc::clone(self).end_later(Arc::clone(id)));
        }
        ended.map(|()| true).map_err(|error| error.for_clients())
    }

    async fn end_later(self: Arc<Self>, id: Arc<str>) {
        let Some(replicas) = &self.replicas else { return };
        let (attempts, after) = ATTEMPTS;
        for _ in 0..attempts {
            tokio::time::sleep(after).await;
            if replicas.end(&id).await.is_ok() {
                return;
            }
        }
        tracing::warn!(session = %Short(&id), "a session was ended, and may be served until it is idle");
    }

    /// Where a session was opened, if the principal opened it: what has to be known to end it. It needs no copy.
    ///
    /// # Errors
    /// -32006 if the store cannot be used.
    pub async fn opened_at(&self, id: &str, principal: &Principal) -> Result<Option<Location>, ErrorText> {
        let Some(replicas) = &self.replicas else {
            let own = self.sessions.find(id).filter(|session| session.principal().is_same(principal));
            return Ok(own.map(|session| session.location().clone()));
        };
        if !is_id(id) {
            return Ok(None);
        }
        let read = replicas.read_own(id, principal).await.map_err(|error| error.for_clients())?;
        Ok(read.map(|read| read.kept.opened.location()))
    }
}
