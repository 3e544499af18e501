//! The caller of a request, independent of front and era.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use mcp_disclosure_core::{
    Context, Effects, Era, Handles, Memory, Noted, Principal, RawObject, Receipts, Services, SessionReceipts,
    View, own_uri,
};
use mcp_disclosure_transport::{ErrorText, LoggingLevel, Request, printable::Short};
use tokio::sync::OnceCell;
use tracing::{Span, field::Empty};

use super::{Admitted, Gateway, allowance::Allowance, fetches::Fetcher};
use crate::{
    backend::{Backend, BackendGuard, Claim},
    catalogue::Page,
    dialect::{RequestMeta, Revision},
    explain::Explanation,
    negotiation::Choice,
    observe::{Trace, Who},
    session::{Address, Client, Outlet, Peer, ReplyRoute, Session, Watched},
    slot::Late,
    upstream::Owner,
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
    /// What strategies recorded about the client, as of this request.
    pub memory: Memory,
    /// The session, in the era that has sessions.
    pub session: Option<Arc<Session>>,
    /// Label for logs: a prefix of the session id, the principal, or the peer.
    pub label: Arc<str>,
    /// Whose fetch limit its description fetches count against.
    pub(super) fetcher: Fetcher,
    /// The quotas that it counts against.
    pub(super) allowances: Vec<Arc<Allowance>>,
    /// What a client without session says of itself.
    info: RawObject,
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
    /// What follows its request in a trace.
    pub(super) trace: Option<Arc<dyn Trace>>,
}

impl Caller {
    /// The protocol era.
    pub fn era(&self) -> Era {
        self.choice.traits.era
    }

    /// The sender, for observers.
    pub(crate) fn identified<T>(&self, observe: impl FnOnce(Who<'_>) -> T) -> T {
        match &self.session {
            // A request may name another strategy than the session's.
            Some(session) => {
                observe(Who { strategy: &self.choice.name, ..session.who(&self.label, &self.principal) })
            }
            None => observe(Who {
                principal: self.principal.id(),
                session: None,
                strategy: &self.choice.name,
                client: &self.info.string("name").unwrap_or_default(),
            }),
        }
    }

    /// The span of a request.
    pub(super) fn span(&self, request: &Request) -> Span {
        // Of the highest level, so that each line that is logged has it.
        tracing::error_span!(
            "request",
            request = request.id.as_str(),
            method = request.method,
            session = %self.label,
            principal = self.principal.id(),
            strategy = &*self.choice.name,
            upstream = Empty,
        )
    }

    /// The same caller, whose request belongs to a trace.
    pub(super) fn followed(&self, trace: &Arc<dyn Trace>) -> Self {
        Self { trace: Some(Arc::clone(trace)), ..self.clone() }
    }

    /// The client that requests can be sent to, if there is one.
    pub(super) fn client(&self) -> Option<&Arc<Client>> {
        let own = self.session.as_ref().map(|session| &session.client);
        own.or_else(|| self.backend.client())
    }

    /// Whether upstreams of its own may send requests to it.
    pub(super) fn can_be_asked(&self) -> bool {
        let client = self.backend.client();
        client.is_some_and(|client| !client.capabilities().is_empty())
            || self.claim.as_ref().is_some_and(Claim::can_be_asked)
    }

    /// Who owns the work that an upstream does for this request.
    pub(super) fn owner(&self) -> Owner {
        self.session.as_ref().map_or(Owner::Request, |session| Owner::Session(Arc::clone(session.id())))
    }

    /// Where messages about this request are sent.
    pub(super) fn reply_route(&self) -> ReplyRoute {
        ReplyRoute { outlet: self.outlet.clone(), rounds: None, log_level: self.log_level }
    }

    /// Its dedicated upstreams. The guard must be held for as long as one of them works for the request.
    pub(super) fn guard(&self) -> Option<&Arc<BackendGuard>> {
        self.guard.get()?.as_ref()
    }

    /// The page of the current catalogue for this caller.
    pub(super) fn page(&self) -> Arc<Page> {
        self.backend.catalogue().current().page(&self.principal, &self.choice, &self.memory)
    }

    /// The context that strategies receive with this caller's request.
    pub(super) fn context<'a>(
        &'a self,
        gateway: &'a Gateway,
        view: &'a View,
        services: &'a dyn Services,
        effects: &'a Effects,
    ) -> Context<'a> {
        let handles = || Handles {
            key: &gateway.receipts.key,
            principal: self.principal.id(),
            lifetime: gateway.receipts.lifetime,
            now: SystemTime::now(),
            nonce: nonce(),
        };
        let receipts = match (&self.session, self.choice.strategy.profile().receipts) {
            (None, _) | (_, SessionReceipts::Signed) => Receipts::Handles(handles()),
            (Some(session), SessionReceipts::Session) => Receipts::Marks(&session.marks),
            (Some(session), SessionReceipts::Auto) => {
                let signs = gateway.apart.is_known(self);
                Receipts::Both { marks: &session.marks, handles: handles(), signs }
            }
        };
        Context {
            view,
            client: &self.choice.traits,
            noted: Noted::new(&self.memory, &self.choice.strategy.profile().name),
            receipts,
            session: &self.label,
            services,
            effects,
        }
    }
}

