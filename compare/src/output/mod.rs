//! Output of a report in one of four formats.

mod html;
mod markdown;
mod sheet;
mod sheets;
mod terminal;

use mcp_disclosure_core::printable::printable;

use self::sheet::Sheet;
use crate::Report;

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
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
    /// Writes a report. With `detail`, tables and JSON include the details of the figures; a page always does.
    pub fn write(self, report: &Report, detail: bool, screen: Screen) -> String {
        let text = match self {
            // Its texts are escaped already, and its colours are not.
            Self::Table => return terminal::write(report, detail, screen),
            Self::Markdown => markdown::write(report, detail),
            Self::Html => page(report, None),
            Self::Json => {
                let shown = if detail { report.clone() } else { report.without_detail() };
                // All maps of a report have string keys, and all numbers are finite.
                let mut text = serde_json::to_string_pretty(&shown).unwrap_or_default();
                text.push('\n');
                text
            }
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
    /// Whether to show all columns, whatever the width.
    pub wide: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Self { width: 80, coloured: false, wide: false }
    }
}

/// The page of a report. `transcripts` is ready HTML, in which whatever came from others is escaped; it becomes a section
/// of the page, whose CSS variables (`--text`, `--faint`, `--panel`, `--rule`, `--accent`) it can use.
pub fn page(report: &Report, transcripts: Option<&str>) -> String {
    printable(&html::write(report, transcripts)).into_owned()
}

/// The sheets of a table or of Markdown.
fn chosen(report: &Report, detail: bool) -> Vec<Sheet> {
    let first = [sheets::overview, sheets::retrieval];
    let more = [sheets::parts, sheets::steps];
    let more = if detail { &more[..] } else { &[] };
    let chosen = first.iter().chain(more).map(|sheet| sheet(report));
    chosen.filter(|sheet| !sheet.rows.is_empty()).collect()
}
