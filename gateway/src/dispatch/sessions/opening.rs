//! How a session begins here: its client opens it, or another replica did, and a copy is made from the store.

use std::sync::Arc;

use mcp_disclosure_core::{Kind, Principal, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, printable::Short};
use scopeguard::ScopeGuard;

use super::{ServedSession, Sessions};
use crate::{
    backend::Backend,
    dialect::{InitializeRequest, Revision},
    dispatch::{Admitted, Answer, allowance::Allowance, common::fresh},
    explain::explanation,
    observe::protected,
    session::{
        Address, Client, Opening, Peer, Session,
        store::{MessageKind, Read, StoreError},
    },
};

/// How often a session is read whose copy is dropped each time before it is used.
const READINGS: usize = 4;

impl Sessions {
    /// Begins a session that this backend serves. What is returned ends it, such as when the client hangs up, until it is [`joined`].
    async fn begin(
        &self,
        mut session: Session,
        backend: &Arc<Backend>,
    ) -> ScopeGuard<Arc<ServedSession>, impl FnOnce(Arc<ServedSession>)> {
        self.replicas.iter().for_each(|replicas| session.share(replicas));
        let session = ServedSession::new(session, backend);
        let begun = scopeguard::guard(session, |session| self.give_up(&session));
        backend.recalled().await;
        begun
    }

    /// Opens a session.
    ///
    /// # Errors
    /// -32602 for missing or invalid parameters; -32600 if the strategy rejects the address; -32005 if the peer holds too many
    /// resources; -32000 if there are too many sessions, or no upstream could be started for this one.
    pub(crate) async fn open(
        &self,
        params: &RawObject,
        mut opening: Opening,
    ) -> Result<(Arc<ServedSession>, Json), ErrorText> {
        let initialize = InitializeRequest::read(params)?;
        let common = &self.common;
        Allowance::request(&common.allowances.of(&opening.principal, opening.peer.name()))?;
        // Checked before upstreams are started for this client, which could lead back here.
        let declared = params.object("capabilities").unwrap_or_default();
        let is_gateway = common.admit_chain(common.backends.shared(), &declared)?;
        opening.client.initializes(params);
        let (strategy, permits) = (opening.address.location.strategy.as_deref(), opening.principal.permits());
        let revision = initialize.revision;
        let choice = common.strategies.choose(strategy, permits, &initialize.offer, revision.era());
        let id = fresh("a session id")?;
        // Checked first, so that no upstreams are started in vain.
        self.table.lock().room()?;
        self.reach().await?;
        let place = opening.peer.session()?;
        let parameters = std::mem::take(&mut opening.address.parameters);
        let (principal, name, reason) = (opening.principal.clone(), &*initialize.client, choice.reason);
        let backend = common.backends.for_session(&opening.client, &opening.peer).await?;
        let session = Session::new(id, revision, choice, name, opening, place, &common.limits);
        let begun = self.begin(session, &backend).await;
        let session = &*begun;
        tracing::info!(session = %Short(session.id()), principal = principal.id(), client = name, %revision, strategy = %session.strategy(), %reason, "session opened");
        let of_strategies = |id: &str| {
            let mut extensions = common.strategies.all().filter_map(|strategy| strategy.profile().extension);
            extensions.any(|extension| extension.id == id)
        };
        let mut client = self.client_of(session);
        let recorded = client.comes_in(&parameters, &initialize.offer.settings).await?;
        // No other replica knows it yet.
        drop(session.apply(self.allowed(recorded)));
        let result = self.greet(&initialize, session, is_gateway).await?;
        if let Some(replicas) = &self.replicas {
            let opened = session.opened_by(&initialize, of_strategies);
            replicas.create(session.id(), &opened, &session.recorded()).await?;
        }
        let session = joined(ScopeGuard::into_inner(begun));
        protected(|| {
            common.observer.opened(&session.who(&session.principal()));
        });
        Ok((session, result))
    }

    /// Builds the result of `initialize`, and adds the session.
    async fn greet(
        &self,
        initialize: &InitializeRequest,
        session: &Arc<ServedSession>,
        is_gateway: bool,
    ) -> Answer {
        let caller = self.client_of(session);
        // What is not known yet is not declared to the client, so it need not be followed.
        if caller.backend.is_settled() {
            caller.backend.follow(&caller.guarded_page("initialize")?.view).await;
        }
        let page = caller.guarded_page("initialize")?;
        let InitializeRequest { client, revision, offer, .. } = initialize;
        let (choice, memory) = (&caller.choice, &caller.memory);
        self.common.explained.explain(|| explanation(client, *revision, offer, choice, &page, memory));
        let result = self.common.initialized(initialize, &caller, &page, is_gateway);
        self.table.lock().add(Arc::clone(session))?;
        Ok(result)
    }

