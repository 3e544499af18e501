//! From sources to a gateway that serves.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::{RawObject, ReceiptKey, UpstreamName};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Admission, FetchLimits, Gateway, Open, ReceiptSettings, subscriptions::Subscriptions};
use crate::{
    catalogue::{Catalogue, Files, Keeper, watch},
    failure::{Failure, Problem},
    negotiation::Strategies,
    session::{Bounds, Listeners, Questions, Sessions},
    upstream::{Event, Patience, Target, Upstream, UpstreamError},
};

/// What a gateway is made of.
#[derive(Debug)]
pub struct Assembly {
    /// The upstreams, and the operator's names for them.
    pub targets: Vec<(Option<UpstreamName>, Target)>,
    /// The description files laid over them.
    pub files: Files,
    /// Which strategy serves whom.
    pub strategies: Strategies,
    /// Who may come in.
    pub admission: Arc<dyn Admission>,
    /// How many sessions, and how long they may idle.
    pub sessions: Bounds,
    /// How long upstreams may take.
    pub patience: Patience,
    /// The bound on fetches.
    pub fetches: FetchLimits,
    /// The key of handles.
    pub receipt_key: ReceiptKey,
    /// How long handles are valid.
    pub receipt_lifetime: Duration,
    /// The one client, where upstreams and client belong to each other alone. What upstreams ask is relayed
    /// to it.
    pub client: Option<Arc<Questions>>,
}

impl Assembly {
    /// An assembly with the contract's defaults.
    pub fn new(strategies: Strategies, receipt_key: ReceiptKey) -> Self {
        Self {
            targets: Vec::new(),
            files: Files::None,
            strategies,
            admission: Arc::new(Open),
            sessions: Bounds::default(),
            patience: Patience { connect: Duration::from_secs(60), request: Duration::from_secs(120) },
            fetches: FetchLimits::per_minute(FetchLimits::DEFAULT_PER_MINUTE),
            receipt_key,
            receipt_lifetime: mcp_disclosure_core::receipt::DEFAULT_LIFETIME,
            client: None,
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
    /// [`Failure::Configuration`] with every problem of the files, before anything is started where the
    /// files alone show it; [`Failure::Upstreams`] where no upstream can be used.
    pub async fn start(assembly: Assembly) -> Result<Started, Failure> {
        // Watched before it is read, so that no change falls between.
        let (watcher, changed) = watch(&assembly.files);
        let files = assembly.files.read().map_err(Failure::Configuration)?;
        let (events, heard) = mpsc::unbounded_channel();
        let patience = assembly.patience;
        let (upstreams, lists, missing) =
            connect(assembly.targets, patience, &events, assembly.client.as_ref()).await?;
        let (keeper, snapshot) = match Keeper::open(lists, assembly.files, files, missing.is_empty()) {
            Ok(opened) => opened,
            Err(problems) => return Err(refuse(&upstreams, problems).await),
        };
        let problems = clashes(&assembly.strategies, &snapshot);
        if !problems.is_empty() {
            return Err(refuse(&upstreams, problems).await);
        }
        let (abandoned, to_let_go) = mpsc::unbounded_channel();
        let gateway = Arc::new(Self {
            server_info: server_info(&upstreams),
            strategies: assembly.strategies,
            catalogue: Catalogue::new(snapshot),
            upstreams,
            sessions: Sessions::new(assembly.sessions),
            listeners: Listeners::default(),
            subscriptions: Subscriptions::new(abandoned),
            receipts: ReceiptSettings { key: assembly.receipt_key, lifetime: assembly.receipt_lifetime },
            fetches: assembly.fetches,
            admission: assembly.admission,
            shutdown: CancellationToken::new(),
            watcher: watcher.into(),
        });
        tokio::spawn(Arc::clone(&gateway).follow(keeper, heard, changed));
        let letting_go = Arc::clone(&gateway);
        tokio::spawn(async move { letting_go.let_go(to_let_go).await });
        Ok(Started { gateway, missing })
    }
}

type Connected = (Vec<Upstream>, Vec<mcp_disclosure_core::UpstreamLists>, Vec<UpstreamError>);

/// Connects and lists all at once. Those that fail are left out as long as one does not.
async fn connect(
    targets: Vec<(Option<UpstreamName>, Target)>,
    patience: Patience,
    events: &mpsc::UnboundedSender<(usize, Event)>,
    client: Option<&Arc<Questions>>,
) -> Result<Connected, Failure> {
    let connecting = targets.into_iter().enumerate().map(|(number, (name, target))| async move {
        let upstream =
            Upstream::connect(target, name, number, patience, events.clone(), client.cloned()).await?;
        let lists = upstream.lists().await;
        match lists {
            Ok(lists) => Ok((upstream, lists)),
            Err(error) => {
                upstream.connection().close().await;
                Err(error)
            }
        }
    });
    let (mut upstreams, mut all_lists, mut missing) = (Vec::<Upstream>::new(), Vec::new(), Vec::new());
    for connected in futures::future::join_all(connecting).await {
        match connected {
            Ok((upstream, mut lists)) => {
                let upstream = distinct(upstream, &upstreams);
                lists.name = upstream.name().clone();
                upstreams.push(upstream);
                all_lists.push(lists);
            }
            Err(error) => missing.push(error),
        }
    }
    if upstreams.is_empty() && !missing.is_empty() {
        return Err(Failure::Upstreams(missing));
    }
    Ok((upstreams, all_lists, missing))
}

/// The upstream under a name that no other has.
fn distinct(upstream: Upstream, others: &[Upstream]) -> Upstream {
    let is_taken = |name: &str| others.iter().any(|other| **other.name() == *name);
    if !is_taken(upstream.name()) {
        return upstream;
    }
    let candidates = (2..).map(|number| format!("{}-{number}", upstream.name()));
    let free =
        candidates.into_iter().find(|name| !is_taken(name)).and_then(|name| UpstreamName::parse(&name).ok());
    match free {
        Some(name) => upstream.renamed(name),
        None => upstream,
    }
}

async fn refuse(upstreams: &[Upstream], problems: Vec<Problem>) -> Failure {
    futures::future::join_all(upstreams.iter().map(|upstream| upstream.connection().close())).await;
    Failure::Configuration(problems)
}

/// Tools whose name clashes, with another or with a strategy's own, even in its long form.
fn clashes(strategies: &Strategies, snapshot: &mcp_disclosure_core::Snapshot) -> Vec<Problem> {
    use mcp_disclosure_core::{ClientTraits, Era};
    let with_bridge = ClientTraits { bridge: true, ..ClientTraits::plain(Era::Session) };
    let own_tools: Vec<&str> =
        strategies.all().flat_map(|strategy| strategy.own_tools(&with_bridge)).collect();
    let mut names = snapshot.unresolvable(&own_tools);
    names.sort();
    names.dedup();
    let told = |name| format!("tool '{name}': the name is taken, and so is <upstream>__<tool>");
    let hint = "give the upstream another name with --name";
    names.iter().map(|name| Problem::new(told(name)).hint(hint)).collect()
}

/// A single upstream's own identity shines through; several are one server of ours.
fn server_info(upstreams: &[Upstream]) -> RawObject {
    match upstreams {
        [only] if !only.introduction().server_info.is_empty() => only.introduction().server_info.clone(),
        _ => RawObject::parse(
            json!({"name": "mcp-disclosure", "version": env!("CARGO_PKG_VERSION")}).to_string(),
        )
        .unwrap_or_else(|_| RawObject::empty()),
    }
}