impl Gateway {
    /// Whose call timed out: a session's, or where there is none a principal's or an address's.
    pub(super) fn late(&self, caller: &Caller) -> Late {
        let client = caller.session.as_ref().map_or(caller.peer.name(), |session| session.id());
        let is_alone = caller.backend.client().is_some() || !self.sessions.are_several();
        Late { client: Arc::clone(client), is_alone }
    }

    /// The caller of a request in a session, with the permissions that its principal has now.
    pub fn in_session(
        self: &Arc<Self>,
        session: &Arc<Session>,
        admitted: Admitted,
        outlet: Outlet,
    ) -> Caller {
        let Admitted { principal, at, .. } = admitted;
        if session.readmit(&principal, at) {
            self.keep_readable(session);
            session.resume(at);
        }
        let backend = Arc::clone(session.backend());
        // A client with dedicated upstreams receives all their log messages by default.
        let default_level = backend.client().map(|_| LoggingLevel::Debug);
        Caller {
            choice: session.choice(),
            allowances: self.allowances.of(&principal, session.peer().name()),
            principal,
            admitted_at: at,
            memory: session.memory(),
            label: Short(session.id()).to_string().into(),
            fetcher: Fetcher::Session(Arc::clone(session.id())),
            session: Some(Arc::clone(session)),
            info: RawObject::empty(),
            peer: session.peer().clone(),
            outlet,
            log_level: session.log_level().or(default_level),
            backend,
            claim: None,
            guard: Arc::default(),
            trace: None,
        }
    }

    /// Ends a session's subscriptions to what its principal may not read, of the upstream that is subscribed to.
    pub(super) fn keep_readable(self: &Arc<Self>, session: &Arc<Session>) {
        if !session.has_subscriptions() {
            return;
        }
        let backend = session.backend();
        let view = backend.catalogue().current().view(&session.principal(), &session.choice());
        let is_readable = |watched: &Watched| {
            let slot = backend.slot_numbered(watched.upstream);
            let name = slot.as_ref().and_then(|slot| slot.name());
            name.is_some_and(|name| !view.refuses_resource(&own_uri(name, &watched.uri))(name))
        };
        let ended = session.keep_subscriptions(is_readable);
        ended.iter().for_each(|ended| backend.release(ended));
        self.unsubscribed(session, ended);
    }

    /// The same caller, served by the upstreams that its request may reach.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it.
    pub(super) async fn reaching<'c>(&self, caller: &'c Caller) -> Result<Cow<'c, Caller>, ErrorText> {
        let Some(claim) = &caller.claim else { return Ok(Cow::Borrowed(caller)) };
        let guard =
            caller.guard.get_or_try_init(|| Box::pin(self.backends.for_request(claim, &caller.peer))).await?;
        let backend = guard.as_ref().map_or(&caller.backend, |guard| guard.backend());
        Ok(Cow::Owned(Caller { backend: Arc::clone(backend), ..caller.clone() }))
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
        let choice = self.strategies.choose(strategy, permits, &meta.offer, Era::Stateless);
        let varied =
            meta.variant.as_ref().and_then(|variant| self.strategies.vary(&choice, permits, variant).ok());
        // What cannot be chosen is refused when the request is handled, so that this is observed.
        let choice = varied.unwrap_or(choice);
        let label = principal.id().map_or_else(|| Arc::clone(peer.name()), Arc::from);
        let fetcher = match principal.id() {
            Some(id) => Fetcher::Principal(id.into()),
            None => Fetcher::Peer { address: Arc::clone(peer.name()), client: meta.identity() },
        };
        let claim = self.backends.claim(&principal, &meta.capabilities, forwarded, request);
        let own_lists = claim.as_ref().is_some_and(Claim::can_be_asked);
        // A task runs where its call did.
        let task = request.params.string("taskId").filter(|_| claim.is_some());
        let guard = task.and_then(|id| self.tasks.guard(&id, &principal));
        let guard = Arc::new(guard.map_or_else(OnceCell::new, |guard| OnceCell::new_with(Some(Some(guard)))));
        let caller = Caller {
            choice,
            allowances: self.allowances.of(&principal, peer.name()),
            principal,
            admitted_at: at,
            memory: Memory::default(),
            session: None,
            info: meta.client.clone(),
            peer: peer.clone(),
            label,
            fetcher,
            outlet,
            log_level: meta.log_level,
            backend: Arc::clone(self.backends.stateless()),
            claim,
            guard,
            trace: None,
        };
        let caller = if own_lists { self.reaching(&caller).await?.into_owned() } else { caller };
        let memory = self.opened(&caller, address, &meta.offer).await?;
        let caller = Caller { memory, ..caller };
        self.explained.explain(|| {
            let explanation = Explanation {
                client: &caller.label,
                revision: Revision::V2026_07_28,
                offer: &meta.offer,
                choice: &caller.choice,
                page: &caller.page(),
                memory: &caller.memory,
            };
            explanation.to_string()
        });
        Ok(caller)
    }
}

/// Random bytes, or the clock's where the operating system has none: a nonce only distinguishes handles made
/// within the same second.
fn nonce() -> [u8; 4] {
    let mut nonce = [0; 4];
    if getrandom::fill(&mut nonce).is_err() {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        nonce = since.map_or(0, |since: Duration| since.subsec_nanos()).to_be_bytes();
    }
    nonce
}
