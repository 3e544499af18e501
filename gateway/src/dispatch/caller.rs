//! The caller of a request, independent of front and era.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use axum::http::request::Parts;
use mcp_disclosure_core::{Era, Memory, Principal, RawObject};
use mcp_disclosure_transport::{ErrorText, LoggingLevel, Request, code};
use tokio::{sync::OnceCell, time::Instant};

use super::{
    Admitted, FetchLimits, Gateway,
    admission::arriving,
    allowance::Allowance,
    decided::Decided,
    fetches::{Fetcher, OfCaller},
    sessions::ServedSession,
};
use crate::{
    backend::{Backend, BackendGuard, Backends, Claim},
    catalogue::Page,
    dialect::{RequestMeta, Revision},
    explain::explanation,
    negotiation::Choice,
    observe::{Trace, Who},
    session::{Address, Client, Location, Outlet, Peer, ReplyRoute},
    upstream::{Owner, Reports, UpstreamCall},
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
    /// Since when its request waits for upstreams, however often it is decided again.
    pub(super) since: Instant,
    /// The head of its request over HTTP, by which it is admitted again.
    pub(crate) head: Option<Arc<Parts>>,
    /// What its request is decided with.
    pub(super) decided: OnceLock<Arc<Decided>>,
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
    /// What follows its request in a trace, once it is handled.
    pub(super) trace: OnceLock<Arc<dyn Trace>>,
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
        own.or_else(|| self.backend.client())
    }

    /// What the gateway does for strategies in its request, within these limits.
    pub(super) fn services<'a>(&'a self, limits: &'a FetchLimits) -> OfCaller<'a> {
        limits.of(&self.fetcher, self.peer.name(), &self.allowances)
    }

    /// Whether upstreams of its own may send requests to it.
    pub(super) fn can_be_asked(&self) -> bool {
        let client = self.backend.client();
        client.is_some_and(|client| !client.capabilities().is_empty())
            || self.claim.as_ref().is_some_and(Claim::can_be_asked)
    }

    /// A request to an upstream for it, with parameters in the form of its era, on which it hears what it asks for.
    pub(super) fn upstream_call(&self, method: impl Into<String>, params: RawObject) -> UpstreamCall {
        let session = self.session.as_ref().map(|session| Arc::clone(session.id()));
        UpstreamCall {
            method: method.into(),
            reports: Reports::of(self.reply_route(), &params),
            params,
            owner: session.map_or(Owner::Request, Owner::Session),
            peer: Some(Arc::clone(self.peer.name())),
            trace: self.trace.get().cloned(),
            ..UpstreamCall::default()
        }
    }

    /// A route that nothing reaches the client by, once its request is answered.
    pub(super) fn ended_route(&self) -> ReplyRoute {
        ReplyRoute { outlet: self.outlet.ended(), rounds: None, log_level: None }
    }

    /// Where messages about this request are sent.
    pub(super) fn reply_route(&self) -> ReplyRoute {
        ReplyRoute { outlet: self.outlet.clone(), rounds: None, log_level: self.log_level }
    }

    /// Its dedicated upstreams. The guard must be held for as long as one of them works for the request.
    pub(super) fn guard(&self) -> Option<&Arc<BackendGuard>> {
        self.guard.get()?.as_ref()
    }

    /// The same caller, served by the upstreams that its request may reach.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it.
    pub(super) async fn reaching(&self, backends: &Backends) -> Result<Cow<'_, Self>, ErrorText> {
        let Some(claim) = &self.claim else { return Ok(Cow::Borrowed(self)) };
        let starting = || Box::pin(backends.for_request(claim, &self.peer));
        let guard = self.guard.get_or_try_init(starting).await?;
        let backend = guard.as_ref().map_or(&self.backend, |guard| &guard.backend);
        Ok(Cow::Owned(Self { backend: Arc::clone(backend), ..self.clone() }))
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
        Self {
            choice: session.choice(),
            allowances,
            principal,
            admitted_at: 0,
            since: Instant::now(),
            head: None,
            decided: OnceLock::new(),
            memory: session.memory(),
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
            trace: OnceLock::new(),
        }
    }

    /// The same caller, on whose request is decided anew.
    pub(super) fn undecided(&self) -> Self {
        Self { decided: OnceLock::new(), ..self.clone() }
    }

    /// The page of the current catalogue for this caller.
    pub(super) fn page(&self) -> Arc<Page> {
        self.backend.catalogue().current().page(&self.principal, &self.choice, &self.memory)
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

    /// The same caller as it is admitted now, on whose request is decided anew.
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
        let mut now = caller.undecided();
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
        let claim = has_own.then(|| Claim::new(&principal, &meta.capabilities, forwarded, request));
        let own_lists = claim.as_ref().is_some_and(Claim::can_be_asked);
        // A task runs where its call did.
        let task = request.params.string("taskId").filter(|_| claim.is_some());
        let guard = task.and_then(|id| self.calls.tasks.guard(&id, &principal));
        let guard = Arc::new(OnceCell::new_with(guard.map(Some)));
        let caller = Caller {
            choice,
            allowances: self.common.allowances.of(&principal, peer.name()),
            principal,
            admitted_at: at,
            since: Instant::now(),
            head: None,
            decided: OnceLock::new(),
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
            trace: OnceLock::new(),
        };
        let mut caller =
            if own_lists { caller.reaching(&self.common.backends).await?.into_owned() } else { caller };
        caller.comes_in(&self.common.fetches, &address.parameters, &meta.offer.settings).await?;
        self.common.explained.explain(|| {
            let Caller { label, choice, memory, .. } = &caller;
            explanation(label, Revision::V2026_07_28, &meta.offer, choice, &caller.page(), memory)
        });
        Ok(caller)
    }
}
