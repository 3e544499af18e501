//! The sheets of a report: their figures, titles and columns.

use super::sheet::{Cell, Column, Sheet};
use crate::{
    Basis, Report,
    number::{grouped, kilobytes, known, milliseconds, of, percent, saved},
    report::{Behaviour, Compared, Detail, ToolCosts},
    retrieval::Retrieval,
    spread::Spread,
};

/// The main sheet.
pub(super) fn overview(report: &Report) -> Sheet {
    let basis = |figure| report.basis_of(figure);
    let row = |strategy: &Compared| {
        vec![
            marked(strategy).into(),
            tokens(Some(strategy.initial_tokens)),
            tokens(strategy.discovery_tokens),
            tokens(strategy.total_tokens),
            Cell::number(saved(strategy.total_saving), strategy.total_saving),
            tokens(strategy.conversation_tokens),
            break_even(strategy),
            Cell::number(strategy.round_trips.to_string(), strategy.round_trips as f64),
            tokens(strategy.negotiating.total_tokens),
        ]
    };
    Sheet {
        title: "Tokens that a model in an ordinary host reads and writes before it has its results"
            .to_owned(),
        columns: vec![
            Column::words("strategy"),
            Column::figures("start", basis("initial_tokens")),
            Column::figures("learning", basis("discovery_tokens")),
            Column::figures("total", basis("total_tokens")),
            Column::figures("saved", basis("total_saving")),
            Column::figures(format!("{} turns", report.turns), basis("conversation_tokens")),
            Column::figures("break-even", basis("break_even_tools")),
            Column::figures("trips", basis("round_trips")),
            Column::figures("native", basis("negotiating")),
        ],
        rows: report.strategies.iter().map(row).collect(),
    }
}

/// The name of a strategy, with a mark where `serve` would not offer it.
fn marked(strategy: &Compared) -> String {
    let mark = if strategy.not_offered.is_some() { " †" } else { "" };
    format!("{}{mark}", strategy.name)
}

/// The behaviour of models.
pub(super) fn habits(report: &Report) -> Sheet {
    let habits = [
        ("workflow", "follows the workflow"),
        ("fetch-everything", "fetches everything first"),
        ("skip-fetching", "calls at once, guessing"),
    ];
    let row = |(strategy, detail): (&Compared, &Detail)| {
        let of = |habit: &str| detail.behaviour.iter().find(|behaviour| behaviour.habit == habit);
        let cells = habits.map(|(habit, _)| of(habit).map_or_else(|| "–".to_owned(), behaved).into());
        [strategy.name.as_str().into()].into_iter().chain(cells).collect()
    };
    let columns = habits.map(|(_, title)| Column::words(title));
    Sheet {
        title: "The same task by a model that".to_owned(),
        columns: [Column::words("strategy")].into_iter().chain(columns).collect(),
        rows: detailed(report).map(row).collect(),
    }
}

/// The parts of the start, and the figures of clients that support the strategy.
pub(super) fn parts(report: &Report) -> Sheet {
    let basis = report.basis_of("initial_tokens");
    let row = |(strategy, detail): (&Compared, &Detail)| {
        let Detail { initial, calls, .. } = detail;
        let native = &strategy.negotiating;
        vec![
            strategy.name.as_str().into(),
            tokens(Some(initial.tools)),
            tokens(Some(initial.instructions)),
            Cell::number(calls.overhead_tokens.to_string(), calls.overhead_tokens as f64),
            tokens(Some(native.initial_tokens)),
            tokens(native.discovery_tokens),
            tokens(native.total_tokens),
            Cell::number(native.round_trips.to_string(), native.round_trips as f64),
        ]
    };
    let figures = ["tools", "instructions", "more a call", "start*", "learning*", "total*", "trips*"];
    let columns = figures.map(|title| Column::figures(title, basis));
    Sheet {
        title: "Parts of the start; *: a client that supports the strategy and negotiates it".to_owned(),
        columns: [Column::words("strategy")].into_iter().chain(columns).collect(),
        rows: detailed(report).map(row).collect(),
    }
}

