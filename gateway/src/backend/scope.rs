//! Scopes: which backend serves which client.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use axum::http::HeaderMap;
use mcp_disclosure_core::{Era, Kind};
use mcp_disclosure_transport::{ErrorText, code};
use scopeguard::ScopeGuard;
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    Backend, BackendGuard, Claim, Declaration, Recipe,
    guard::{Pool, end},
    start::at_once,
};
use crate::{
    catalogue::Declared,
    error::Error,
    problem::Problem,
    session::{Client, Peer},
    upstream::{Scope, UpstreamError, UpstreamSettings},
};

/// All backends of a gateway.
#[derive(Debug)]
pub struct Backends {
    recipe: Recipe,
    shared: Arc<Backend>,
    stateless: Arc<Backend>,
    pool: Arc<Pool>,
    /// Permits for starting backends.
    starting: Arc<Semaphore>,
}

/// Maximum concurrent backend starts.
const AT_ONCE: usize = 8;

/// How many starts can follow each other before the lists that wait for the last of them are answered without it.
const TURNS: u32 = 4;

impl Backends {
    /// Starts the backend that serves every client without a dedicated one, and of clients without sessions those of upstreams
    /// that speak one era. Waits for the awaited upstreams; those that cannot be used so far are returned as well.
    ///
    /// # Errors
    /// [`Error::Upstreams`] if all upstreams are awaited and none can be used; [`Error::Configuration`] for tools whose
    /// names clash.
    pub async fn start(
        recipe: Recipe,
        declared: Declared,
        client: Option<Arc<Client>>,
    ) -> Result<(Self, Vec<Arc<UpstreamError>>), Error> {
        let (shared, missing) = recipe.shared(declared, client).await?;
        let stateless = match shared.client() {
            Some(_) => Arc::clone(&shared),
            None => recipe.like(&shared, None, None, at_once()),
        };
        let (pool, starting) = (Arc::default(), Arc::new(Semaphore::new(AT_ONCE)));
        Ok((Self { recipe, shared, stateless, pool, starting }, missing))
    }

    /// The number of upstreams that each client has a connection of its own to. A gateway with a single client has
    /// none: all that it starts is that client's.
    pub(crate) fn dedicated(&self) -> usize {
        if self.shared.client().is_some() {
            return 0;
        }
        let declared = self.shared.progress.declared();
        let scope = |settings: &UpstreamSettings| settings.scope.unwrap_or(self.recipe.scope);
        let upstreams = declared.upstreams.iter().flat_map(|upstreams| upstreams.iter());
        upstreams.filter(|one| scope(&one.config.settings) == Scope::Session).count()
    }

    /// Those of a caller's headers that any upstream is sent.
    pub fn forwarded(&self, headers: &HeaderMap) -> Option<Arc<HeaderMap>> {
        let declared = self.shared.progress.declared();
        let upstreams = declared.upstreams.iter().flat_map(|upstreams| upstreams.iter());
        let mut forwarded = HeaderMap::new();
        for name in upstreams.flat_map(|one| one.config.target.forward()) {
            if !forwarded.contains_key(name) {
                for value in headers.get_all(name) {
                    let mut value = value.clone();
                    // Whatever it is, it is not for logs.
                    value.set_sensitive(true);
                    forwarded.append(name, value);
                }
            }
        }
        (!forwarded.is_empty()).then(|| Arc::new(forwarded))
    }

    /// The backend shared by all clients without a dedicated one.
    pub fn shared(&self) -> &Arc<Backend> {
        &self.shared
    }

    /// The same for clients without sessions.
    pub fn stateless(&self) -> &Arc<Backend> {
        &self.stateless
    }

    /// The backend for a new session.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it; -32005 if its peer has too many.
    pub async fn for_session(&self, client: &Arc<Client>, peer: &Peer) -> Result<Arc<Backend>, ErrorText> {
        match self.dedicated() {
            0 => Ok(Arc::clone(&self.shared)),
            count => self.dedicate(Arc::clone(client), &self.shared, peer, count).await,
        }
    }

    /// Closes the backend of a session, if it has one of its own.
    pub fn end(&self, backend: &Arc<Backend>) {
        if !Arc::ptr_eq(backend, &self.shared) {
            end(Arc::clone(backend));
        }
    }

    /// The backend for a stateless request to an upstream; `None` if the shared one can be used, since its
    /// upstreams keep no state.
    ///
    /// # Errors
    /// -32000 if no upstream could be started for it; -32005 if its peer has too many.
    pub async fn for_request(
        &self,
        claim: &Claim,
        peer: &Peer,
    ) -> Result<Option<Arc<BackendGuard>>, ErrorText> {
        if !claim.can_be_asked() && claim.forwarded.is_none() && self.stateless.keeps_nothing() {
            return Ok(None);
        }
        if let Some(guard) = self.pool.take(claim) {
            return Ok(Some(guard));
        }
        let client = Arc::new(Client::new(Era::Stateless, &claim.capabilities));
        client.forwarded.follow(claim.forwarded.clone());
        let backend = self.dedicate(client, &self.stateless, peer, self.dedicated()).await?;
        // Ended if the caller disconnects meanwhile.
        let starting = scopeguard::guard(backend, end);
        // Whether requests may share it depends on what its upstreams are.
        starting.settled().await;
        Ok(Some(self.pool.take_new(claim, ScopeGuard::into_inner(starting))))
    }

