//! The page: what each strategy costs and what it does first, the plot, and behind them what figures are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{bars, lines, tables};
use crate::{
    Basis, Report,
    number::of,
    output::{sheet::Sheet, sheets},
    transcript,
};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// Nothing can be loaded from anywhere, whatever the names of tools contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

pub(super) fn page(report: &Report, transcripts: Option<&str>) -> Markup {
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
                style { (PreEscaped(STYLE)) @if transcripts.is_some() { (PreEscaped(transcript::STYLE)) } }
            }
            body {
                header { (heading(report)) }
                main {
                    section aria-labelledby="costs" { (costs(report)) }
                    section aria-labelledby="does" { (behaviour(report)) }
                    @if !report.retrieval.is_empty() {
                        section aria-labelledby="finds" { (retrieval(report)) }
                    }
                    @if let Some(transcripts) = transcripts {
                        section.transcripts aria-labelledby="plays" {
                            h2 #plays { "One task, step by step" }
                            (PreEscaped(transcripts))
                        }
                    }
                    section aria-labelledby="grows" { (growth(report)) }
                    (behind(report))
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

/// The subject, and the recommendation.
fn heading(report: &Report) -> Markup {
    let recommendation = &report.recommendation;
    html! {
        h1 { (report.source) }
        p.subject {
            (of(report.tools, "tool")) ", used: "
            @for (at, name) in report.used.iter().enumerate() { @if at > 0 { ", " } code { (name) } }
            @if report.used.is_empty() { "none" }
            ". Tokens by " (report.tokenizer) "."
        }
        p.result { "Use " strong { (recommendation.strategy) } ": " (recommendation.reason) "." }
        @if let Some(command) = &recommendation.command {
            pre.command tabindex="0" { code { (command) } }
        }
    }
}

fn costs(report: &Report) -> Markup {
    let sheet = sheets::overview(report);
    html! {
        h2 #costs { "What it costs" }
        p.lead { (sheet.title) ". " i.key.start {} " start " i.key.learning {} " learning" }
        (tables::blocks(&sheet, Some(("start and learning", &bars::totals(report)))))
        @if let Some(note) = marks(report) { p.lead { (note) } }
    }
}

/// The explanation of a mark in the first table, if there is one.
fn marks(report: &Report) -> Option<&'static str> {
    let is_marked = report.strategies.iter().any(|strategy| strategy.not_offered.is_some());
    is_marked.then_some("† serve would not offer it for this source; the notes say why.")
}

fn behaviour(report: &Report) -> Markup {
    html! {
        h2 #does { "What it does to a model" }
        p.lead {
            "The same task by a model that follows the workflow, by one that fetches everything first, and by one that "
            "calls at once and guesses arguments. –: it does not apply."
        }
        (tables::blocks(&sheets::habits(report), None))
    }
}

fn retrieval(report: &Report) -> Markup {
    let sheet = sheets::retrieval(report);
    html! {
        h2 #finds { "How well it finds tools" }
        p.lead { (sheet.title) "." }
        (tables::blocks(&sheet, None))
    }
}

fn growth(report: &Report) -> Markup {
    html! {
        h2 #grows { "Tokens by the number of tools used" }
        p.lead { (growth_caption(report)) }
        (lines::growth(report))
    }
}

/// What figures are made of, folded.
fn behind(report: &Report) -> Markup {
    let sheets =
        [sheets::parts(report), sheets::times(report), sheets::steps(report), sheets::growth(report)];
    html! {
        @if !report.notes.is_empty() {
            section.notes aria-labelledby="notes" {
                h2 #notes { "Notes" }
                ul { @for note in &report.notes { li { (note) } } }
            }
        }
        details {
            summary { "What the figures are made of" }
            (legend(report))
            @for sheet in sheets.iter().filter(|sheet| !sheet.rows.is_empty()) { (titled(sheet, false)) }
        }
        @if !report.per_tool.is_empty() {
            details {
                summary { "Each tool: tokens in the list, and to learn it alone" }
                (titled(&sheets::per_tool(report), true))
            }
        }
    }
}

fn titled(sheet: &Sheet, sorts: bool) -> Markup {
    html! { h3 { (sheet.title) } (tables::table(sheet, sorts)) }
}

fn legend(report: &Report) -> Markup {
    html! {
        p.lead {
            @for basis in [Basis::Measured, Basis::Computed, Basis::Estimated] { (basis.mark()) " " (basis) ". " }
        }
        dl {
            dt { "start" } dd { "instructions and listed tools, of which a model sees " (report.host.members()) }
            dt { "learning" } dd { "requests and answers until the used tools can be called" }
            dt { "saved" } dd { "the share of the total of full" }
            dt { "turns" } dd { "everything sent again with each request to the model, including those of learning" }
            dt { "break-even" } dd { "the number of used tools from which it costs more than full" }
            dt { "trips" } dd { "every request, from the handshake to the last call" }
            dt { "native" } dd {
                "the total of a client that negotiates the strategy; all other figures are those of an ordinary host, "
                "whose model can use tools only"
            }
        }
    }
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
