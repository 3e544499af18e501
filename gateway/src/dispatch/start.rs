//! From sources to a gateway that serves.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Principal, ReceiptKey};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    Admission, Allowances, Calls, Common, FETCHES_PER_MINUTE, FetchLimits, Gateway, KeptMarks,
    OfferedRevisions, Open, Sessions,
};
use crate::{
    backend::{Backends, Recipe, Scope},
    catalogue::Declared,
    error::Error,
    explain::{Explained, selection},
    limits::{Limits, SessionLimits},
    lineage::Lineage,
    negotiation::Strategies,
    observe::{Observer, Several},
    problem::Problems,
    session::{Client, Peers, store::SessionStore},
    slot::{Memory, Witness},
    upstream::{Asks, Terms, Timeouts, UpstreamConfig, UpstreamError, Upstreams},
};

/// The shortest and the longest time between two sweeps.
const SWEEPING: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));

/// What a gateway is made of.
#[derive(Debug)]
pub struct Assembly {
    /// The upstreams.
    pub upstreams: Vec<UpstreamConfig>,
    /// What is laid over their lists; [`Gateway::declare`] replaces it.
    pub declared: Declared,
    /// Which strategy serves whom.
    pub strategies: Strategies,
    /// Who may come in.
    pub admission: Arc<dyn Admission>,
    /// Observes what happens.
    pub observer: Arc<dyn Observer>,
    /// How many sessions, and how long they may idle.
    pub sessions: SessionLimits,
    /// Where sessions are kept that several replicas share; `None` keeps them in this process.
    pub session_store: Option<Arc<dyn SessionStore>>,
    /// How long upstreams may take.
    pub timeouts: Timeouts,
    /// How long lists wait for upstreams that are starting, measured from the start of the gateway: most hosts list once.
    pub wait_for_upstreams: Duration,
    /// How long requests of HTTP clients may still run after a shutdown; what is left is answered with an error.
    pub drain: Duration,
    /// What upstreams listed in earlier runs of the program, if that is kept.
    pub memory: Option<Arc<dyn Memory>>,
    /// Watches upstreams come up.
    pub witness: Option<Arc<dyn Witness>>,
    /// Whether upstreams that have an `info` tool of their own are asked what they say by it.
    pub asks_info: bool,
    /// Which revisions clients are offered.
    pub revisions: OfferedRevisions,
    /// What clients and upstreams may make us spend.
    pub limits: Limits,
    /// How many descriptions a client may fetch in a minute, in bursts or evenly; 0 disables the limit.
    pub fetches_per_minute: u32,
    /// The key of handles.
    pub receipt_key: ReceiptKey,
    /// How long handles are valid.
    pub receipt_lifetime: Duration,
    /// What is kept of clients that call in other sessions than they read in, where each session is a process of its own.
    pub kept_marks: Option<Arc<dyn KeptMarks>>,
    /// Whether clients share upstreams.
    pub scope: Scope,
    /// The one client, where there will be no other. What upstreams ask is relayed to it.
    pub client: Option<Arc<Client>>,
    /// The gateways that lead to this one.
    pub lineage: Lineage,
}

impl Assembly {
    /// An assembly with the contract's defaults.
    pub fn new(strategies: Strategies, receipt_key: ReceiptKey) -> Self {
        Self {
            upstreams: Vec::new(),
            declared: Declared::default(),
            strategies,
            admission: Arc::new(Open(Principal::anonymous())),
            observer: Arc::new(Several::default()),
            sessions: SessionLimits::default(),
            session_store: None,
            timeouts: Timeouts { connect: Duration::from_secs(60), request: Duration::from_secs(120) },
            wait_for_upstreams: Duration::from_secs(20),
            drain: Duration::from_secs(10),
            memory: None,
            witness: None,
            asks_info: true,
            revisions: OfferedRevisions::default(),
            limits: Limits::default(),
            fetches_per_minute: FETCHES_PER_MINUTE,
            receipt_key,
            receipt_lifetime: mcp_disclosure_core::receipt::DEFAULT_LIFETIME,
            kept_marks: None,
            scope: Scope::Shared,
            client: None,
            lineage: Lineage::of_process().unwrap_or_else(|problem| {
                tracing::warn!("{problem}");
                Lineage::alone()
            }),
        }
    }
}

/// A gateway that runs, and the upstreams it runs without.
#[derive(Debug)]
pub struct StartedGateway {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// Awaited upstreams that cannot be used so far, while others can.
    pub missing: Vec<Arc<UpstreamError>>,
}

