//! The page.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{bars, lines, tables::table};
use crate::{
    Basis, Report,
    number::{grouped, of},
    output::sheets,
};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

/// Nothing can be loaded from anywhere, whatever the names of tools contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

pub(super) fn page(report: &Report) -> Markup {
    let title = format!("{}: strategies of disclosure compared", report.source);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (heading(report)) }
                main {
                    section { (table(&sheets::overview(report), false)) (legend()) }
                    (figure("Tokens by the number of tools used", &growth_caption(report), &lines::growth(report)))
                    div.pair {
                        (figure(
                            "The model's context",
                            "Tokens of listed tools, of required resources, and of instructions; then with learning.",
                            &bars::tokens(report),
                        ))
                        (figure("Trips and times", &times_caption(report), &bars::trips_and_times(report)))
                    }
                    section {
                        h2 { "Behaviour of models" }
                        p.lead {
                            "The same task by a model that follows the workflow, by one that fetches everything \
                             first, and by one that calls without learning. Trips, errors, tokens."
                        }
                        (table(&sheets::habits(report), false))
                    }
                    section {
                        h2 { "Details of the figures" }
                        (titled(&sheets::parts(report)))
                        (titled(&sheets::times(report)))
                    }
                    @if !report.per_tool.is_empty() {
                        section {
                            h2 { "Each tool" }
                            p.lead { "Tokens in the list + tokens to learn it alone. ●: used above. Click a heading to sort." }
                            (table(&sheets::per_tool(report), true))
                        }
                    }
                    @if !report.notes.is_empty() {
                        section.notes {
                            h2 { "Notes" }
                            ul { @for note in &report.notes { li { (note) } } }
                        }
                    }
                }
                footer {
                    "Written by mcp-disclosure " (env!("CARGO_PKG_VERSION"))
                    " from the messages of real connections. No tool was run unless a note says so."
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// The subject, and the result in one sentence.
fn heading(report: &Report) -> Markup {
    let cheapest = report.strategies.iter().filter_map(|strategy| Some((strategy, strategy.total_tokens?)));
    let cheapest = cheapest.min_by_key(|(_, tokens)| *tokens);
    let full = report.strategies.first();
    html! {
        h1 { (report.source) }
        p {
            (of(report.tools, "tool")) ", used: "
            @for (at, name) in report.used.iter().enumerate() { @if at > 0 { ", " } code { (name) } }
            @if report.used.is_empty() { "none" }
            ". Tokens by " (report.tokenizer) "."
        }
        @if let (Some((best, tokens)), Some(full)) = (cheapest, full) {
            p.result {
                @if best.name == full.name {
                    "No strategy costs less here than " strong { (full.name) } ": " (grouped(tokens)) " tokens."
                } @else {
                    strong { (grouped(full.initial_tokens)) } " tokens without disclosure, "
                    strong { (grouped(tokens)) } " under " strong { (best.name) }
                    " until the used tools can be called."
                }
            }
        }
    }
}

fn legend() -> Markup {
    html! {
        p.legend {
            @for basis in [Basis::Measured, Basis::Computed, Basis::Estimated] {
                span { (basis.mark()) " " (basis) }
            }
        }
        dl.legend {
            dt { "start" } dd { "listed tools, resources where needed, instructions" }
            dt { "learning" } dd { "requests and answers until the used tools can be called" }
            dt { "turns" } dd { "everything sent again with each request to the model, including those of learning" }
            dt { "break-even" } dd { "the number of used tools from which it costs more than full" }
        }
    }
}

fn figure(title: &str, caption: &str, plot: &Markup) -> Markup {
    html! {
        figure {
            h2 { (title) }
            figcaption { (caption) }
            (plot)
        }
    }
}

fn titled(sheet: &crate::output::sheet::Sheet) -> Markup {
    html! { h3 { (sheet.title) } (table(sheet, false)) }
}

fn growth_caption(report: &Report) -> String {
    let losing = report.strategies.iter().filter_map(|strategy| {
        Some(format!("{} from {} on", strategy.name, of(strategy.break_even_tools?, "tool")))
    });
    let losing: Vec<String> = losing.collect();
    match losing.as_slice() {
        [] => "Start and learning together. No strategy costs more than full with any number of tools."
            .to_owned(),
        losing => format!("Start and learning together. More than full (circles): {}.", losing.join(", ")),
    }
}

fn times_caption(report: &Report) -> String {
    format!(
        "Requests from handshake to last call; milliseconds over {}, median of {}.",
        report.transport,
        of(report.repeats, "connection")
    )
}
