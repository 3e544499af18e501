//! Tables in Markdown.

use comfy_table::presets;
use mcp_disclosure_core::printable::one_line;

use super::{sheets, table::drawn};
use crate::Report;

pub(super) fn write(report: &Report, detail: bool) -> String {
    let mut text = format!("## {}\n", escaped(&sheets::heading(report)));
    text.push_str(&format!("\n{}\n", escaped(&report.recommendation.sentence())));
    if let Some(command) = &report.recommendation.command {
        text.push_str(&format!("\n    {}\n", one_line(command)));
    }
    for mut sheet in super::chosen(report, detail) {
        let cells = sheet.rows.iter_mut().flatten();
        cells.for_each(|cell| cell.text = escaped(&cell.text));
        sheet.columns.iter_mut().for_each(|column| column.title = escaped(&column.title));
        text.push_str(&format!(
            "\n**{}**\n\n{}\n",
            sheet.title,
            drawn(&sheet, presets::ASCII_MARKDOWN, false)
        ));
    }
    text.push('\n');
    for note in &report.notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    text.push_str(&format!("\n{}\n", sheets::LEGEND));
    text
}

/// Names are untrusted, and must not become markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            '|' | '<' | '`' | '*' | '[' | '\\' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}
