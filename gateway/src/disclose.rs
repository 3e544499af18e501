//! Progressive disclosure for an `rmcp` handler.

use std::{fmt, pin::Pin, sync::Arc};

use mcp_disclosure_core::{PlugIn, ReceiptKey};
use rmcp::{RoleServer, Service};
use tokio::net::{TcpListener, ToSocketAddrs};

use crate::{
    Assembly, Error, Gateway,
    backend::Scope,
    builtin,
    catalogue::Declared,
    front::{http, stdio::Stdio},
    limits::Limits,
    negotiation::{Strategies, StrategyOptions},
    upstream::Target,
};

/// Serves a handler with progressive disclosure. Each client gets a clone of it, which may send requests to
/// that client (elicitation, sampling, roots) and report progress to it, as without a gateway.
///
/// ```no_run
/// # use mcp_disclosure_gateway::rmcp::ServerHandler;
/// # #[derive(Clone)]
/// # struct MyServer;
/// # impl ServerHandler for MyServer {}
/// # async fn serve() -> Result<(), mcp_disclosure_gateway::Error> {
/// mcp_disclosure_gateway::disclose(MyServer).strategy("resource").serve_stdio().await
/// # }
/// ```
pub fn disclose(handler: impl Service<RoleServer> + Clone) -> Disclosure {
    Disclosure {
        target: Target::handler(handler),
        plug_ins: Vec::new(),
        strategies: StrategyOptions::default(),
        declared: Declared::default(),
        limits: Limits::default(),
        hosts: Vec::new(),
        origins: Vec::new(),
        shutdown: Box::pin(std::future::pending()),
    }
}

/// A handler to be served. Without a [`strategy`](Self::strategy), clients select one of the built-in or
/// [registered](Self::register) ones.
#[must_use = "nothing is served before `serve_stdio` or `serve_http` is awaited"]
pub struct Disclosure {
    target: Target,
    plug_ins: Vec<PlugIn>,
    strategies: StrategyOptions,
    declared: Declared,
    limits: Limits,
    hosts: Vec<String>,
    origins: Vec<String>,
    shutdown: Shutdown,
}