/// How well tools are found by words.
pub(super) fn retrieval(report: &Report) -> Sheet {
    let row = |found: &Retrieval| {
        let share = |share: f64| Cell::number(percent(share), share);
        let count = |count: usize| Cell::number(grouped(count as u64), count as f64);
        let words: Vec<String> = found.missed_words.iter().take(6).map(|word| word.word.clone()).collect();
        vec![
            found.strategy.as_str().into(),
            share(found.possible.hit_at_1),
            share(found.possible.hit_at_5),
            count(found.possible.nothing_found),
            Cell::from(format!("{} of {}", found.impossible.nothing_found, found.impossible.queries)),
            tokens(Some(found.answer_tokens)),
            words.join(", ").into(),
        ]
    };
    let figure = |title: &str| Column::figures(title, Basis::Measured);
    let queries = report.retrieval.first().map_or(0, |found| found.possible.queries);
    Sheet {
        title: format!(
            "Tools found by words: {queries} possible queries; kept off: impossible queries that find nothing"
        ),
        columns: vec![
            Column::words("strategy"),
            figure("hit@1"),
            figure("hit@5"),
            figure("found nothing"),
            Column::words("kept off"),
            Column::figures("an answer", report.basis_of("discovery_tokens")),
            Column::words("words of misses"),
        ],
        rows: report.retrieval.iter().map(row).collect(),
    }
}

/// Wall times.
pub(super) fn times(report: &Report) -> Sheet {
    let row = |(strategy, detail): (&Compared, &Detail)| {
        let times = &detail.times_ms;
        let bytes = Cell::number(kilobytes(strategy.wire_bytes), strategy.wire_bytes as f64);
        let cells = [times.connect, times.list, times.discover, times.call].map(time);
        [strategy.name.as_str().into()].into_iter().chain(cells).chain([bytes]).collect()
    };
    let columns = ["connect", "list", "learning", "a call"];
    let columns = columns.map(|title| Column::figures(title, report.basis_of("latency_ms")));
    let bytes = Column::figures("kB", report.basis_of("wire_bytes"));
    Sheet {
        title: format!(
            "Milliseconds over {}: median of {} (minimum to maximum), and kilobytes in total",
            report.transport,
            of(report.repeats, "connection")
        ),
        columns: [Column::words("strategy")].into_iter().chain(columns).chain([bytes]).collect(),
        rows: detailed(report).map(row).collect(),
    }
}

/// The cost of each step of learning.
pub(super) fn steps(report: &Report) -> Sheet {
    let rows = detailed(report).flat_map(|(strategy, detail)| {
        detail.steps.iter().zip(1u32..).map(|(step, number)| {
            vec![
                strategy.name.as_str().into(),
                number.to_string().into(),
                Cell::number(step.requests.to_string(), step.requests as f64),
                tokens(Some(step.request_tokens)),
                tokens(Some(step.answer_tokens)),
            ]
        })
    });
    let basis = report.basis_of("discovery_tokens");
    Sheet {
        title: "Steps of learning".to_owned(),
        columns: vec![
            Column::words("strategy"),
            Column::words("step"),
            Column::figures("requests", Basis::Measured),
            Column::figures("written", basis),
            Column::figures("read", basis),
        ],
        rows: rows.collect(),
    }
}

/// Total tokens by the number of used tools, for some numbers.
pub(super) fn growth(report: &Report) -> Sheet {
    let counts = |detail: &Detail| detail.curve.iter().map(|point| point.tools).collect::<Vec<_>>();
    let all = detailed(report).next().map(|(_, detail)| counts(detail)).unwrap_or_default();
    let last = all.last().copied().unwrap_or(0);
    let shown =
        |count: &usize| matches!(count, 0 | 1 | 2 | 3 | 5 | 8 | 12 | 20 | 35 | 60 | 100) || *count == last;
    let row = |count: usize| {
        let costs = detailed(report).map(|(_, detail)| {
            tokens(detail.curve.iter().find(|point| point.tools == count).map(|point| point.tokens))
        });
        [Cell::number(count.to_string(), count as f64)].into_iter().chain(costs).collect()
    };
    let basis = report.basis_of("total_tokens");
    let names = detailed(report).map(|(strategy, _)| Column::figures(&*strategy.name, basis));
    Sheet {
        title: "Total tokens by the number of tools used".to_owned(),
        columns: [Column::words("tools")].into_iter().chain(names).collect(),
        rows: all.into_iter().filter(shown).map(row).collect(),
    }
}

