//! The caller of a request, independent of front and era.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use axum::http::request::Parts;
use mcp_disclosure_core::{Era, Memory, Principal, View};
use mcp_disclosure_transport::{ErrorText, LoggingLevel, Request, code};
use tokio::{sync::OnceCell, time::Instant};

use super::{
    Admitted, Gateway, admission::arriving, allowance::Allowance, common::panicked, fetches::Fetcher,
    sessions::ServedSession,
};
use crate::{
    backend::{Backend, BackendGuard, Backends, Claim},
    catalogue::Page,
    dialect::{RequestMeta, Revision},
    explain::explanation,
    negotiation::Choice,
    observe::Who,
    session::{Address, Client, Location, Outlet, Peer, Viewer},
};

/// The sender of a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The strategy that serves it.
    pub choice: Choice,
    /// The authenticated principal.
    pub principal: Principal,
    /// The last change of permissions before it was admitted.
    pub(super) admitted_at: u64,
    /// When its request arrived.
    pub(super) arrived: Instant,
    /// The head of its request over HTTP, by which it is admitted again.
    pub(crate) head: Option<Arc<Parts>>,
    /// What strategies recorded about the client, as of this request.
    pub memory: Memory,
    /// The session, in the era that has sessions.
    pub session: Option<Arc<ServedSession>>,
    /// Label for logs: a prefix of the session id, the principal, or the peer.
    pub label: Arc<str>,
    /// Whose fetch limit its description fetches count against.
    pub(super) fetcher: Fetcher,
    /// The quotas that it counts against.
    pub(super) allowances: Vec<Arc<Allowance>>,
    /// What a client without session calls itself.
    name: String,
    /// Where notifications about this request are sent.
    pub outlet: Outlet,
    /// The lowest log level to send there; `None` for no log messages.
    pub log_level: Option<LoggingLevel>,
    /// The peer whose limits it counts against.
    pub peer: Peer,
    /// The backend that serves it.
    pub backend: Arc<Backend>,
    /// Identifies which dedicated upstreams a request without session may use.
    claim: Option<Claim>,
    /// Its dedicated upstreams, from its first request to one of them.
    guard: Arc<OnceCell<Option<Arc<BackendGuard>>>>,
}

impl Caller {
    /// The protocol era.
    pub fn era(&self) -> Era {
        self.choice.traits.era
    }

    /// The sender, for observers.
    pub(crate) fn who(&self) -> Who<'_> {
        match &self.session {
            // A request may name another strategy than the session's.
            Some(session) => Who { strategy: &self.choice.name, ..session.who(&self.principal) },
            None => Who {
                principal: self.principal.id(),
                session: None,
                strategy: &self.choice.name,
                client: &self.name,
            },
        }
    }

    /// The client that requests can be sent to, if there is one.
    pub(super) fn client(&self) -> Option<&Arc<Client>> {
        let own = self.session.as_ref().map(|session| &session.client);
        own.or_else(|| self.reached().client())
    }

    /// Whether upstreams of its own may send requests to it.
    pub(super) fn can_be_asked(&self) -> bool {
        let client = self.backend.client();
        client.is_some_and(|client| !client.capabilities().is_empty())
            || self.claim.as_ref().is_some_and(Claim::can_be_asked)
    }

    /// Its dedicated upstreams. The guard must be held for as long as one of them works for the request.
    pub(super) fn guard(&self) -> Option<&Arc<BackendGuard>> {
        self.guard.get()?.as_ref()
    }

    /// The backend whose upstreams its request may reach: its own, from its first request to one of them.
    pub(super) fn reached(&self) -> &Arc<Backend> {
        self.guard().map_or(&self.backend, |guard| &guard.backend)
    }

    /// The same, once its own upstreams were started, if it gets any.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it.
    pub(super) async fn reach(&self, backends: &Backends) -> Result<&Arc<Backend>, ErrorText> {
        let Some(claim) = &self.claim else { return Ok(&self.backend) };
        let starting = || Box::pin(backends.for_request(claim, &self.peer));
        self.guard.get_or_try_init(starting).await?;
        Ok(self.reached())
    }

    /// The caller of a request in a session, or what else its client says there, with the permissions that its principal has now.
    pub(super) fn of_session(
        session: &Arc<ServedSession>,
        principal: Principal,
        allowances: Vec<Arc<Allowance>>,
        outlet: Outlet,
    ) -> Self {
        let backend = Arc::clone(session.backend());
        // A client with dedicated upstreams receives all their log messages by default.
        let default_level = backend.client().map(|_| LoggingLevel::Debug);
        let Viewer { choice, memory, .. } = session.viewer();
        Self {
            choice,
            allowances,
            principal,
            admitted_at: 0,
            arrived: Instant::now(),
            head: None,
            memory,
            label: Arc::clone(&session.label),
            fetcher: Fetcher::Session(Arc::clone(session.id())),
            session: Some(Arc::clone(session)),
            name: String::new(),
            peer: session.peer.clone(),
            outlet,
            log_level: session.log_level().or(default_level),
            backend,
            claim: None,
            guard: Arc::default(),
        }
    }

    /// What it sees of the current catalogue before filters.
    pub(super) fn view(&self) -> View {
        self.backend.catalogue().current().view(&self.principal, &self.choice)
    }

    /// The page of the current catalogue for this caller.
    pub(super) fn page(&self) -> Arc<Page> {
        self.backend.catalogue().current().page(&self.principal, &self.choice, &self.memory)
    }

    /// The same, where nothing else answers for a strategy that panics.
    ///
    /// # Errors
    /// -32603 if it does.
    pub(super) fn guarded_page(&self, method: &str) -> Result<Arc<Page>, ErrorText> {
        catch_unwind(AssertUnwindSafe(|| self.page())).map_err(|_| panicked(method))
    }
}