    /// Puts a set of declarations in force as a whole. Returns the kinds whose lists changed.
    ///
    /// # Errors
    /// If the gateway is closing.
    pub async fn declare(&self, declared: Declared) -> Result<Vec<Kind>, Problem> {
        let (reply, answer) = oneshot::channel();
        let closing = || Problem::new("the gateway is closing");
        self.shared.declarations.send(Declaration { declared, reply }).await.map_err(|_| closing())?;
        answer.await.map_err(|_| closing())
    }

    /// Closes backends that were idle for this long.
    pub fn sweep(&self, idle: Duration) {
        self.pool.expire(idle).into_iter().for_each(end);
    }

    /// Closes all backends, these of sessions as well.
    pub async fn close(&self, of_sessions: impl Iterator<Item = Arc<Backend>>) {
        let own = of_sessions.filter(|backend| !Arc::ptr_eq(backend, &self.shared));
        let shared = [&self.shared, &self.stateless].map(Arc::clone);
        let all: Vec<_> = own.chain(self.pool.drain()).chain(shared).collect();
        futures::future::join_all(all.iter().map(|backend| backend.close())).await;
    }

    /// Starts a backend for a client, of which `count` upstreams are its own and the others those of `like`. Waits for
    /// the awaited ones.
    async fn dedicate(
        &self,
        client: Arc<Client>,
        like: &Arc<Backend>,
        peer: &Peer,
        count: usize,
    ) -> Result<Arc<Backend>, ErrorText> {
        let place = peer.upstreams(count)?;
        let go = CancellationToken::new();
        let backend = self.recipe.like(like, Some(client), Some(place), go.clone());
        // Ended if the caller disconnects meanwhile.
        let starting = scopeguard::guard(backend, end);
        let turn = self.recipe.wait_for_upstreams / TURNS;
        tokio::spawn(take_turns(
            Arc::downgrade(&starting),
            peer.clone(),
            Arc::clone(&self.starting),
            go,
            turn,
        ));
        let awaited = starting.awaited().await;
        let missing = awaited.map_err(|error| {
            tracing::warn!(%error, "cannot start dedicated upstreams");
            ErrorText::new(code::UPSTREAM_FAILED, error.for_clients())
        })?;
        missing
            .iter()
            .for_each(|missing| tracing::warn!(error = %missing, "a client is served without an upstream"));
        Ok(ScopeGuard::into_inner(starting))
    }
}

