//! One HTML page without external resources, for wide and narrow screens, paper, light and dark.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::tables::{self, Column, Table};
use crate::{
    Report,
    report::Compared,
    text::of,
    transcript::{self, Transcript},
};

const STYLE: &str = include_str!("style.css");

/// Nothing can be loaded from anywhere, whatever the names of tools contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// What each strategy costs, one task step by step, and behind them what the figures are made of.
pub(super) fn write(report: &Report, played: &Transcript) -> String {
    let title = format!("{}: strategies of disclosure compared", report.source);
    let style = transcript::style(played.strategies.len());
    let body = html! {
        header { (heading(report)) }
        main {
            section aria-labelledby="costs" { (costs(report)) }
            @if !report.retrieval.is_empty() {
                section aria-labelledby="finds" { (retrieval(report)) }
            }
            @if !played.task.calls.is_empty() {
                section aria-labelledby="plays" {
                    h2 #plays { "One task, step by step" }
                    (transcript::fragment(played, &report.recommendation.strategy, true))
                }
            }
            (behind(report))
        }
        footer {
            "Written by mcp-disclosure " (env!("CARGO_PKG_VERSION"))
            " from the messages of real connections. No tool was run."
        }
    };
    page(&title, &style, &body)
}

/// A page with this title; `more` are styles beside those of every page.
pub(crate) fn page(title: &str, more: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(more)) }
            }
            body { (body) }
        }
    };
    page.into_string()
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
        pre.command tabindex="0" { code { (recommendation.command) } }
    }
}

fn costs(report: &Report) -> Markup {
    let table = tables::overview(report);
    html! {
        h2 #costs { "What it costs" }
        p.lead { (table.title) ". " span.keys { i.key.start {} " start" } " " span.keys { i.key.learning {} " learning" } }
        (blocks(&table, Some(("start and learning", &bars(report)))))
        @if report.strategies.iter().any(|strategy| strategy.not_offered.is_some()) {
            p.lead { "† serve would not offer it for this source; the notes say why." }
        }
    }
}

fn retrieval(report: &Report) -> Markup {
    let table = tables::retrieval(report);
    html! {
        h2 #finds { "How well it finds tools" }
        p.lead { (table.title) "." }
        (blocks(&table, None))
    }
}

/// What figures are made of, folded.
fn behind(report: &Report) -> Markup {
    let more = [tables::parts, tables::steps].map(|table| table(report));
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
            dl { @for (name, meaning) in tables::LEGEND { dt { (name) } dd { (meaning) } } }
            @for table in more.iter().filter(|table| !table.rows.is_empty()) {
                h3 { (table.title) }
                (blocks(table, None))
            }
        }
    }
}

/// A bar for each strategy, in their order: start and learning, beside those of the others.
fn bars(report: &Report) -> Vec<Markup> {
    let whole =
        |strategy: &Compared| strategy.costs.initial_tokens + strategy.costs.discovery_tokens.unwrap_or(0);
    let most = report.strategies.iter().map(whole).max().unwrap_or(0).max(1) as f64;
    let percent = |tokens: u64| format!("{:.2}%", tokens as f64 / most * 100.0);
    let bar = |strategy: &Compared| {
        let start = percent(strategy.costs.initial_tokens);
        html! {
            // The figures beside it say the same.
            svg.bar aria-hidden="true" {
                rect.start height="100%" width=(start) {}
                @if let Some(learning) = strategy.costs.discovery_tokens {
                    rect.learning height="100%" x=(start) width=(percent(learning)) {}
                }
            }
        }
    };
    report.strategies.iter().map(bar).collect()
}

/// A table that is scrolled sideways where it is wider than the page, and whose rows become blocks where there is no room
/// for a line. `bars` is the title of a column behind the name,
/// and what stands there. Roles are given, since blocks are not read as a table.
fn blocks(table: &Table, bars: Option<(&str, &[Markup])>) -> Markup {
    let bar = |row: usize| bars.and_then(|(_, bars)| bars.get(row));
    html! {
        div.scrolls tabindex="0" role="region" aria-label=(table.title) { table.blocks role="table" {
            thead role="rowgroup" {
                tr role="row" {
                    @for (at, column) in table.columns.iter().enumerate() {
                        th role="columnheader" scope="col" class=[class(column)] { (column.title) }
                        @if let (0, Some((bars, _))) = (at, bars) { th.wide role="columnheader" scope="col" { (bars) } }
                    }
                }
            }
            tbody role="rowgroup" {
                @for (number, row) in table.rows.iter().enumerate() {
                    tr.recommended[table.recommended == Some(number)] role="row" {
                        @for (at, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
                            @if at == 0 {
                                th role="rowheader" scope="row" { (cell) }
                                @if let Some(bar) = bar(number) { td.wide role="cell" { (bar) } }
                            } @else {
                                td role="cell" class=[class(column)] data-label=(column.title) { (cell) }
                            }
                        }
                    }
                }
            }
        } }
    }
}

fn class(column: &Column) -> Option<&'static str> {
    column.is_figure.then_some("figure")
}