impl Gateway {
    /// The caller of a request in a session, with the permissions that its principal has now.
    pub(crate) fn in_session(
        &self,
        session: &Arc<ServedSession>,
        admitted: Admitted,
        outlet: Outlet,
    ) -> Caller {
        let Admitted { principal, at, .. } = admitted;
        self.sessions.readmit(session, &principal, at);
        let allowances = self.common.allowances.of(&principal, session.peer.name());
        Caller { admitted_at: at, ..Caller::of_session(session, principal, allowances, outlet) }
    }

    /// The same caller as it is admitted now.
    ///
    /// # Errors
    /// Why it is not admitted any more; -32600 if it is another caller now, or may not use its strategy.
    pub(super) async fn readmitted(&self, caller: &Caller) -> Result<Caller, ErrorText> {
        let admitted = match &caller.head {
            Some(head) => {
                let location = Location::of(head.uri.path());
                self.admit_request(&arriving(head, location.as_ref())).await
            }
            None => Ok(self.admit_on_stdio()),
        };
        let Admitted { principal, at, .. } = admitted.map_err(|denied| denied.error)?;
        let is_permitted = self.common.strategies.is_permitted(principal.permits(), &caller.choice.name);
        if !(is_permitted && principal.is_same(&caller.principal)) {
            let message = "what this client is permitted changed while its request waited; connect again";
            return Err(ErrorText::new(code::INVALID_REQUEST, message));
        }
        let mut now = caller.clone();
        if let Some(session) = &caller.session {
            self.sessions.readmit(session, &principal, at);
            now.memory = session.memory();
        }
        now.allowances = self.common.allowances.of(&principal, caller.peer.name());
        (now.principal, now.admitted_at) = (principal, at);
        Ok(now)
    }

    /// The caller of a stateless request.
    ///
    /// # Errors
    /// -32600 if the strategy rejects the address; -32000 if no upstream could be started for it; -32005 if its peer has too many; the strategy's error
    /// if it rejects the client's settings.
    pub async fn stateless(
        &self,
        address: &Address,
        request: &Request,
        meta: &RequestMeta,
        admitted: Admitted,
        peer: &Peer,
        outlet: Outlet,
    ) -> Result<Caller, ErrorText> {
        let Admitted { principal, at, forwarded, .. } = admitted;
        let (strategy, permits) = (address.location.strategy.as_deref(), principal.permits());
        let choice = self.common.strategies.choose(strategy, permits, &meta.offer, Era::Stateless);
        let varied = meta
            .variant
            .as_ref()
            .and_then(|variant| self.common.strategies.vary(&choice, permits, variant).ok());
        // What cannot be chosen is refused when the request is handled, so that this is observed.
        let choice = varied.unwrap_or(choice);
        let label = principal.id().map_or_else(|| Arc::clone(peer.name()), Arc::from);
        let fetcher = match principal.id() {
            Some(_) => Fetcher::Principal(Arc::clone(&label)),
            None => Fetcher::Peer(Arc::clone(&label), meta.identity()),
        };
        // Where all clients share upstreams, none has a claim to any.
        let has_own = self.common.backends.dedicated() > 0;
        let claim = has_own.then(|| Claim::new(&principal, &meta.capabilities, forwarded));
        let own_lists = claim.as_ref().is_some_and(Claim::can_be_asked);
        // A task runs where its call did, and a request goes on where it was left.
        let guard = claim.as_ref().and_then(|claim| match request.params.string("taskId") {
            Some(id) => self.calls.tasks.guard(&id, &principal),
            None => self.calls.rounds.guard(claim, &principal, request),
        });
        let guard = Arc::new(OnceCell::new_with(guard.map(Some)));
        let mut caller = Caller {
            choice,
            allowances: self.common.allowances.of(&principal, peer.name()),
            principal,
            admitted_at: at,
            arrived: Instant::now(),
            head: None,
            memory: Memory::default(),
            session: None,
            name: meta.client.string("name").unwrap_or_default(),
            peer: peer.clone(),
            label,
            fetcher,
            outlet,
            log_level: meta.log_level,
            backend: Arc::clone(self.common.backends.stateless()),
            claim,
            guard,
        };
        if own_lists {
            caller.backend = Arc::clone(caller.reach(&self.common.backends).await?);
        }
        caller.comes_in(&address.parameters, &meta.offer.settings).await?;
        self.common.explained.explain(|| {
            let Caller { label, choice, memory, .. } = &caller;
            explanation(label, Revision::V2026_07_28, &meta.offer, choice, &caller.page(), memory)
        });
        Ok(caller)
    }
}
