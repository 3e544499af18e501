//! What a request does to its caller's session, before it is answered.

use std::sync::Arc;

use mcp_disclosure_core::{Digest, Effect, Effects, ToolName};
use mcp_disclosure_transport::ErrorText;

use super::{Caller, Gateway, fetches::OfCaller};
use crate::session::store::Delta;

impl Gateway {
    /// Carries out the effects that a strategy returned; counts the fetches that it admitted, and lets them be observed.
    ///
    /// # Errors
    /// -32006 if the session's store cannot be used: the answer depends on it, and is not sent.
    pub(super) async fn carry_out(
        self: &Arc<Self>,
        caller: &Caller,
        effects: Effects,
        fetches: &OfCaller<'_>,
    ) -> Result<(), ErrorText> {
        let mut delta = Delta::default();
        for effect in effects.into_vec() {
            match effect {
                Effect::Delivered { tool, digest } => {
                    self.apart.reads(caller, &tool);
                    delta.marks.push((tool, digest));
                }
                Effect::CalledUnread { tool } => self.apart.calls_unread(caller, &tool),
                Effect::Remember { strategy, changes } => delta.notes.push((strategy, changes)),
                Effect::Native => delta.native |= self.strategies.withdraws_bridges(),
                other => tracing::error!(?other, "unknown effect"),
            }
        }
        let recording = async {
            match &caller.session {
                Some(session) if !delta.is_empty() => self.remember(caller, session, delta).await,
                None if !delta.notes.is_empty() => {
                    tracing::error!("effect Remember requires a session");
                    Ok(())
                }
                _ => Ok(()),
            }
        };
        let (recorded, ()) = tokio::join!(recording, self.count_fetches(caller, fetches.admitted()));
        recorded?;
        if let Some(code) = fetches.refused() {
            caller.identified(|who| self.observer.fetch_refused(&who, code));
        }
        fetches.noted().for_each(|note| caller.identified(|who| self.observer.noted(&who, note)));
        Ok(())
    }

    /// Records definitions that a list delivers to a session, before it is sent.
    ///
    /// # Errors
    /// As of [`carry_out`](Self::carry_out).
    pub(super) async fn delivered(
        self: &Arc<Self>,
        caller: &Caller,
        marks: Vec<(ToolName, Digest)>,
    ) -> Result<(), ErrorText> {
        let Some(session) = &caller.session else { return Ok(()) };
        self.record(session, Delta { marks, ..Delta::default() }).await.map(drop)
    }
}
