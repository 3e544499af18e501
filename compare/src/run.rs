//! One run of a strategy, from handshake to last call.

use std::sync::Arc;

use mcp_disclosure_client::Traffic;

use crate::{
    Error, HostKind, Row, Subject,
    agent::Task,
    baseline::{Baseline, Listed},
    connection::{ClientKind, LinkFactory, Reached},
    probe::Probe,
    report::{InitialTokens, StepTokens},
    tokenizer::Counter,
};

/// What all connections of a comparison, or of a play, have in common.
pub(crate) struct Bench<'a> {
    /// Opens links to a server of each row.
    pub(crate) links: &'a LinkFactory,
    pub(crate) subject: &'a Subject,
    pub(crate) counter: Counter,
    /// What hosts show of a listed tool.
    pub(crate) host: HostKind,
    /// Whether to request lists without `inputSchema`, where the strategy supports that.
    pub(crate) omits_schemas: bool,
    /// Counts the calls that have reached upstreams.
    pub(crate) reached: Reached,
    /// The lists of `full`; empty until they are known.
    pub(crate) baseline: Baseline,
}

/// One run of a strategy, from handshake to last call.
pub(crate) struct Run {
    pub(crate) listed: Arc<Listed>,
    /// The texts of the model's context at the start.
    pub(crate) shown: String,
    pub(crate) start: InitialTokens,
    pub(crate) steps: Option<Vec<StepTokens>>,
    /// Used tools that a model does not find.
    pub(crate) missing: Vec<String>,
    /// Each call, and whether it succeeded.
    pub(crate) calls: Vec<(StepTokens, bool)>,
    pub(crate) traffic: Traffic,
}

impl Run {
    /// Connects, lists, learns and calls, as a host of this kind does.
    pub(crate) async fn of(
        bench: &Bench<'_>,
        row: &Row,
        kind: ClientKind,
        tasks: &[Task],
    ) -> Result<Self, Error> {
        let needs_resources = kind == ClientKind::Negotiating && adds_resources(bench, row).await?;
        let mut probe = Probe::open(bench, row, kind).await?;
        let resources = if needs_resources { probe.connection.resources().await? } else { Vec::new() };
        let start = probe.start(&bench.baseline.added(resources));
        let names: Vec<&str> = tasks.iter().map(|task| &*task.tool).collect();
        let steps = probe.learn(&names).await?;
        let missing = names.iter().filter(|name| !probe.finds(name)).map(ToString::to_string).collect();
        let mut calls = Vec::with_capacity(tasks.len());
        for task in tasks {
            calls.push(probe.call(task).await?);
        }
        let (traffic, shown) = (probe.connection.host.traffic(), probe.shown());
        probe.connection.host.close().await;
        Ok(Self { listed: probe.plan.listed, shown, start, steps, missing, calls, traffic })
    }
}

/// Whether a model needs to see resources under this strategy: it lists resources that are not the source's.
async fn adds_resources(bench: &Bench<'_>, row: &Row) -> Result<bool, Error> {
    let probe = Probe::enter(bench, row, ClientKind::Negotiating, Arc::default()).await?;
    let added = bench.baseline.added(probe.connection.resources().await?);
    probe.connection.host.close().await;
    Ok(!added.is_empty())
}
