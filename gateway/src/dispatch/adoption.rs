//! Looks up the session of a request: here, or in the store, from which a copy is made for the principal that opened it.

use std::sync::Arc;

use mcp_disclosure_core::{Kind, Principal};
use mcp_disclosure_transport::{ErrorText, Request, printable::Short};
use strum::IntoEnumIterator;
use tracing::{Instrument, field::Empty};

use super::{Admitted, Gateway, call::read_call, replicas::is_id, requests::no_room, unopened::Unopened};
use crate::{
    dialect::{InitializeRequest, Revision},
    negotiation::Choice,
    observe::{Outcome, Watch, Who},
    session::{
        Address, Client, Location, Opening, Peer, Session,
        store::{Archive, MessageKind, Opened, Read, Replicas, StoreError},
    },
};

/// How often a session is read whose copy is dropped each time before it is used.
const READINGS: usize = 4;

impl Gateway {
    /// The session of this id, as it is now; of a session that another replica opened, a copy.
    ///
    /// # Errors
    /// -32006 if the store cannot be used; -32000 if there is no room for a copy, or no upstream could be started for it.
    pub async fn session(
        self: &Arc<Self>,
        id: &str,
        admitted: &Admitted,
        peer: &Peer,
    ) -> Result<Option<Arc<Session>>, ErrorText> {
        let principal = &admitted.principal;
        let Some(replicas) = &self.replicas else { return Ok(self.sessions.find(id)) };
        // The store is asked only for what can be the id of a session.
        if !is_id(id) {
            return Ok(None);
        }
        for _ in 0..READINGS {
            // Another principal's is looked for in the store, as an unknown one is, so that its answers are the same.
            let copy = self.sessions.find(id).filter(|copy| copy.principal().is_same(principal));
            let read = replicas.read_own(id, principal).await.map_err(|error| error.for_clients())?;
            if let Some(copy) = copy {
                self.renew(&copy, read.as_ref());
                return Ok(read.map(|_| copy));
            }
            let Some(read) = read else { return Ok(None) };
            let _alone = replicas.adopting(id).await;
            if self.sessions.find(id).is_none() {
                Box::pin(self.adopt(replicas, id, &read, admitted, peer)).await?;
            }
            // It is read again: it may have ended while its upstreams were started.
        }
        Err(StoreError::Unreachable.for_clients())
    }

    /// Makes a copy of a session that another replica opened. One whose strategy is not offered here is ended, so that its
    /// client opens a new one.
    async fn adopt(
        self: &Arc<Self>,
        replicas: &Arc<Replicas>,
        id: &str,
        read: &Read,
        admitted: &Admitted,
        peer: &Peer,
    ) -> Result<(), ErrorText> {
        let opened = &read.kept.opened;
        let Opened { revision, capabilities, chain, .. } = opened;
        let revision = Revision::parse(revision).filter(|revision| revision.has_sessions());
        let revision = revision.unwrap_or(Revision::LATEST_WITH_SESSIONS);
        // By the permissions of that time: a session keeps its strategy until the principal may not be served by it.
        let choice = self.strategies.chosen_before(
            &opened.chosen,
            opened.strategy.as_deref(),
            &opened.permits(),
            &opened.offer(),
            revision.era(),
        );
        let Some(choice) = choice else {
            tracing::info!(session = %Short(id), strategy = opened.chosen, "session ended: its strategy is not offered here");
            return self.end_everywhere(&id.into()).await.map(drop);
        };
        let choice = choice.in_revision(revision);
        let client = Arc::new(Client::new(revision.era(), capabilities));
        if !chain.is_empty() {
            client.came_through(chain.iter().map(String::as_str).collect());
        }
        client.asked_by(replicas);
        client.forwarded.follow(admitted.forwarded.clone());
        let address = Address { location: opened.location(), parameters: Vec::new() };
        let opening = Opening {
            principal: admitted.principal.clone(),
            address,
            client: Arc::clone(&client),
            peer: peer.clone(),
        };
        let (id, place): (Arc<str>, _) = (id.into(), peer.session_anyway());
        let backend = self.backends.for_session(&id, &client, peer).await?;
        let unopened = Unopened::new(self, &id);
        backend.recalled().await;
        let session = Session::new(
            Arc::clone(&id),
            revision,
            choice,
            opening,
            Arc::clone(&backend),
            place,
            &self.limits,
        );
        let session = Arc::new(session.of_client(&opened.client));
        session.replay.shared(Archive::new(replicas, session.id()));
        session.replace(read);
        let evicted = self.sessions.adopt(Arc::clone(&session)).map_err(no_room)?;
        evicted.iter().for_each(|evicted| self.let_go(evicted));
        // Its permissions may have changed before it was there to be notified of it.
        let last = self.last_change();
        if last != admitted.at {
            session.await_readmission(last);
        }
        backend.audience().join(&session);
        unopened.keep();
        if session.log_level().is_some() {
            backend.relay_log_level();
        }
        tracing::debug!(session = %Short(&id), "session of another replica");
        // The upstreams of a session that moved are new: the next stream that is open says so, here or elsewhere.
        if backend.client().is_some() {
            session.notify_changed(&Kind::iter().collect::<Vec<_>>());
            self.mention(&session, MessageKind::Moved).await;
        }
        Ok(())
    }

    /// What other replicas have to know of how a session is opened.
    pub(super) fn opening(
        &self,
        initialize: &InitializeRequest,
        opening: &Opening,
        choice: &Choice,
    ) -> Opened {
        let Opening { principal, address, client, .. } = opening;
        let permitted = principal.permits().strategies();
        let opened = Opened {
            revision: initialize.revision.to_string(),
            chosen: choice.name.to_string(),
            principal: principal.id().map(str::to_owned),
            permitted: permitted.map(|names| names.into_iter().map(str::to_owned).collect()),
            client: initialize.client.clone(),
            capabilities: client.capabilities().clone(),
            chain: client.chain().iter().map(str::to_owned).collect(),
            ..Opened::default()
        };
        let is_known = |id: &str| {
            let mut extensions = self.strategies.all().filter_map(|strategy| strategy.profile().extension);
            extensions.any(|extension| extension.id == id)
        };
        opened.at(&address.location).offering(&initialize.offer, is_known)
    }

    /// A call in a session that could not be read has no caller, and is observed all the same.
    pub async fn unreached(&self, principal: &Principal, session: &str, at: &Location, request: &Request) {
        let label = Short(session).to_string();
        let strategy = at.strategy.as_deref().unwrap_or_default();
        let who = Who { principal: principal.id(), session: Some(&label), strategy, client: "" };
        let span = tracing::error_span!(
            "request",
            request = request.id.as_str(),
            method = request.method,
            session = %label,
            principal = who.principal,
            strategy,
            upstream = Empty,
        );
        let watching = async {
            let mut watch = Watch::of_unread(self, who, request);
            if let Ok(call) = read_call(&request.params) {
                watch.names(&call.name);
                watch.takes(call.arguments.as_ref()).await;
            }
            watch.ends(Outcome::Unavailable);
        };
        watching.instrument(span).await;
    }
}
