//! One run of a strategy, from handshake to last call.

use std::sync::Arc;

use mcp_disclosure_client::Traffic;

use crate::{
    Error, Row,
    agent::Task,
    bench::Bench,
    listed::Listed,
    probe::{LinkFactory, Manner, Probe, Start, Step},
};

/// One run of a strategy, from handshake to last call.
pub(crate) struct Run {
    pub(crate) listed: Arc<Listed>,
    /// The texts of the model's context at the start.
    pub(crate) shown: String,
    pub(crate) start: Start,
    pub(crate) steps: Option<Vec<Step>>,
    /// Used tools that a model does not find.
    pub(crate) missing: Vec<String>,
    /// Each call, and whether it succeeded.
    pub(crate) calls: Vec<(Step, bool)>,
    pub(crate) traffic: Traffic,
}

impl Run {
    /// Connects, lists, learns and calls, as a host of this kind does.
    pub(crate) async fn of(
        bench: &Bench<'_>,
        links: &LinkFactory,
        row: &Row,
        manner: Manner,
        tasks: &[Task],
    ) -> Result<Self, Error> {
        let needs_resources = manner == Manner::Native && adds_resources(bench, links, row).await?;
        let mut probe = Probe::open(bench, links, row, manner).await?;
        let resources = if needs_resources { probe.resources().await? } else { Vec::new() };
        let start = probe.start(&bench.baseline.added(resources));
        let names: Vec<&str> = tasks.iter().map(|task| &*task.tool).collect();
        let steps = probe.learn(&names).await?;
        let missing = names.iter().filter(|name| !probe.finds(name)).map(ToString::to_string).collect();
        let mut calls = Vec::with_capacity(tasks.len());
        for task in tasks {
            calls.push(probe.call(task).await?);
        }
        let (traffic, shown) = (probe.traffic(), probe.shown());
        probe.host.close().await;
        let listed = Arc::clone(&probe.listed);
        Ok(Self { listed, shown, start, steps, missing, calls, traffic })
    }
}

/// Whether a model needs to see resources under this strategy: it lists resources that are not the source's.
async fn adds_resources(bench: &Bench<'_>, links: &LinkFactory, row: &Row) -> Result<bool, Error> {
    let probe = Probe::enter(bench, links, row, Manner::Native, Arc::default()).await?;
    let added = bench.baseline.added(probe.resources().await?);
    probe.host.close().await;
    Ok(!added.is_empty())
}
