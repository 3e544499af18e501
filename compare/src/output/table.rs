//! Tables for a terminal.

use comfy_table::{
    Cell as TableCell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};

use mcp_disclosure_core::printable::one_line;

use super::{sheet::Sheet, sheets};
use crate::Report;

/// Maximum length of a line.
const WIDTH: u16 = 100;

/// Ruled above, below the header and below.
const RULED: TableStyle = TableStyle::new()
    .top_border(LineStyle::none().fill('─').junction('─'))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .bottom_border(LineStyle::none().fill('─').junction('─'));

pub(super) fn write(report: &Report, detail: bool) -> String {
    let mut text = wrapped(&sheets::heading(report));
    text.push_str(&format!("\n\n{}\n", wrapped(&report.recommendation.sentence())));
    if let Some(command) = &report.recommendation.command {
        // Not wrapped: it is there to be copied.
        text.push_str(&format!("  {}\n", one_line(command)));
    }
    for sheet in super::chosen(report, detail) {
        let table = drawn(&sheet, RULED, true).to_string();
        let lines: Vec<&str> = table.lines().map(str::trim_end).collect();
        text.push_str(&format!("\n{}\n{}\n", wrapped(&sheet.title), lines.join("\n")));
    }
    text.push('\n');
    for line in report.notes.iter().map(String::as_str).chain([sheets::LEGEND]) {
        text.push_str(&wrapped(line));
        text.push('\n');
    }
    text
}

/// The table of a sheet in one of comfy-table's styles; for a terminal, within its width.
pub(super) fn drawn(sheet: &Sheet, style: TableStyle, for_terminal: bool) -> Table {
    let mut table = Table::new();
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
    if for_terminal {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    }
    table.set_header(sheet.columns.iter().map(|column| TableCell::new(one_line(&column.marked()))));
    for row in &sheet.rows {
        let cells = row.iter().zip(&sheet.columns);
        table.add_row(cells.map(|(cell, column)| match column.basis {
            // What costs more says so in words, which would make the column as wide.
            Some(_) if for_terminal => {
                one_line(&cell.text).replace("costs ", "costs\n").replace(" more", "\nmore")
            }
            _ => one_line(&cell.text).into_owned(),
        }));
    }
    for (at, column) in sheet.columns.iter().enumerate() {
        if let (Some(_), Some(drawn)) = (column.basis, table.column_mut(at)) {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
        if let Some(drawn) = table.column_mut(at).filter(|_| for_terminal) {
            drawn.set_padding(if at + 1 < sheet.columns.len() { (0, 2) } else { (0, 0) });
            if at == 0 || column.basis.is_some() {
                // Better a long line than names and figures in pieces.
                drawn.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    table
}

/// A paragraph, wrapped to the width.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + 1 + word.chars().count() > usize::from(WIDTH) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}
