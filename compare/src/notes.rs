//! Notes for readers of a report: what its figures do not say by themselves.

use mcp_disclosure_core::printable::few;

use crate::{Row, Subject, Used, report::Compared, text::of};

/// Names of tools in a note.
const MOST_NAMES: usize = 5;

impl Subject {
    /// What readers have to know of a sample that is larger than the source.
    pub fn note(&self, used: &Used) -> Option<String> {
        let tools = self.tools.len();
        let is_larger = matches!(used, Used::Count(wanted) if *wanted > tools);
        is_larger.then(|| match tools {
            0 => "The source has no tools.".to_owned(),
            1 => "The source has one tool, which is used.".to_owned(),
            tools => format!("The source has {}; all of them are used.", of(tools, "tool")),
        })
    }
}

/// A row that shows a model what an earlier one shows.
pub(crate) fn same(row: &Row, first: &str) -> String {
    let name = &row.name;
    let rest = match (row.is_stack(), row.choices.is_empty()) {
        (true, true) => ", and has no row of its own without a choice, FILTER(NAME=VALUE).",
        (true, false) => ", and has no row of its own.",
        (false, _) => " to an ordinary host. What it does to calls is not counted.",
    };
    format!("{name} lists the same as {first}{rest}")
}

/// Notes on the figures of a strategy; `missed` are used tools that a choice leaves out.
pub(crate) fn of_row(strategy: &Compared, missed: &[String]) -> Vec<String> {
    let name = &strategy.name;
    let unknown = match missed.is_empty() {
        true => "the cost of learning is unknown, because the strategy declares no call that teaches a tool."
            .to_owned(),
        false => format!(
            "it does not list {}, so that what a model learns until it has its results is unknown.",
            few(missed.iter(), MOST_NAMES)
        ),
    };
    let unknown = strategy.costs.discovery_tokens.is_none().then(|| format!("{name}: {unknown}"));
    let failed = strategy.detail.calls.failed;
    let failed = (failed > 0)
        .then(|| format!("{name}: {} had no result; --transcript shows why.", of(failed, "call")));
    let refused = strategy.not_offered.as_ref();
    let refused =
        refused.map(|why| format!("† {name} is compared, but serve would not offer it here: {why}"));
    [unknown, failed, refused].into_iter().flatten().collect()
}
