//! One run of a strategy, from handshake to last call.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_disclosure_client::Traffic;

use crate::{
    Error, Row,
    agent::Task,
    bench::Bench,
    listed::Listed,
    probe::{LinkFactory, Manner, Probe, Start, Step},
};

/// The tasks, with tools of the subject.
pub(crate) struct Job {
    pub(crate) used: Vec<String>,
    pub(crate) tasks: Vec<Task>,
}

/// One run of a strategy, from handshake to last call.
pub(crate) struct Run {
    pub(crate) listed: Arc<Listed>,
    /// The texts of the model's context at the start.
    pub(crate) shown: String,
    pub(crate) start: Start,
    pub(crate) steps: Option<Vec<Step>>,
    /// Each call, and whether it succeeded.
    pub(crate) calls: Vec<(Step, bool)>,
    pub(crate) traffic: Traffic,
    pub(crate) connect: Duration,
    pub(crate) list: Duration,
}

impl Run {
    /// Connects, lists, learns and calls, as a host of this kind does.
    pub(crate) async fn of(
        bench: &Bench<'_>,
        links: &LinkFactory,
        row: &Row,
        manner: Manner,
        job: &Job,
    ) -> Result<Self, Error> {
        let needs_resources = manner == Manner::Native && adds_resources(bench, links, row).await?;
        let mut probe = Probe::open(bench, links, row, manner).await?;
        let begun = Instant::now();
        let resources = if needs_resources { probe.resources().await? } else { Vec::new() };
        let list = probe.listed_in + begun.elapsed();
        let start = probe.start(&bench.baseline.added(resources));
        let names: Vec<&str> = job.used.iter().map(String::as_str).collect();
        let steps = probe.learn(&names).await?;
        let mut calls = Vec::with_capacity(job.tasks.len());
        for task in &job.tasks {
            calls.push(probe.call(task).await?);
        }
        let (traffic, shown) = (probe.traffic(), probe.shown());
        probe.host.close().await;
        let listed = Arc::clone(&probe.listed);
        Ok(Self { listed, shown, start, steps, calls, traffic, connect: probe.connected_in, list })
    }
}

/// Whether a model needs to see resources under this strategy: it lists resources that are not the source's.
async fn adds_resources(bench: &Bench<'_>, links: &LinkFactory, row: &Row) -> Result<bool, Error> {
    let probe = Probe::enter(bench, links, row, Manner::Native, Arc::default()).await?;
    let added = bench.baseline.added(probe.resources().await?);
    probe.host.close().await;
    Ok(!added.is_empty())
}
