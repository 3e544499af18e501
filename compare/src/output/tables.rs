//! The tables of a report: their figures, titles and columns, independent of the format.

use crate::{
    Report,
    report::{Compared, Detail},
    retrieval::Retrieval,
    text::{grouped, known, of, percent, saved},
};

/// One table of a report.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The title.
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<String>>,
    /// The row of the recommended strategy.
    pub(super) recommended: Option<usize>,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) title: String,
    /// Whether it has figures.
    pub(super) is_figure: bool,
    /// Whether it is among those that are shown where there is no room for more.
    pub(super) is_basic: bool,
}

impl Column {
    pub(super) fn words(title: &str) -> Self {
        Self { title: title.to_owned(), is_figure: false, is_basic: true }
    }

    pub(super) fn figures(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_figure: true, is_basic: true }
    }

    /// A column for those who ask for more, or have the room.
    pub(super) fn more(self) -> Self {
        Self { is_basic: false, ..self }
    }
}

impl Table {
    /// The table with those of its columns only that are basic.
    pub(super) fn basic(&self) -> Self {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|at| self.columns[*at].is_basic).collect();
        let row = |row: &Vec<String>| kept.iter().map(|at| row[*at].clone()).collect();
        Self {
            columns: kept.iter().map(|at| self.columns[*at].clone()).collect(),
            rows: self.rows.iter().map(row).collect(),
            ..self.clone()
        }
    }
}

/// The main table.
pub(super) fn overview(report: &Report) -> Table {
    let row = |strategy: &Compared| {
        vec![
            marked(strategy),
            grouped(strategy.costs.initial_tokens),
            known(strategy.costs.total_tokens),
            saved(strategy.total_saving),
            known(strategy.steps.map(|steps| steps as u64)),
            known(strategy.costs.discovery_tokens),
            known(strategy.costs.conversation_tokens),
            break_even(strategy),
            strategy.costs.round_trips.to_string(),
            known(strategy.negotiating.total_tokens),
        ]
    };
    let recommended = &report.recommendation.strategy;
    let turns = format!("{} turns", report.turns);
    let basic = ["start", "total", "saved", "steps"].map(Column::figures);
    let more =
        ["learning", &turns, "break-even", "trips", "native"].map(|title| Column::figures(title).more());
    Table {
        title: "Tokens of a model in an ordinary host until it has its results".to_owned(),
        columns: [Column::words("strategy")].into_iter().chain(basic).chain(more).collect(),
        rows: report.strategies.iter().map(row).collect(),
        recommended: report.strategies.iter().position(|strategy| strategy.name == *recommended),
    }
}

/// The name of a strategy, with a mark where `serve` would not offer it.
fn marked(strategy: &Compared) -> String {
    let mark = if strategy.not_offered.is_some() { " †" } else { "" };
    format!("{}{mark}", strategy.name)
}

/// The parts of the start, and the figures of clients that support the strategy.
pub(super) fn parts(report: &Report) -> Table {
    let row = |strategy: &Compared| {
        let Detail { initial, calls, .. } = &strategy.detail;
        let native = &strategy.negotiating;
        vec![
            marked(strategy),
            grouped(initial.tools),
            grouped(initial.instructions),
            calls.overhead_tokens.to_string(),
            grouped(native.initial_tokens),
            known(native.discovery_tokens),
            known(native.total_tokens),
            native.round_trips.to_string(),
        ]
    };
    let figures = ["tools", "instructions", "more a call", "start*", "learning*", "total*", "trips*"];
    let title = "Parts of the start; what each call costs more than under full; *: a client that supports the \
                 strategy and negotiates it";
    figured(title, figures.map(Column::figures), report.strategies.iter().map(row))
}

/// How well tools are found by words.
pub(super) fn retrieval(report: &Report) -> Table {
    let row = |found: &Retrieval| {
        let share = |share: Option<f64>| share.map_or_else(|| "–".to_owned(), percent);
        let words: Vec<&str> = found.missed_words.iter().take(6).map(|word| word.word.as_str()).collect();
        vec![
            found.strategy.clone(),
            share(found.possible.hit_at_1),
            share(found.possible.hit_at_5),
            grouped(found.possible.asked.nothing_found as u64),
            format!("{} of {}", found.impossible.nothing_found, found.impossible.queries),
            grouped(found.answer_tokens),
            words.join(", "),
        ]
    };
    let queries = report.retrieval.first().map_or(0, |found| found.possible.asked.queries);
    let title = format!(
        "Tools found by words: {queries} possible queries; kept off: impossible queries that find nothing"
    );
    let figures = ["hit@1", "hit@5", "found nothing", "kept off", "an answer"].map(Column::figures);
    let columns = figures.into_iter().chain([Column::words("words of misses").more()]);
    figured(title, columns, report.retrieval.iter().map(row))
}

/// The cost of each step of learning.
pub(super) fn steps(report: &Report) -> Table {
    let rows = report.strategies.iter().flat_map(|strategy| {
        strategy.detail.steps.iter().zip(1u32..).map(|(step, number)| {
            let figures = [step.request_tokens, step.answer_tokens].map(grouped);
            [marked(strategy), number.to_string()].into_iter().chain(figures).collect()
        })
    });
    figured("Steps of learning", ["step", "written", "read"].map(Column::figures), rows)
}

/// The subject of a report, in a sentence.
pub(super) fn heading(report: &Report) -> String {
    let used = match report.used.len() {
        0 => "none used".to_owned(),
        count if count <= 4 => format!("used {}", report.used.join(", ")),
        count => format!("{count} used: {}, …", report.used[..3].join(", ")),
    };
    // What a server calls itself begins no line.
    format!("{} of {}, {used}; {} tokens", of(report.tools, "tool"), report.source, report.tokenizer)
}

/// What the figures of the main table are.
pub(super) const LEGEND: [(&str, &str); 9] = [
    ("start", "instructions and listed tools, before the first prompt"),
    ("total", "that, and learning the used tools"),
    ("saved", "the share of the total of full"),
    ("steps", "searches, reads and calls, until the results are there"),
    ("learning", "requests and answers until the used tools can be called"),
    ("turns", "everything sent again with each request to the model, including those of learning"),
    ("break-even", "the number of used tools from which it costs more than full"),
    ("trips", "every request, from the handshake to the last call"),
    (
        "native",
        "the total of a client that negotiates the strategy; all others are those of an ordinary host",
    ),
];

/// A table with the strategy in its first column.
fn figured(
    title: impl Into<String>,
    columns: impl IntoIterator<Item = Column>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Table {
    let columns = [Column::words("strategy")].into_iter().chain(columns).collect();
    Table { title: title.into(), columns, rows: rows.collect(), recommended: None }
}

fn break_even(strategy: &Compared) -> String {
    match (strategy.break_even_tools, strategy.costs.discovery_tokens) {
        (Some(tools), _) => grouped(tools as u64),
        (None, None) => "unknown".to_owned(),
        (None, Some(_)) => "never".to_owned(),
    }
}
