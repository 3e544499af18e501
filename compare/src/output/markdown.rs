//! Tables in Markdown.

use mcp_disclosure_core::printable::one_line;

use super::{sheet::Sheet, sheets};
use crate::{Report, transcript::escaped};

pub(super) fn write(report: &Report, detail: bool) -> String {
    let mut text = format!("## {}\n", escaped(&sheets::heading(report)));
    text.push_str(&format!("\n{}\n", escaped(&report.recommendation.sentence())));
    if let Some(command) = &report.recommendation.command {
        text.push_str(&format!("\n    {}\n", one_line(command)));
    }
    for sheet in super::chosen(report, detail) {
        text.push_str(&format!("\n**{}**\n\n{}", sheet.title, table(&sheet)));
    }
    text.push('\n');
    for note in &report.notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    let legend = sheets::LEGEND.map(|(name, meaning)| format!("{name}: {meaning}"));
    text.push_str(&format!("\n{}.\n", legend.join("; ")));
    text
}

fn table(sheet: &Sheet) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let titles = line(sheet.columns.iter().map(|column| escaped(&column.title)).collect());
    let sides = sheet.columns.iter().map(|column| if column.is_figure { "---:" } else { "---" }.to_owned());
    let rows = sheet.rows.iter().enumerate().map(|(at, row)| {
        let mut cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        if sheet.recommended == Some(at) {
            cells[0] = format!("**{}**", cells[0]);
        }
        line(cells)
    });
    [titles, line(sides.collect())].into_iter().chain(rows).collect()
}
