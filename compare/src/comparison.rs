//! A comparison: the runs for each strategy, in order, and the figures that are computed from them.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::Profile;

use crate::{
    Error, HostKind, Query, Recommendation, Report, Subject, Tokenizer, Tool, Used,
    agent::Task,
    baseline::Baseline,
    break_even::break_even,
    connection::{ClientKind, LinkFactory, Reached},
    figures, notes,
    probe::Probe,
    report::Compared,
    retrieval,
    run::{Bench, Run},
    tokenizer::Counter,
};

/// The strategy that others are compared with: complete definitions, as any MCP server sends them.
pub const BASELINE: &str = mcp_disclosure_core::full::NAME;

/// The settings of a comparison.
pub struct Comparison {
    /// The tools.
    pub subject: Subject,
    /// The strategies, the baseline first.
    pub rows: Vec<Row>,
    /// Opens links to a server of these tools whose calls are answered by a stand-in.
    pub links: LinkFactory,
    /// The tools that are used, each called once.
    pub used: Used,
    /// Queries to find tools by.
    pub queries: Vec<Query>,
    /// What hosts show of a listed tool.
    pub host: HostKind,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// The number of requests to a model in a conversation, without discovery.
    pub turns: u64,
    /// Whether negotiating clients ask for lists without `inputSchema`, where that can be asked.
    pub omits_schemas: bool,
    /// The transport, such as `stdio`.
    pub transport: String,
    /// What serves clients that request nothing, and why it is that, where that is known.
    pub served: Option<Recommendation>,
}

/// A row of a comparison. Links are opened by its name.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name in the report, such as `concerns(cost=low)+describe`. No two rows have the same.
    pub name: String,
    /// The strategy or stack, by whose name the server announces it.
    pub profile: Profile,
    /// The concerns that the server has chosen for every client at the start.
    pub choices: Concerns,
    /// Why `serve` would not offer it for this source with the same settings.
    pub not_offered: Option<String>,
    /// The command line that serves the source this way, if there is one.
    pub command: Option<String>,
}

impl Row {
    /// Whether filters narrow what the presenter shows.
    pub(crate) fn is_stack(&self) -> bool {
        self.profile.name.contains('+')
    }
}

/// Receives the progress of a comparison: steps done, steps in total, and the current step.
pub type Progress<'a> = &'a (dyn Fn(usize, usize, &str) + Send + Sync);

/// Steps of one strategy in a progress bar.
const STEPS: usize = 2;

/// What has been found so far.
#[derive(Default)]
struct Found {
    strategies: Vec<Compared>,
    /// The model's context at the start, of each row.
    shown: Vec<String>,
    notes: Vec<String>,
}

impl Comparison {
    /// Runs everything, one connection after the other.
    ///
    /// # Errors
    /// [`Error::UnknownTools`] and [`Error::UnknownLabels`] before the first run, or the first failure of a connection.
    pub async fn run(&self, progress: Progress<'_>) -> Result<Report, Error> {
        let total = self.rows.len() * STEPS;
        let mut done = 0;
        let mut step = |name: &str, what: &str| {
            progress(done, total, &format!("{name}: {what}"));
            done += 1;
        };
        let mut bench = Bench {
            links: &self.links,
            subject: &self.subject,
            counter: Counter::new(self.tokenizer),
            host: self.host,
            omits_schemas: self.omits_schemas,
            reached: Reached::default(),
            baseline: Baseline::default(),
        };
        if let Some(full) = self.rows.first() {
            bench.baseline = baseline(&bench, full).await?;
        }
        // What an operator's choice leaves out is in no list.
        let subject = self.subject.only(|tool| bench.baseline.lists(&tool.name));
        bench.subject = &subject;
        let tasks: Vec<Task> = subject.used(&self.used)?.into_iter().map(Tool::task).collect();
        let queries = retrieval::resolved(&subject, &self.queries)?;
        let mut found = Found::default();
        for row in &self.rows {
            self.compare(&bench, row, &tasks, &mut found, &mut step).await?;
        }
        let Found { strategies, mut notes, .. } = found;
        progress(total, total, "tools found by words");
        let is_row = |row: &&Row| strategies.iter().any(|strategy| strategy.name == row.name);
        let rows: Vec<&Row> = self.rows.iter().filter(is_row).collect();
        let retrieval = retrieval::run(&bench, &rows, &queries).await?;
        progress(total, total, "done");
        notes.splice(0..0, notes::of_sample(&self.used, &subject));
        Ok(Report {
            source: subject.source.clone(),
            tools: subject.tools.len(),
            tokenizer: self.tokenizer,
            host: self.host,
            used: tasks.into_iter().map(|task| task.tool).collect(),
            recommendation: Recommendation::of(&self.rows, &strategies, self.turns, self.served.as_ref()),
            strategies,
            turns: self.turns,
            transport: self.transport.clone(),
            notes,
            retrieval,
        })
    }

    /// Measures a strategy, unless it shows a model the same as an earlier one.
    async fn compare(
        &self,
        bench: &Bench<'_>,
        row: &Row,
        tasks: &[Task],
        found: &mut Found,
        step: &mut impl FnMut(&str, &str),
    ) -> Result<(), Error> {
        step(&row.name, "lists, learning and calls");
        let run = Run::of(bench, row, ClientKind::Ordinary, tasks).await?;
        let same = found.shown.iter().position(|other| *other == run.shown);
        if let Some(first) = same.map(|at| &mut found.strategies[at]) {
            found.notes.push(notes::same(row, &first.name));
            if row.is_stack() {
                first.also.push(row.name.clone());
                step(&row.name, "the same as another");
                return Ok(());
            }
        }
        found.notes.extend(notes::missing(row, &run.missing));
        let negotiating = Run::of(bench, row, ClientKind::Negotiating, tasks).await?;
        step(&row.name, "growing number of tools");
        let baseline = found.strategies.first();
        let initial = run.start.total();
        let limit = baseline.map_or(initial, |baseline| baseline.costs.initial_tokens);
        let break_even = break_even(bench, row, &run.listed, initial, limit).await?;
        let compared = figures::compared(row, self.turns, [&run, &negotiating], break_even, baseline);
        found.notes.extend(notes::of_row(&compared, tasks.len()));
        found.strategies.push(compared);
        found.shown.push(run.shown);
        Ok(())
    }
}

/// What the source lists by itself, as the row of complete definitions shows it.
async fn baseline(bench: &Bench<'_>, row: &Row) -> Result<Baseline, Error> {
    let probe = Probe::open(bench, row, ClientKind::Negotiating).await?;
    let baseline = Baseline::of(probe.plan.listed.tools(), &probe.connection.resources().await?);
    probe.connection.host.close().await;
    Ok(baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Row {
        /// A strategy by its name alone.
        pub(crate) fn of(name: &str) -> Self {
            let profile = Profile { name: name.to_owned().into(), ..Profile::presenter("", "", "") };
            let (choices, not_offered, command) = (Concerns::new(), None, None);
            Self { name: name.to_owned(), profile, choices, not_offered, command }
        }
    }
}
