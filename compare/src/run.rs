//! One run of a strategy, from handshake to last call.

use std::time::{Duration, Instant};

use mcp_disclosure_client::Traffic;

use crate::{
    Error,
    agent::Task,
    bench::Bench,
    probe::{LinkFactory, Manner, Probe, Start, Step},
};

/// The tasks, with tools of the subject.
pub(crate) struct Job {
    pub(crate) used: Vec<String>,
    pub(crate) tasks: Vec<Task>,
}

/// One run of a strategy, from handshake to last call.
pub(crate) struct Run {
    pub(crate) start: Start,
    pub(crate) steps: Option<Vec<Step>>,
    /// Each call, and whether it succeeded.
    pub(crate) calls: Vec<(Step, bool)>,
    pub(crate) traffic: Traffic,
    pub(crate) connect: Duration,
    pub(crate) list: Duration,
}

impl Run {
    /// Connects, lists, learns and calls, as a host does.
    pub(crate) async fn of(
        bench: &Bench<'_>,
        links: &LinkFactory,
        strategy: &str,
        job: &Job,
        needs_resources: bool,
    ) -> Result<Self, Error> {
        let mut probe = Probe::open(bench, links, strategy, Manner::Native).await?;
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
        let traffic = probe.traffic();
        probe.host.close().await;
        Ok(Self { start, steps, calls, traffic, connect: probe.connected_in, list })
    }
}