/// The cost of each tool.
pub(super) fn per_tool(report: &Report) -> Sheet {
    let row = |tool: &ToolCosts| {
        let costs = tool.costs.iter().map(|cost| {
            let sum = [cost.listed_tokens, cost.learned_tokens].into_iter().flatten().sum::<u64>() as f64;
            let listed = cost.listed_tokens.map_or_else(|| "–".to_owned(), grouped);
            match cost.learned_tokens {
                Some(0) => Cell::number(listed, sum),
                learned => Cell::number(format!("{listed} + {}", known(learned)), sum),
            }
        });
        let name = if tool.used { format!("{} ●", tool.name) } else { tool.name.clone() };
        [name.into()].into_iter().chain(costs).collect()
    };
    let basis = report.basis_of("initial_tokens");
    let names = report.strategies.iter().map(|strategy| Column::figures(&*strategy.name, basis));
    Sheet {
        title: "Tokens of each tool: listed + learned alone (●: used above)".to_owned(),
        columns: [Column::words("tool")].into_iter().chain(names).collect(),
        rows: report.per_tool.iter().map(row).collect(),
    }
}

/// The first lines of a report.
pub(super) fn heading(report: &Report) -> String {
    let used = match report.used.len() {
        0 => "none used".to_owned(),
        count if count <= 4 => format!("used: {}", report.used.join(", ")),
        count => format!("{count} used: {}, …", report.used[..3].join(", ")),
    };
    format!("{}: {}, {used}; tokens by {}", report.source, of(report.tools, "tool"), report.tokenizer)
}

/// The explanation of the marks.
pub(super) const LEGEND: &str = "ᵐ measured on real connections, ᶜ computed from that, ᵉ estimated. start: instructions and listed tools. \
     learning: requests and answers until the used tools can be called. saved: share of the total of full. break-even: \
     the number of used tools from which a strategy costs more than full. native: the total of a client that negotiates \
     the strategy; all other figures are those of an ordinary host, whose model can use tools only.";

fn detailed(report: &Report) -> impl Iterator<Item = (&Compared, &Detail)> {
    report.strategies.iter().filter_map(|strategy| Some((strategy, strategy.detail.as_ref()?)))
}

fn tokens(tokens: Option<u64>) -> Cell {
    Cell::number(known(tokens), tokens.map(|tokens| tokens as f64))
}

fn break_even(strategy: &Compared) -> Cell {
    let text = match (strategy.break_even_tools, strategy.discovery_tokens) {
        (Some(tools), _) => grouped(tools as u64),
        (None, None) => "unknown".to_owned(),
        (None, Some(_)) => "never".to_owned(),
    };
    Cell::number(text, strategy.break_even_tools.map(|tools| tools as f64))
}

fn behaved(behaviour: &Behaviour) -> String {
    let trips = match behaviour.extra_trips {
        0 => of(behaviour.trips, "trip"),
        extra => format!("{} (+{extra})", of(behaviour.trips, "trip")),
    };
    let errors = match behaviour.errors.len() {
        0 => String::new(),
        count => format!(", {}", of(count, "error")),
    };
    let end = match (behaviour.succeeded, behaviour.recovered) {
        (true, true) => ", recovers",
        (true, false) => "",
        (false, _) => ", fails",
    };
    format!("{trips}{errors}{end}; {} tokens", grouped(behaviour.tokens))
}

fn time(spread: Spread) -> Cell {
    let [median, least, most] = [spread.median, spread.least, spread.most].map(milliseconds);
    Cell::number(format!("{median} ({least}–{most})"), spread.median)
}