/// Lets the upstreams of a backend start when it is their turn, and holds the turn while they do, at most for this long: one
/// that hangs slows down no others. The peer's own turn comes first, so that one peer's slow upstreams cannot hold all of them.
async fn take_turns(
    backend: Weak<Backend>,
    peer: Peer,
    starting: Arc<Semaphore>,
    go: CancellationToken,
    most: Duration,
) {
    // Neither semaphore is ever closed.
    let _own_turn = peer.starts().acquire().await;
    let _turn = starting.acquire().await;
    go.cancel();
    if let Some(backend) = backend.upgrade() {
        // One that is ended does not settle.
        let settling = tokio::time::timeout(most, backend.settled());
        backend.ending.run_until_cancelled(settling).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{borrow::Cow, net::TcpListener};

    use mcp_disclosure_core::{Principal, RawObject, ReceiptKey, UpstreamName};
    use mcp_disclosure_transport::{Id, Request};
    use rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
            ServerConfig,
        },
        service::RequestContext,
    };
    use serde_json::json;
    use tokio::time::Instant;

    use super::{super::follow::Tries, *};
    use crate::{
        dialect::{RequestKind, classify},
        dispatch::{Assembly, Gateway},
        limits::Limits,
        negotiation::{Strategies, StrategyOptions},
        session::{Address, Opening, Outlet, Watched},
        strategies::builtin,
        upstream::{Restart, Target, UpstreamConfig, Upstreams},
    };

    /// An upstream that can be connected to, and answers nothing.
    fn silent(listener: &TcpListener) -> UpstreamConfig {
        let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        let name = UpstreamName::parse("silent").ok();
        UpstreamConfig { awaited: false, ..UpstreamConfig::new(name, Target::url(url)) }
    }

    async fn gateway(upstream: UpstreamConfig, scope: Scope) -> Arc<Gateway> {
        let strategies = Strategies::build(&builtin(), &StrategyOptions::default()).unwrap();
        let key = ReceiptKey::new(b"0123456789abcdef0123456789abcdef").unwrap();
        let upstreams = vec![upstream];
        let assembly = Assembly { upstreams, scope, ..Assembly::new(strategies, key) };
        Gateway::start(assembly).await.unwrap().gateway
    }

    #[tokio::test]
    async fn u13_subscriptions_outlast_a_change_of_their_upstream_and_end_when_it_is_removed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let gateway = gateway(silent(&listener), Scope::Shared).await;
        let peer = Peer::new("peer", &Limits::default());
        let (principal, client) = (Principal::anonymous(), Arc::new(Client::unknown()));
        let opening = Opening { principal, address: Address::default(), client, peer: peer.clone() };
        let params = RawObject::parse(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#).unwrap();
        let (session, _) = gateway.sessions().open(&params, opening).await.unwrap();
        let watched = Watched::of(&UpstreamName::parse("silent").unwrap(), "kit://doc");
        session.subscribe(watched, Box::new(()), peer.subscriptions(1).unwrap());
        let mut changed = silent(&listener);
        changed.settings.restart = Restart::Never;
        for (upstreams, stays) in [(vec![changed], true), (vec![], false)] {
            let upstreams = Some(Upstreams::new(upstreams));
            gateway.declare(Declared { upstreams, ..Declared::default() }).await.unwrap();
            assert_eq!(session.has_subscriptions(), stays);
        }
    }

    #[tokio::test]
    async fn p8_upstreams_are_ended_whose_request_is_given_up_while_they_start() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let gateway = gateway(silent(&listener), Scope::Session).await;
        let peer = Peer::new("peer", &Limits { upstreams_per_peer: 1, ..Limits::default() });
        let claim = Claim::new(&Principal::anonymous(), &RawObject::empty(), None);
        let mut starting = Box::pin(gateway.backends().for_request(&claim, &peer));
        assert!(futures::poll!(&mut starting).is_pending());
        assert!(peer.upstreams(1).is_err(), "its upstreams are starting");
        drop(starting);
        let ended = async {
            while peer.upstreams(1).is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), ended).await.expect("they are ended");
    }

    /// A server that asks its client twice before it answers, in sessions.
    #[derive(Clone)]
    struct Asking;

    #[allow(deprecated, reason = "requests of servers are of the session era only")]
    impl ServerHandler for Asking {
        fn get_info(&self) -> ServerConfig {
            ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
        }

        fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
            Cow::Borrowed(&[ProtocolVersion::V_2025_11_25])
        }

        async fn read_resource(
            &self,
            _request: ReadResourceRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<ReadResourceResponse, ErrorData> {
            for _ in 0..2 {
                let roots = context.peer.list_roots().await;
                roots.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
            Err(ErrorData::invalid_params("it was answered twice", None))
        }
    }

    fn asking(restart: Restart) -> UpstreamConfig {
        let mut config = UpstreamConfig::new(UpstreamName::parse("asking").ok(), Target::handler(Asking));
        config.settings.restart = restart;
        config
    }

    #[tokio::test]
    async fn p12_a_request_goes_on_though_its_client_can_be_asked_something_else() {
        let (gateway, limits) = (gateway(asking(Restart::Always), Scope::Session).await, Limits::default());
        let (peer, address) = (Peer::new("peer", &limits), Address::default());
        let (mut state, mut answers) = (None, Vec::new());
        for capabilities in [json!({"roots": {}}), json!({"roots": {}, "sampling": {}}), json!({"roots": {}})]
        {
            let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities});
            let roots = json!({"roots": []});
            let params = json!({"uri": "kit://doc", "_meta": meta, "requestState": state,
                "inputResponses": {"question-1": roots, "question-2": roots}});
            let params = RawObject::parse(params.to_string()).unwrap();
            let request = Request { id: Id::number(1), method: "resources/read".to_owned(), params };
            let Ok(RequestKind::Stateless(meta)) = classify(&request, &Limits::default()) else { panic!() };
            let ((outlet, _frames), admitted) = (Outlet::new(&peer, &limits), gateway.admit_on_stdio());
            let caller = gateway.stateless(&address, &request, &meta, admitted, &peer, outlet).await.unwrap();
            let answered = gateway.handle(&caller, &request).await;
            state =
                answered.as_ref().ok().and_then(|asked| RawObject::of(asked).ok()?.string("requestState"));
            answers.push(answered.err().map(|error| error.message()));
        }
        assert_eq!(answers, [None, None, Some("it was answered twice".to_owned())]);
    }

    #[tokio::test]
    async fn u13_what_an_upstream_lists_whose_entry_changed_is_in_the_catalogue_before_it_is_used() {
        let gateway = gateway(asking(Restart::Always), Scope::Shared).await;
        let backend = gateway.backends().shared();
        let former = backend.slot("asking").unwrap();
        // While another one starts, changes of the catalogue are gathered.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let upstreams = Some(Upstreams::new(vec![asking(Restart::Never), silent(&listener)]));
        gateway.declare(Declared { upstreams, ..Declared::default() }).await.unwrap();
        let upstream = former.connected(None, Instant::now()).await.unwrap();
        backend.takes_over(&former, &upstream).await;
        let listed = |tries: &Tries| tries.of(upstream.number()).is_some_and(|it| it.upstream.is_some());
        assert!(backend.progress.is(listed));
    }
}
