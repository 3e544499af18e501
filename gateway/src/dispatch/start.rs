//! From sources to a gateway that serves.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, ReceiptKey, UpstreamName};
use tokio_util::sync::CancellationToken;

use super::{Admission, Checks, FetchLimits, Gateway, Open, ReceiptSettings, rounds::Rounds};
use crate::{
    backend::{Backends, Recipe, Scope},
    catalogue::Declared,
    error::Error,
    explain::Explained,
    limits::Limits,
    lineage::Lineage,
    negotiation::Strategies,
    session::{Bounds, Client, Peers, Sessions},
    upstream::{Target, Timeouts, UpstreamError},
};
use mcp_disclosure_transport::printable::Short;

/// What a gateway is made of.
#[derive(Debug)]
pub struct Assembly {
    /// The upstreams, and the operator's names for them.
    pub targets: Vec<(Option<UpstreamName>, Target)>,
    /// What is laid over their lists; [`Gateway::declare`] replaces it.
    pub declared: Declared,
    /// Which strategy serves whom.
    pub strategies: Strategies,
    /// Who may come in.
    pub admission: Arc<dyn Admission>,
    /// How many sessions, and how long they may idle.
    pub sessions: Bounds,
    /// How long upstreams may take.
    pub timeouts: Timeouts,
    /// What clients and upstreams may make us spend.
    pub limits: Limits,
    /// The bound on fetches.
    pub fetches: FetchLimits,
    /// The key of handles.
    pub receipt_key: ReceiptKey,
    /// How long handles are valid.
    pub receipt_lifetime: Duration,
    /// Whether clients share upstreams.
    pub scope: Scope,
    /// The one client, and its era, where there will be no other. What upstreams ask is relayed to it.
    pub client: Option<(Arc<Client>, Era)>,
    /// The gateways that lead to this one.
    pub lineage: Lineage,
}

impl Assembly {
    /// An assembly with the contract's defaults.
    pub fn new(strategies: Strategies, receipt_key: ReceiptKey) -> Self {
        Self {
            targets: Vec::new(),
            declared: Declared::default(),
            strategies,
            admission: Arc::new(Open),
            sessions: Bounds::default(),
            timeouts: Timeouts { connect: Duration::from_secs(60), request: Duration::from_secs(120) },
            limits: Limits::default(),
            fetches: FetchLimits::per_minute(FetchLimits::DEFAULT_PER_MINUTE),
            receipt_key,
            receipt_lifetime: mcp_disclosure_core::receipt::DEFAULT_LIFETIME,
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
pub struct Started {
    /// The gateway.
    pub gateway: Arc<Gateway>,
    /// Upstreams that could not be used while others could.
    pub missing: Vec<UpstreamError>,
}

impl Gateway {
    /// Connects all upstreams at the same time, makes the first snapshot and starts to follow changes.
    ///
    /// # Errors
    /// [`Error::Configuration`] with every problem of what is declared, and of strategies that cannot serve what there
    /// is, or, before anything is started, if the upstreams lead in a circle; [`Error::Upstreams`] where no upstream can
    /// be used.
    pub async fn start(assembly: Assembly) -> Result<Started, Error> {
        let circle = assembly.lineage.check(&assembly.limits);
        circle.map_err(|problem| Error::Configuration(vec![problem].into()))?;
        let lineage = Arc::new(assembly.lineage);
        let recipe = Recipe {
            lineage: Arc::clone(&lineage),
            targets: assembly.targets,
            timeouts: assembly.timeouts,
            limits: assembly.limits,
            strategies: assembly.strategies.all().cloned().collect(),
        };
        let (client, era) = assembly.client.map_or((None, Era::Session), |(client, era)| (Some(client), era));
        let mut first = recipe.first(assembly.declared, era, client).await?;
        let missing = std::mem::take(&mut first.missing);
        let strategies = match assembly.strategies.fitting(first.backend.catalogue().current().snapshot()) {
            Ok(strategies) => strategies,
            Err(problems) => {
                first.backend.close().await;
                return Err(Error::Configuration(problems));
            }
        };
        let gateway = Arc::new(Self {
            strategies,
            backends: Backends::new(recipe, assembly.scope, first),
            sessions: Sessions::new(assembly.sessions, assembly.limits.unused_session),
            peers: Peers::new(assembly.limits),
            rounds: Rounds::default(),
            receipts: ReceiptSettings { key: assembly.receipt_key, lifetime: assembly.receipt_lifetime },
            limits: assembly.limits,
            checks: Checks::new(&assembly.limits),
            fetches: assembly.fetches.of_peers(assembly.limits.peer_fetches),
            explained: Explained::default(),
            lineage,
            admission: assembly.admission,
            shutdown: CancellationToken::new(),
        });
        tokio::spawn(Arc::clone(&gateway).sweep(assembly.sessions));
        Ok(Started { gateway, missing })
    }

    /// Ends what has been idle for too long, until the gateway ends.
    async fn sweep(self: Arc<Self>, bounds: Bounds) {
        let mut turn = tokio::time::interval(bounds.sweep_interval(self.limits.unused_session));
        loop {
            tokio::select! {
                () = self.shutdown.cancelled() => return,
                _ = turn.tick() => {}
            }
            self.fetches.sweep();
            self.rounds.sweep();
            self.backends.sweep(bounds.idle);
            for session in self.sessions.remove_idle() {
                tracing::info!(session = %Short(session.id()), "session ended: idle");
                self.let_go(&session);
            }
        }
    }
}