type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Disclosure {
    /// Serves every client with this strategy, or with a stack such as `concerns+resource`.
    pub fn strategy(mut self, name: impl Into<String>) -> Self {
        self.strategies.pinned = Some(name.into());
        self
    }

    /// Sets which strategies are offered, their settings, and the fallback.
    pub fn strategies(self, options: StrategyOptions) -> Self {
        Self { strategies: options, ..self }
    }

    /// Registers a custom strategy.
    ///
    /// ```
    /// # use mcp_disclosure_gateway::rmcp::ServerHandler;
    /// # use mcp_disclosure_gateway::core::{DisclosureStrategy, Profile, full::Config};
    /// # #[derive(Clone, Default)]
    /// # struct Notes;
    /// # impl ServerHandler for Notes {}
    /// # #[derive(Debug)]
    /// # struct Find;
    /// # static PROFILE: Profile = Profile::presenter("find", "", "");
    /// # impl DisclosureStrategy for Find {
    /// #     fn profile(&self) -> &Profile { &PROFILE }
    /// # }
    /// # impl Find {
    /// #     fn new(_: Config) -> Self { Self }
    /// # }
    /// use mcp_disclosure_gateway::{core::PlugIn, disclose};
    ///
    /// let server = disclose(Notes::default())
    ///     .register(PlugIn::new(&PROFILE, Find::new))
    ///     .strategy("find");
    /// # assert!(server.assembly().is_ok());
    /// ```
    pub fn register(mut self, plug_in: PlugIn) -> Self {
        self.plug_ins.push(plug_in);
        self
    }

    /// Applies descriptions, categories and rules to the handler's lists.
    pub fn declare(self, declared: Declared) -> Self {
        Self { declared, ..self }
    }

    /// Sets limits on the resources that clients may use.
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Accepts HTTP requests whose `Host` is this name, such as `mcp.example.com` or `mcp.example.com:8443`.
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Accepts HTTP requests from pages of this origin, such as `https://app.example.com`.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Shuts down when this future completes. Running calls finish first.
    ///
    /// Dropping the future of `serve_stdio` or `serve_http` also stops the server, at once.
    pub fn until(self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { shutdown: Box::pin(stop), ..self }
    }

    /// The assembly to [start](Gateway::start) a gateway with, for further customization.
    ///
    /// # Errors
    /// [`Error::Registration`] and [`Error::Configuration`] for invalid strategies or settings, [`Error::Io`]
    /// if the operating system provides no randomness.
    pub fn assembly(self) -> Result<Assembly, Error> {
        let mut registry = builtin();
        for plug_in in self.plug_ins {
            registry.register(plug_in)?;
        }
        let strategies = Strategies::build(&registry, &self.strategies)?;
        let key = ReceiptKey::random().map_err(|source| Error::Io { what: "no randomness", source })?;
        // A clone of a handler costs no more than the session it is for.
        let upstreams_per_peer = self.limits.upstreams_per_peer.max(self.limits.sessions_per_peer);
        Ok(Assembly {
            upstreams: vec![self.target.into()],
            declared: self.declared,
            limits: Limits { upstreams_per_peer, ..self.limits },
            scope: Scope::Session,
            ..Assembly::new(strategies, key)
        })
    }

    /// Serves one client on standard input and output until it disconnects.
    ///
    /// Nothing else may write to standard output; send logs to standard error.
    ///
    /// # Errors
    /// As for [`assembly`](Self::assembly) and [`Gateway::start`]; [`Error::Io`] if the streams cannot be
    /// read or written.
    pub async fn serve_stdio(mut self) -> Result<(), Error> {
        let mut shutdown = self.take_shutdown();
        let starting = async {
            let assembly = self.assembly()?;
            let client = Stdio::on_standard_streams(&assembly.limits)?;
            let gateway = Gateway::start(client.alone(assembly)).await?.gateway;
            Ok::<_, Error>((client, gateway))
        };
        let (client, gateway) = tokio::select! {
            started = starting => started?,
            () = &mut shutdown => return Ok(()),
        };
        serve_until(&gateway, shutdown, client.serve(&gateway)).await
    }

    /// Serves any number of clients over Streamable HTTP, at `/mcp` of this address, and at `/mcp/<strategy>`
    /// for each offered strategy.
    ///
    /// Requests must name this machine, the address or an [allowed host](Self::allow_host), and must not come from
    /// pages of other origins than this machine's and [allowed ones](Self::allow_origin).
    ///
    /// # Errors
    /// As for [`assembly`](Self::assembly) and [`Gateway::start`]; [`Error::Listen`] if the address cannot be
    /// bound.
    pub async fn serve_http(self, address: impl ToSocketAddrs + fmt::Display) -> Result<(), Error> {
        let shown = address.to_string();
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| Error::Listen { address: shown.clone(), source })?;
        let host = shown.rsplit_once(':').map_or(&*shown, |(host, _)| host);
        self.allow_host(host).serve_on(listener).await
    }

    /// Serves on a bound listener, as [`serve_http`](Self::serve_http) does.
    ///
    /// # Errors
    /// As for [`assembly`](Self::assembly) and [`Gateway::start`]; [`Error::Io`] if the listener has no address.
    pub async fn serve_on(mut self, listener: TcpListener) -> Result<(), Error> {
        let failed = |source| Error::Io { what: "cannot find out the listener's address", source };
        let address = listener.local_addr().map_err(failed)?;
        let guard = http::Guard::new(address.ip(), &self.hosts, &self.origins);
        let mut shutdown = self.take_shutdown();
        let starting = Gateway::start(self.assembly()?);
        let gateway = tokio::select! {
            started = starting => started?.gateway,
            () = &mut shutdown => return Ok(()),
        };
        tracing::info!("listening on http://{address}/mcp");
        let serving = http::serve(Arc::clone(&gateway), listener, guard);
        serve_until(&gateway, shutdown, serving).await;
        Ok(())
    }

    fn take_shutdown(&mut self) -> Shutdown {
        std::mem::replace(&mut self.shutdown, Box::pin(std::future::pending()))
    }
}

impl fmt::Debug for Disclosure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Disclosure").field("strategies", &self.strategies).finish_non_exhaustive()
    }
}

/// Serves until `serving` ends, which it does after `shutdown`. If this is dropped, the gateway shuts down.
async fn serve_until<T>(gateway: &Gateway, shutdown: Shutdown, serving: impl Future<Output = T>) -> T {
    let _dropped = gateway.shutdown().clone().drop_guard();
    let stopping = async {
        shutdown.await;
        gateway.shutdown().cancel();
        std::future::pending().await
    };
    let served = tokio::select! {
        served = serving => served,
        served = stopping => served,
    };
    gateway.close().await;
    served
}
