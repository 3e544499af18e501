//! The gateway under test: one for all inputs, on a paused clock that advances only when all tasks are idle.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{Router, extract::ConnectInfo, response::Response};
use mcp_disclosure_core::{DescriptionFile, ReceiptKey, UpstreamName};
use mcp_disclosure_demo::{DESCRIPTION_FILES, MathServer};
use mcp_disclosure_gateway::{
    SessionLimits, builtin,
    catalogue::Declared,
    dispatch::{Assembly, Gateway},
    front::http,
    negotiation::{Strategies, StrategyOptions},
    upstream::{Target, Timeouts, UpstreamConfig},
};
use tokio::runtime::Runtime;
use tower::ServiceExt;

use crate::{script::Sent, upstream::Oddments};

/// Few enough sessions that an input can open all of them.
const SESSIONS: SessionLimits = SessionLimits { most: 3, idle: Duration::from_secs(24 * 60 * 60) };
/// More than one step of the slow upstream tool, less than two.
const PATIENCE: Timeouts = Timeouts { connect: Duration::from_secs(60), request: Duration::from_secs(20) };

static BENCH: LazyLock<Bench> = LazyLock::new(Bench::start);

/// A running gateway with its front.
pub(crate) struct Bench {
    runtime: Runtime,
    gateway: Arc<Gateway>,
    front: Router,
    /// The number of tasks without connections.
    tasks: usize,
}

impl Bench {
    /// The only instance.
    pub(crate) fn of_all() -> &'static Self {
        &BENCH
    }

    fn start() -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
        let strategies =
            Strategies::build(&builtin(), &StrategyOptions::default()).expect("strategies of ours");
        let key = ReceiptKey::new(&[7; ReceiptKey::LEAST_BYTES]).expect("a key");
        let files = DESCRIPTION_FILES.iter().map(|(name, text)| {
            DescriptionFile::parse(name, name.trim_end_matches(".json"), text).expect("a description file")
        });
        let name = |name| UpstreamName::parse(name).ok();
        let assembly = Assembly {
            upstreams: vec![
                UpstreamConfig::new(name("math"), Target::handler(MathServer)),
                UpstreamConfig::new(name("odd"), Target::handler(Oddments)),
            ],
            declared: Declared { files: files.collect(), ..Declared::default() },
            sessions: SESSIONS,
            timeouts: PATIENCE,
            fetches_per_minute: 0,
            ..Assembly::new(strategies, key)
        };
        let started = runtime.block_on(Gateway::start(assembly)).expect("a gateway");
        assert!(started.missing.is_empty(), "{:?}", started.missing);
        let gateway = started.gateway;
        let guard = http::Guard::new(Ipv4Addr::LOCALHOST.into(), &[], &[]);
        let front = http::router(Arc::clone(&gateway), guard);
        runtime.block_on(settle());
        let tasks = runtime.metrics().num_alive_tasks();
        Self { runtime, gateway, front, tasks }
    }

    /// Runs a conversation.
    pub(crate) fn run(&self, conversation: impl Future<Output = ()>) {
        self.runtime.block_on(conversation);
    }

    /// Sends a request.
    pub(crate) async fn send(&self, sent: &Sent) -> Response {
        let mut request = sent.request();
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 49152));
        request.extensions_mut().insert(ConnectInfo(peer));
        match self.front.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Whether a session is open.
    pub(crate) fn has_session(&self, id: &str) -> bool {
        self.gateway.sessions().find(id).is_some()
    }

    /// Ends all sessions.
    pub(crate) fn end_sessions(&self) {
        for session in self.gateway.sessions().all() {
            assert!(self.gateway.sessions().end(session.id()));
        }
    }

    /// Without connections, no task of a client is left.
    pub(crate) async fn is_at_rest(&self) {
        settle().await;
        assert_eq!(self.runtime.metrics().num_alive_tasks(), self.tasks, "tasks are left over");
    }
}

/// Waits until all tasks are idle: only then does the clock advance.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
