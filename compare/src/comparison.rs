//! A comparison: a task played under each strategy, and the figures that are computed from that.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::Profile;

use crate::{
    ClientKind, Error, Query, Recommendation, Report,
    break_even::break_even,
    connection::Bench,
    figures::{self, shown},
    notes,
    report::Compared,
    retrieval,
    transcript::{Behavior, Play, Played, Transcript},
};

/// The strategy that others are compared with: complete definitions, as any MCP server sends them.
pub const BASELINE: &str = mcp_disclosure_core::full::NAME;

/// The settings of a comparison.
pub struct Comparison<'a> {
    /// A task that uses some tools, each once. Its first course is [`Behavior::Workflow`], by which strategies are compared.
    pub play: Play<'a>,
    /// The strategies, the baseline first.
    pub rows: Vec<Row>,
    /// Queries to find tools by.
    pub queries: Vec<Query>,
    /// The number of requests to a model in a conversation, without discovery.
    pub turns: u64,
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
    /// The command line that serves the source this way.
    pub command: String,
}

impl Row {
    /// Whether filters narrow what the presenter shows.
    pub(crate) fn is_stack(&self) -> bool {
        self.profile.name.contains('+')
    }
}

/// Receives the progress of a comparison: steps done, steps in total, and the current step.
pub type Progress<'a> = &'a (dyn Fn(usize, usize, &str) + Send + Sync);

/// Steps of one strategy, without those of mistakes and queries.
const STEPS: usize = 2;

/// What has been found so far.
#[derive(Default)]
struct Found {
    strategies: Vec<Compared>,
    played: Vec<Played>,
    notes: Vec<String>,
}

impl Comparison<'_> {
    /// Runs everything, one connection after the other. The transcript is of the rows that the report has.
    ///
    /// # Errors
    /// [`Error::UnknownLabels`] before the first run, or the first failure of a connection.
    pub async fn run(self, progress: Progress<'_>) -> Result<(Report, Transcript), Error> {
        let Play { subject, ref assignment, tokenizer, host, .. } = self.play;
        let queries = retrieval::resolved(subject, &self.queries)?;
        let asked = self.rows.iter().filter(|_| !queries.is_empty());
        let asked = asked.filter_map(|row| Some((row, row.profile.finder?)));
        let total = self.rows.len() * (STEPS + assignment.courses.len() - 1) + asked.clone().count();
        let mut done = 0;
        let mut step = |name: &str, what: &str| {
            progress(done, total, &format!("{name}: {what}"));
            done += 1;
        };
        let bench = Bench::of(&self.play, &self.rows).await?;
        let mut found = Found::default();
        for row in &self.rows {
            self.compare(&bench, row, &mut found, &mut step).await?;
        }
        let Found { strategies, played, notes, .. } = found;
        let mut retrieval = Vec::new();
        for (row, finder) in asked.filter(|(row, _)| played.iter().any(|played| played.name == row.name)) {
            step(&row.name, "tools found by words");
            retrieval.push(retrieval::of(&bench, row, finder, &queries).await?);
        }
        progress(total, total, "done");
        let report = Report {
            source: subject.source.clone(),
            tools: subject.tools.len(),
            tokenizer,
            host,
            used: assignment.calls.iter().map(|call| call.tool.clone()).collect(),
            recommendation: Recommendation::of(&self.rows, &strategies, self.turns, self.served.as_ref()),
            strategies,
            turns: self.turns,
            notes,
            retrieval,
        };
        Ok((report, self.play.transcript(played)))
    }

    /// Measures a strategy, unless it shows a model the same as an earlier one.
    async fn compare(
        &self,
        bench: &Bench<'_>,
        row: &Row,
        found: &mut Found,
        step: &mut impl FnMut(&str, &str),
    ) -> Result<(), Error> {
        step(&row.name, "lists, learning and calls");
        let course = async |host, behavior| self.play.course(bench, row, host, behavior).await;
        let ordinary = course(ClientKind::Ordinary, Behavior::Workflow).await?;
        let start = shown(&ordinary.act);
        let same = found.played.iter().position(|other| shown(&other.acts[0]) == start);
        if let Some(first) = same.map(|at| &mut found.strategies[at]) {
            found.notes.push(notes::same(row, &first.name));
            if row.is_stack() {
                first.also.push(row.name.clone());
                return Ok(());
            }
        }
        let negotiating = course(ClientKind::Negotiating, Behavior::Workflow).await?;
        step(&row.name, "growing number of tools");
        let baseline = found.strategies.first();
        let initial = ordinary.act.start_tokens;
        let limit = baseline.map_or(initial, |baseline| baseline.costs.initial_tokens);
        let break_even = break_even(bench, row, &ordinary.listed, initial, limit).await?;
        let compared = figures::compared(row, self.turns, [&ordinary, &negotiating], break_even, baseline);
        found.notes.extend(notes::of_row(&compared, &ordinary.missed));
        found.strategies.push(compared);
        let mut acts = vec![ordinary.act];
        for behavior in self.play.assignment.courses.iter().skip(1) {
            step(&row.name, behavior.title());
            acts.push(course(ClientKind::Ordinary, *behavior).await?.act.without_start());
        }
        found.played.push(Played { name: row.name.clone(), acts });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Row {
        /// A strategy by its name alone.
        pub(crate) fn of(name: &str) -> Self {
            let profile = Profile { name: name.to_owned().into(), ..Profile::presenter("", "", "") };
            let (choices, command) = (Concerns::new(), format!("serve {name}"));
            Self { name: name.to_owned(), profile, choices, not_offered: None, command }
        }
    }
}
