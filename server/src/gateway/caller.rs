//! Who asks, as the gateway knows it: the same for every front and era.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use mcp_disclosure_core::{Context, Era, FetchLimit, Handles, Principal, Receipts, View};

use super::Gateway;
use crate::{
    negotiation::Choice,
    session::{Outlet, Session},
};

/// The one who sent a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The strategy that serves it.
    pub choice: Choice,
    /// Who it is.
    pub principal: Principal,
    /// Its session, in the era that has them.
    pub session: Option<Arc<Session>>,
    /// For logs and limits: the session's id, the principal, or the peer.
    pub label: Arc<str>,
    /// Where notifications about this request go.
    pub outlet: Outlet,
}

impl Caller {
    /// A caller in a session.
    pub fn in_session(session: &Arc<Session>, outlet: Outlet) -> Self {
        Self {
            choice: session.choice().clone(),
            principal: session.principal().clone(),
            label: Arc::clone(session.id()),
            session: Some(Arc::clone(session)),
            outlet,
        }
    }

    /// A caller of the stateless era.
    pub fn stateless(choice: Choice, principal: Principal, peer: &Arc<str>, outlet: Outlet) -> Self {
        let label = principal.id().map_or_else(|| Arc::clone(peer), Arc::from);
        Self { choice, principal, session: None, label, outlet }
    }

    /// Its era.
    pub fn era(&self) -> Era {
        self.choice.traits.era
    }

    /// What a strategy is handed with this caller's request.
    pub(super) fn context<'a>(
        &'a self,
        gateway: &'a Gateway,
        view: &'a View,
        fetches: &'a dyn FetchLimit,
    ) -> Context<'a> {
        let receipts = match &self.session {
            Some(session) => Receipts::Marks(&session.marks),
            None => Receipts::Handles(Handles {
                key: &gateway.receipts.key,
                principal: self.principal.id(),
                lifetime: gateway.receipts.lifetime,
                now: SystemTime::now(),
                nonce: nonce(),
            }),
        };
        Context { view, client: &self.choice.traits, receipts, session: &self.label, fetches }
    }
}

/// Random bytes. Where the operating system has none, the clock's will do: a nonce only keeps two
/// handles of one second apart.
fn nonce() -> [u8; 4] {
    let mut nonce = [0; 4];
    if getrandom::fill(&mut nonce).is_err() {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        nonce = since.map_or(0, |since: Duration| since.subsec_nanos()).to_be_bytes();
    }
    nonce
}
