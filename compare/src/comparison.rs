//! A comparison: the runs for each strategy, in order, and the figures that are computed from them.

use std::collections::HashMap;

use mcp_disclosure_core::Lesson;

use crate::{
    Error, Report, Subject, Tokenizer,
    agent::Task,
    bench::{Baseline, Bench},
    curve::Curve,
    figures, habits,
    probe::{LinkFactory, Manner, Probe},
    report::{BridgeTokens, Compared, bases},
    run::{Job, Run},
    tokenizer::Counter,
    tools,
};

/// The strategy that others are compared with: complete definitions, as any MCP server sends them.
pub const BASELINE: &str = mcp_disclosure_core::full::NAME;

/// The settings of a comparison.
pub struct Comparison {
    /// The tools.
    pub subject: Subject,
    /// The strategies, by the names that clients request. The baseline comes first in the report, named here or not.
    pub strategies: Vec<String>,
    /// Opens links to a server of these tools whose calls are answered by a stand-in.
    pub links: LinkFactory,
    /// The tasks for which the tools are used.
    pub work: Work,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// The number of requests to a model in a conversation, without discovery.
    pub turns: u64,
    /// The number of timed runs.
    pub repeats: usize,
    /// Whether to ask for lists without `inputSchema`, where that can be asked.
    pub omits_schemas: bool,
    /// How tools are learned under strategies that declare it, by strategy.
    pub lessons: HashMap<String, Lesson>,
    /// The transport, such as `stdio`.
    pub transport: String,
}

/// The tasks for which the tools are used.
pub enum Work {
    /// The first tools of [`Subject::order`], this many, each called once.
    Sample(usize),
    /// These tools, each called once.
    Names(Vec<String>),
    /// These calls, over links of their own, once for each strategy: they reach the real tools.
    Script {
        /// The calls.
        tasks: Vec<Task>,
        /// Opens links to a server of the real tools.
        links: LinkFactory,
    },
}

/// Receives the progress of a comparison: steps done, steps in total, and the current step.
pub type Progress<'a> = &'a (dyn Fn(usize, usize, &str) + Send + Sync);

/// Steps of one strategy in a progress bar.
const STEPS: usize = 4;

impl Comparison {
    /// Runs everything, one connection after the other.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] before the first run, or the first failure of a connection.
    pub async fn run(&self, progress: Progress<'_>) -> Result<Report, Error> {
        let job = self.job()?;
        let mut names = self.strategies.clone();
        names.retain(|name| name != BASELINE);
        names.insert(0, BASELINE.to_owned());
        let total = names.len() * STEPS + 1;
        let mut done = 0;
        let mut step = |name: &str, what: &str| {
            progress(done, total, &format!("{name}: {what}"));
            done += 1;
        };
        let mut bench = Bench {
            subject: &self.subject,
            counter: Counter::new(self.tokenizer),
            omits_schemas: self.omits_schemas,
            lessons: &self.lessons,
            baseline: Baseline::default(),
        };
        step(BASELINE, "lists");
        bench.baseline = self.baseline(&bench).await?;
        let mut strategies: Vec<Compared> = Vec::with_capacity(names.len());
        for name in &names {
            let compared = self.compare(&bench, name, &job, strategies.first(), &mut step).await?;
            strategies.push(compared);
        }
        let per_tool = tools::costs(&bench, &self.links, &names, &job.used).await?;
        progress(total, total, "done");
        Ok(Report {
            source: self.subject.source.clone(),
            tools: self.subject.tools.len(),
            tokenizer: self.tokenizer,
            notes: self.notes(&strategies, &job),
            used: job.used,
            strategies,
            turns: self.turns,
            transport: self.transport.clone(),
            repeats: self.repeats(),
            basis: bases(self.tokenizer),
            per_tool,
        })
    }