    /// The session of this id, as it is now; of a session that another replica opened, a copy.
    ///
    /// # Errors
    /// -32006 if the store cannot be used; -32000 if there is no room for a copy, or no upstream could be started for it.
    pub(crate) async fn of_request(
        self: &Arc<Self>,
        id: &str,
        admitted: &Admitted,
        peer: &Peer,
    ) -> Result<Option<Arc<ServedSession>>, ErrorText> {
        let principal: &Principal = &admitted.principal;
        let Some(replicas) = &self.replicas else { return Ok(self.find(id)) };
        for _ in 0..READINGS {
            // Another principal's is looked for in the store, as an unknown one is, so that its answers are the same.
            let copy = self.find(id).filter(|copy| copy.principal().is_same(principal));
            let read = replicas.read_own(id, principal).await?;
            if let Some(copy) = copy {
                self.renew(&copy, read.as_ref());
                return Ok(read.map(|_| copy));
            }
            let Some(read) = read else { return Ok(None) };
            let _alone = replicas.adopting(id).await;
            if self.find(id).is_none() {
                Box::pin(self.adopt(id, &read, admitted, peer)).await?;
            }
            // It is read again: it may have ended while its upstreams were started.
        }
        Err(StoreError::Unreachable.into())
    }

    /// Makes a copy of a session that another replica opened. One whose strategy is not offered here is ended, so that its
    /// client opens a new one.
    async fn adopt(
        self: &Arc<Self>,
        id: &str,
        read: &Read,
        admitted: &Admitted,
        peer: &Peer,
    ) -> Result<(), ErrorText> {
        let opened = &read.opened;
        let revision = Revision::parse(&opened.revision).filter(|revision| revision.has_sessions());
        let revision = revision.unwrap_or(Revision::LATEST_WITH_SESSIONS);
        // By the permissions of that time: a session keeps its strategy until the principal may not be served by it.
        let choice = self.common.strategies.chosen_before(
            &opened.chosen,
            opened.location.strategy.as_deref(),
            &opened.permits(),
            &opened.offer,
            revision.era(),
        );
        let Some(choice) = choice else {
            tracing::info!(session = %Short(id), strategy = opened.chosen, "session ended: its strategy is not offered here");
            return self.end_everywhere(&id.into()).await.map(drop);
        };
        let client = Arc::new(Client::new(revision.era(), &opened.capabilities));
        client.forwarded.follow(admitted.forwarded.clone());
        client.came_through(opened.chain.clone());
        let opening = Opening {
            principal: admitted.principal.clone(),
            address: Address { location: opened.location.clone(), parameters: Vec::new() },
            client,
            peer: peer.clone(),
        };
        let (place, common) = (peer.session_anyway(), &self.common);
        let backend = common.backends.for_session(&opening.client, peer).await?;
        let session =
            Session::new(id.into(), revision, choice, &opened.client, opening, place, &common.limits);
        let begun = self.begin(session, &backend).await;
        begun.replace(read);
        let evicted = self.table.lock().adopt(Arc::clone(&begun))?;
        evicted.iter().for_each(|evicted| self.let_go(evicted));
        // Its permissions may have changed before it was there to be notified of it.
        let last = self.common.last_change();
        if last != admitted.at {
            begun.admitted.lock().await_change(last);
        }
        let session = joined(ScopeGuard::into_inner(begun));
        if session.log_level().is_some() {
            backend.relay_log_level();
        }
        tracing::debug!(session = %Short(id), "session of another replica");
        // The upstreams of a session that moved are new: the next stream that is open says so, here or elsewhere.
        if backend.client().is_some() {
            session.notify_changed(&Kind::ALL);
            self.mention(&session, MessageKind::Moved).await;
        }
        Ok(())
    }
}

/// The session, which is among those that its backend notifies from now on.
fn joined(session: Arc<ServedSession>) -> Arc<ServedSession> {
    session.backend().audience.join(session.session());
    session
}
