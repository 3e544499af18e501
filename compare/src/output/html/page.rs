//! The page: what each strategy costs, one task step by step, and behind them what figures are made of.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{bars, tables};
use crate::{Report, number::of, output::sheets, transcript};

const STYLE: &str = include_str!("style.css");

/// Nothing can be loaded from anywhere, whatever the names of tools contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

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
                style { (PreEscaped(STYLE)) @if transcripts.is_some() { (PreEscaped(transcript::style(report.strategies.len()))) } }
            }
            body {
                header { (heading(report)) }
                main {
                    section aria-labelledby="costs" { (costs(report)) }
                    @if !report.retrieval.is_empty() {
                        section aria-labelledby="finds" { (retrieval(report)) }
                    }
                    @if let Some(transcripts) = transcripts {
                        section.transcripts aria-labelledby="plays" {
                            h2 #plays { "One task, step by step" }
                            (PreEscaped(transcripts))
                        }
                    }
                    (behind(report))
                }
                footer {
                    "Written by mcp-disclosure " (env!("CARGO_PKG_VERSION"))
                    " from the messages of real connections. No tool was run unless a note says so."
                }
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
        p.lead { (sheet.title) ". " span.keys { i.key.start {} " start" } " " span.keys { i.key.learning {} " learning" } }
        (tables::blocks(&sheet, Some(("start and learning", &bars::totals(report)))))
        @if let Some(note) = marks(report) { p.lead { (note) } }
    }
}

/// The explanation of a mark in the first table, if there is one.
fn marks(report: &Report) -> Option<&'static str> {
    let is_marked = report.strategies.iter().any(|strategy| strategy.not_offered.is_some());
    is_marked.then_some("† serve would not offer it for this source; the notes say why.")
}

fn retrieval(report: &Report) -> Markup {
    let sheet = sheets::retrieval(report);
    html! {
        h2 #finds { "How well it finds tools" }
        p.lead { (sheet.title) "." }
        (tables::blocks(&sheet, None))
    }
}

/// What figures are made of, folded.
fn behind(report: &Report) -> Markup {
    let sheets = [sheets::parts, sheets::steps].map(|sheet| sheet(report));
    html! {
        @if !report.notes.is_empty() {
            section.notes aria-labelledby="notes" {
                h2 #notes { "Notes" }
                ul { @for note in &report.notes { li { (note) } } }
            }
        }
        details {
            summary { "What the figures are made of" }
            p.lead { "All but shares and turns are counted from the messages of real connections. A model sees "
                (report.host.members()) "." }
            dl { @for (name, meaning) in sheets::LEGEND { dt { (name) } dd { (meaning) } } }
            @for sheet in sheets.iter().filter(|sheet| !sheet.rows.is_empty()) {
                h3 { (sheet.title) }
                (tables::table(sheet))
            }
        }
    }
}