    fn job(&self) -> Result<Job, Error> {
        let found = match &self.work {
            Work::Sample(count) => self.subject.sample(*count),
            Work::Names(names) => self.subject.named(names)?,
            Work::Script { tasks, .. } => {
                self.subject.named(&tasks.iter().map(|task| task.tool.clone()).collect::<Vec<_>>())?
            }
        };
        let used = found.iter().map(|tool| tool.name.clone()).collect();
        let tasks = match &self.work {
            Work::Script { tasks, .. } => tasks.clone(),
            _ => found.iter().map(|tool| tool.task()).collect(),
        };
        Ok(Job { used, tasks })
    }

    /// Calls that reach real tools are made once.
    fn repeats(&self) -> usize {
        if matches!(self.work, Work::Script { .. }) { 1 } else { self.repeats.max(1) }
    }

    async fn baseline(&self, bench: &Bench<'_>) -> Result<Baseline, Error> {
        let probe = Probe::open(bench, &self.links, BASELINE, Manner::Native).await?;
        let baseline = Baseline::of(&probe).await?;
        probe.host.close().await;
        Ok(baseline)
    }

    async fn compare(
        &self,
        bench: &Bench<'_>,
        name: &str,
        job: &Job,
        baseline: Option<&Compared>,
        step: &mut impl FnMut(&str, &str),
    ) -> Result<Compared, Error> {
        step(name, "start to calls");
        let links = match &self.work {
            Work::Script { links, .. } => links,
            _ => &self.links,
        };
        let needs_resources = self.needs_resources(bench, name).await?;
        let mut runs = Vec::with_capacity(self.repeats());
        for _ in 0..self.repeats() {
            runs.push(Run::of(bench, links, name, job, needs_resources).await?);
        }
        step(name, "bridge");
        let bridge = self.bridge(bench, name, job).await?;
        step(name, "growing number of tools");
        let initial = runs[0].start.total();
        let limit = baseline.map_or(initial, |baseline| baseline.initial_tokens);
        let curve = Curve::run(bench, &self.links, name, initial, limit).await?;
        step(name, "habits");
        let behaviour = habits::run(bench, &self.links, name, &job.tasks).await?;
        Ok(figures::compared(name, self.turns, &runs, baseline, bridge, curve, behaviour))
    }

    /// Whether a model needs to see resources under this strategy: it lists resources that are not the source's.
    async fn needs_resources(&self, bench: &Bench<'_>, name: &str) -> Result<bool, Error> {
        let probe = Probe::open(bench, &self.links, name, Manner::Native).await?;
        let added = bench.baseline.added(probe.resources().await?);
        probe.host.close().await;
        Ok(!added.is_empty())
    }

    /// The costs for a client that supports no strategy, and whose model cannot read resources.
    async fn bridge(&self, bench: &Bench<'_>, name: &str, job: &Job) -> Result<BridgeTokens, Error> {
        let mut probe = Probe::open(bench, &self.links, name, Manner::Plain).await?;
        let names: Vec<&str> = job.used.iter().map(String::as_str).collect();
        let initial_tokens = probe.start(&[]).total();
        let discovery_tokens = probe.learn(&names).await?.map(|steps| figures::learned(&steps));
        probe.host.close().await;
        let total_tokens = discovery_tokens.map(|discovery| initial_tokens + discovery);
        Ok(BridgeTokens { initial_tokens, discovery_tokens, total_tokens })
    }

    fn notes(&self, strategies: &[Compared], job: &Job) -> Vec<String> {
        let mut notes = Vec::new();
        if matches!(self.work, Work::Script { .. }) {
            notes.push(
                "The calls of the script were sent to the real tools, once for each strategy.".to_owned(),
            );
        }
        if let Work::Sample(wanted) = self.work
            && wanted > job.used.len()
        {
            notes.push(format!("{wanted} tools were requested for use; the source has {}.", job.used.len()));
        }
        for strategy in strategies {
            if strategy.discovery_tokens.is_none() {
                notes.push(format!(
                    "{}: the cost of learning is unknown, because the strategy declares no call that teaches a tool.",
                    strategy.name
                ));
            }
            let failed = strategy.detail.as_ref().map_or(0, |detail| detail.calls.failed);
            if failed > 0 {
                notes.push(format!("{}: {failed} of {} calls failed.", strategy.name, job.tasks.len()));
            }
        }
        notes
    }
}