impl Gateway {
    /// Starts all upstreams at the same time, waits for the [awaited](UpstreamConfig::awaited) ones, and supervises them.
    ///
    /// # Errors
    /// [`Error::Configuration`] with every problem of what is declared, and of strategies that cannot serve what there
    /// is, or, before anything is started, if the upstreams lead in a circle; [`Error::Upstreams`] where all upstreams
    /// are awaited and none can be used.
    pub async fn start(assembly: Assembly) -> Result<StartedGateway, Error> {
        let circle = assembly.lineage.check(&assembly.limits);
        circle.map_err(|problem| Error::Configuration(Problems(vec![problem])))?;
        let lineage = Arc::new(assembly.lineage);
        let asks = || Asks { observer: Arc::clone(&assembly.observer), rules: Arc::default() };
        let terms = Terms {
            timeouts: assembly.timeouts,
            limits: assembly.limits,
            lineage: Arc::clone(&lineage),
            asks: assembly.asks_info.then(asks),
            audience: Arc::default(),
            texts: Arc::default(),
            skills: Arc::default(),
        };
        let recipe = Recipe {
            terms,
            wait_for_upstreams: assembly.wait_for_upstreams,
            memory: assembly.memory,
            witness: assembly.witness,
            observer: Arc::clone(&assembly.observer),
            said: Arc::default(),
            scope: assembly.scope,
            strategies: assembly.strategies.all().cloned().collect(),
        };
        let upstreams = Some(Upstreams::new(assembly.upstreams));
        let declared = Declared { upstreams, ..assembly.declared };
        let (backends, missing) = Backends::start(recipe, declared, assembly.client).await?;
        let current = backends.shared().catalogue().current();
        let strategies = match assembly.strategies.fitting(current.snapshot()) {
            Ok(strategies) => strategies,
            Err(problems) => {
                backends.close(std::iter::empty()).await;
                return Err(Error::Configuration(problems));
            }
        };
        // What is missing was found by the first one.
        drop(backends.stateless().awaited().await);
        let common = Arc::new(Common {
            strategies,
            backends,
            limits: assembly.limits,
            lineage,
            fetches: FetchLimits::per_minute(assembly.fetches_per_minute, assembly.limits.peer_fetches),
            allowances: Allowances::default(),
            permissions: watch::Sender::new(0),
            explained: Explained::default(),
            observer: assembly.observer,
            shutdown: CancellationToken::new(),
        });
        let (bounds, store) = (assembly.sessions, assembly.session_store);
        let sessions = Arc::new(Sessions::new(Arc::clone(&common), bounds, store));
        let gateway = Arc::new(Self {
            peers: Peers::new(assembly.limits),
            calls: Calls::new(
                Arc::clone(&common),
                Arc::clone(&sessions),
                assembly.receipt_key,
                assembly.receipt_lifetime,
                assembly.kept_marks,
            ),
            revisions: assembly.revisions,
            admission: assembly.admission,
            drain: assembly.drain,
            drained: CancellationToken::new(),
            common,
            sessions,
        });
        tokio::spawn(Arc::clone(&gateway).sweep(assembly.sessions));
        tokio::spawn(Arc::clone(&gateway.sessions).receive());
        if gateway.sessions.reach().await.is_err() {
            tracing::warn!(
                "the session store cannot be used yet; clients with sessions get errors until it can"
            );
        }
        tokio::spawn(Arc::clone(&gateway.common).say_selection());
        Ok(StartedGateway { gateway, missing })
    }

    /// Ends what has been idle for too long, until the gateway ends.
    async fn sweep(self: Arc<Self>, limits: SessionLimits) {
        let shortest = limits.idle.min(self.common.limits.unused_session);
        let mut turn = tokio::time::interval((shortest / 4).clamp(SWEEPING.0, SWEEPING.1));
        let mut keeping = tokio::spawn(async {});
        loop {
            tokio::select! {
                () = self.common.shutdown.cancelled() => return,
                _ = turn.tick() => {}
            }
            self.common.fetches.sweep();
            self.common.allowances.sweep();
            self.calls.rounds.sweep();
            self.calls.tasks.sweep();
            self.peers.sweep();
            self.common.backends.sweep(limits.idle);
            self.sessions.sweep();
            // One at a time: the next turn finds what this one did not reach.
            if keeping.is_finished() {
                keeping = tokio::spawn(Arc::clone(&self.sessions).keep());
            }
        }
    }
}

impl Common {
    /// Says once what serves clients that request nothing, when it is known what there is.
    async fn say_selection(self: Arc<Self>) {
        let backend = Arc::clone(self.backends.shared());
        tokio::select! {
            () = self.shutdown.cancelled() => return,
            () = backend.settled() => {}
        }
        // Beside the workers, since the lists of thousands of tools take a while.
        let saying = tokio::task::spawn_blocking(move || {
            let published = backend.catalogue().current();
            selection(&published, &self.strategies).inspect(|selection| tracing::info!("{selection}"))
        });
        // A panic of a strategy is logged, and costs this line only.
        drop(saying.await);
    }
}
