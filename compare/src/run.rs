//! One run of a strategy, from handshake to last call.

use std::sync::Arc;

use mcp_disclosure_client::{Concerns, Traffic};
use mcp_disclosure_core::RawObject;

use crate::{
    Error, HostKind, Row, Subject,
    agent::Task,
    baseline::{Baseline, Listed},
    connection::{ClientKind, Connection, LinkFactory, Reached},
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

impl Bench<'_> {
    /// The resources and templates that a client that supports the strategy is listed.
    pub(crate) async fn resources(&self, row: &Row) -> Result<Vec<RawObject>, Error> {
        let connection = Connection::open(self, row, ClientKind::Negotiating, Concerns::new()).await?;
        let resources = connection.resources().await?;
        connection.host.close().await;
        Ok(resources)
    }
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
        // A model needs to see resources where the strategy lists some that are not the source's.
        let needs_resources =
            kind == ClientKind::Negotiating && !bench.baseline.added(bench.resources(row).await?).is_empty();
        let mut probe = Probe::open(bench, row, kind).await?;
        let resources = if needs_resources { probe.connection.resources().await? } else { Vec::new() };
        let (start, shown) = probe.start(&bench.baseline.added(resources));
        let names: Vec<&str> = tasks.iter().map(|task| &*task.tool).collect();
        let steps = probe.learn(&names).await?;
        let missing = names.iter().filter(|name| !probe.finds(name)).map(ToString::to_string).collect();
        let mut calls = Vec::with_capacity(tasks.len());
        for task in tasks {
            calls.push(probe.call(task).await?);
        }
        let traffic = probe.connection.host.traffic();
        probe.connection.host.close().await;
        Ok(Self { listed: probe.plan.listed, shown, start, steps, missing, calls, traffic })
    }
}
