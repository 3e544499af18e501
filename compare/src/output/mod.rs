//! Output of a report in one of four formats.

pub(crate) mod html;
mod tables;
mod terminal;

use mcp_disclosure_core::printable::{one_line, printable};
use serde_json::Value;

use self::tables::Table;
use crate::{
    Report,
    text::escaped,
    transcript::{self, Transcript},
};

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// For a terminal.
    #[default]
    Table,
    /// The JSON report of docs/CONTRACT.md, for programs.
    Json,
    /// Tables in GitHub Flavored Markdown.
    Markdown,
    /// One page, which loads nothing.
    Html,
}

impl Format {
    /// Writes a report. With `detail`, tables and JSON include the details of the figures; a page always does, and
    /// shows how its task was `played`.
    pub fn write(self, report: &Report, detail: bool, played: &Transcript, screen: Screen) -> String {
        let text = match self {
            // Its texts are escaped already, and its colours are not.
            Self::Table => return terminal::write(report, detail, screen),
            Self::Markdown => markdown(report, detail),
            Self::Html => html::write(report, played),
            Self::Json => json(report, detail),
        };
        printable(&text).into_owned()
    }

    /// Writes a transcript; on a screen that shows everything, with complete texts.
    pub fn write_transcript(self, transcript: &Transcript, screen: Screen) -> String {
        let text = match self {
            Self::Table => return transcript::terminal(transcript, screen),
            Self::Markdown => transcript::markdown(transcript, screen.whole),
            Self::Html => transcript::page(transcript),
            // All maps of a transcript have string keys, and all numbers are whole.
            Self::Json => serde_json::to_string_pretty(transcript).unwrap_or_default() + "\n",
        };
        printable(&text).into_owned()
    }
}

/// A terminal.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// The width in columns.
    pub width: usize,
    /// Whether to use colours.
    pub coloured: bool,
    /// Whether to show everything: all columns of a table whatever the width, and complete texts of a transcript.
    pub whole: bool,
}

/// Codes of "select graphic rendition".
pub(crate) const BOLD: &str = "1";
pub(crate) const FAINT: &str = "2";

impl Screen {
    /// A text in the rendition of this code.
    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn json(report: &Report, detail: bool) -> String {
    // All maps of a report have string keys, and all numbers are finite.
    let mut shown = serde_json::to_value(report).unwrap_or_default();
    if !detail {
        let strategies = shown["strategies"].as_array_mut().into_iter().flatten();
        strategies.filter_map(Value::as_object_mut).for_each(|strategy| drop(strategy.remove("detail")));
    }
    format!("{shown:#}\n")
}

/// The tables of a terminal or of Markdown.
fn chosen(report: &Report, detail: bool) -> Vec<Table> {
    let first = [tables::overview, tables::retrieval];
    let more = [tables::parts, tables::steps];
    let more = if detail { &more[..] } else { &[] };
    let chosen = first.iter().chain(more).map(|table| table(report));
    chosen.filter(|table| !table.rows.is_empty()).collect()
}

/// Tables in Markdown.
fn markdown(report: &Report, detail: bool) -> String {
    let mut text = format!("## {}\n", escaped(&tables::heading(report)));
    text.push_str(&format!("\n{}\n", escaped(&report.recommendation.sentence())));
    text.push_str(&format!("\n    {}\n", one_line(&report.recommendation.command)));
    for table in chosen(report, detail) {
        text.push_str(&format!("\n**{}**\n\n{}", table.title, markdown_table(&table)));
    }
    text.push('\n');
    for note in &report.notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    let legend = tables::LEGEND.map(|(name, meaning)| format!("{name}: {meaning}"));
    text.push_str(&format!("\n{}.\n", legend.join("; ")));
    text
}

fn markdown_table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let titles = line(table.columns.iter().map(|column| escaped(&column.title)).collect());
    let sides = table.columns.iter().map(|column| if column.is_figure { "---:" } else { "---" }.to_owned());
    let rows = table.rows.iter().enumerate().map(|(at, row)| {
        let mut cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        if table.recommended == Some(at) {
            cells[0] = format!("**{}**", cells[0]);
        }
        line(cells)
    });
    [titles, line(sides.collect())].into_iter().chain(rows).collect()
}
