//! A report on a terminal: tables, or blocks where there is no room for one.

use mcp_disclosure_core::printable::one_line;

use super::{
    Screen, chosen,
    tables::{self, Table},
};
use crate::{
    Report,
    text::{hung, wrapped},
};

/// From this width on all columns are shown that fit.
const WIDE: usize = 100;

/// Notes below the tables, with the line that says what figures are.
const MOST_NOTES: usize = 3;

/// Between two columns.
const GAP: usize = 2;

/// How the recommended row is shown: bold, and green.
const RECOMMENDED: &str = "1;32";

pub(super) fn write(report: &Report, detail: bool, screen: Screen) -> String {
    // Names of others begin no line.
    let mut lines = hung("", GAP, &one_line(&tables::heading(report)), screen.width);
    lines.push(String::new());
    lines.extend(wrapped(&one_line(&report.recommendation.sentence()), screen.width));
    // Not wrapped: it is there to be copied.
    lines.push(format!("  {}", one_line(&report.recommendation.command)));
    for table in chosen(report, detail) {
        lines.push(String::new());
        lines.extend(wrapped(&table.title, screen.width));
        lines.extend(drawn(&table, screen));
    }
    lines.push(String::new());
    for note in notes(report, detail, screen) {
        lines.extend(hung("", GAP, &one_line(&note), screen.width));
    }
    lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// The notes, or the first of them, and what the columns are.
fn notes(report: &Report, detail: bool, screen: Screen) -> Vec<String> {
    let mut notes = report.notes.clone();
    if notes.len() >= MOST_NOTES && !detail {
        let left = notes.split_off(MOST_NOTES - 2).len();
        notes.push(format!("{left} more notes: --detail."));
    }
    let tables = chosen(report, detail);
    let is_whole = tables.iter().all(|table| is_whole(table, screen));
    let columns = tables.iter().flat_map(|table| &table.columns).filter(|column| is_whole || column.is_basic);
    let titles: Vec<&str> = columns.map(|column| column.title.trim_end_matches('*')).collect();
    let is_shown = |name: &str| titles.iter().any(|title| title.ends_with(name));
    let columns = tables::LEGEND.iter().filter(|(name, _)| is_shown(name));
    let columns: Vec<String> = columns.map(|(name, meaning)| format!("{name}: {meaning}")).collect();
    let more = if is_whole { "" } else { " More columns: --wide." };
    notes.push(format!("{}.{more}", columns.join("; ")));
    notes
}

/// The table with all columns if it is wanted wide or there is room for them, else with the basic ones, and in blocks where
/// not even these have room.
fn drawn(table: &Table, screen: Screen) -> Vec<String> {
    let basic = table.basic();
    if is_whole(table, screen) {
        lines_of(table, screen)
    } else if fits(&basic, screen) {
        lines_of(&basic, screen)
    } else {
        blocks(&basic, screen)
    }
}

/// Whether all columns of a table are shown.
fn is_whole(table: &Table, screen: Screen) -> bool {
    screen.whole || (screen.width >= WIDE && fits(table, screen))
}

fn fits(table: &Table, screen: Screen) -> bool {
    widths(table).iter().sum::<usize>() <= screen.width
}

/// The width of each column, with the gap or the mark before it.
fn widths(table: &Table) -> Vec<usize> {
    let width = |at: usize| {
        let cells = table.rows.iter().map(|row| length(&row[at]));
        cells.chain([length(&table.columns[at].title)]).max().unwrap_or(0)
    };
    (0..table.columns.len()).map(|at| GAP + width(at)).collect()
}

fn lines_of(table: &Table, screen: Screen) -> Vec<String> {
    let widths = widths(table);
    let line = |cells: &mut dyn Iterator<Item = &str>, mark: &str| {
        let columns = table.columns.iter().zip(&widths).enumerate();
        let padded = columns.zip(cells).map(|((at, (column, width)), cell)| {
            let cell = one_line(cell);
            let space = " ".repeat(width - GAP - length(&cell));
            let before = if at == 0 { mark } else { "  " };
            if column.is_figure { format!("{before}{space}{cell}") } else { format!("{before}{cell}{space}") }
        });
        padded.collect::<String>()
    };
    let mut lines = vec![line(&mut table.columns.iter().map(|column| column.title.as_str()), "  ")];
    lines.push("─".repeat(widths.iter().sum()));
    for (at, row) in table.rows.iter().enumerate() {
        let is_recommended = table.recommended == Some(at);
        let text = line(&mut row.iter().map(String::as_str), if is_recommended { "▸ " } else { "  " });
        lines.push(painted(&text, is_recommended, screen));
    }
    lines
}

/// Each row as its name and, below it, its figures.
fn blocks(table: &Table, screen: Screen) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, row) in table.rows.iter().enumerate() {
        let is_recommended = table.recommended == Some(at);
        let mark = if is_recommended { "▸ " } else { "  " };
        let name = wrapped(&one_line(&row[0]), screen.width - GAP);
        lines.extend(name.iter().map(|name| painted(&format!("{mark}{name}"), is_recommended, screen)));
        let mut figures = String::new();
        for (column, cell) in table.columns.iter().zip(row).skip(1) {
            // What costs more says so itself.
            let title = if cell.starts_with("costs ") { "" } else { column.title.as_str() };
            let figure = format!("{title} {}", one_line(cell)).trim_start().to_owned();
            if !figures.is_empty() && 2 * GAP + length(&figures) + length(&figure) + 3 > screen.width {
                lines.push(format!("    {},", std::mem::take(&mut figures)));
            }
            let between = if figures.is_empty() { "" } else { ", " };
            figures.push_str(&format!("{between}{figure}"));
        }
        lines.push(format!("    {figures}"));
    }
    lines
}

fn painted(text: &str, is_recommended: bool, screen: Screen) -> String {
    if is_recommended { screen.paint(RECOMMENDED, text.trim_end()) } else { text.to_owned() }
}

fn length(text: &str) -> usize {
    one_line(text).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tables::Column;

    fn table(name: &str) -> Table {
        let columns = [Column::words("strategy"), Column::figures("start"), Column::figures("trips").more()];
        let row = |name: &str| vec![name.to_owned(), "1,234".to_owned(), "4".to_owned()];
        Table {
            columns: columns.into(),
            rows: vec![row("full"), row(name)],
            recommended: Some(1),
            ..Table::default()
        }
    }

    fn screen(width: usize) -> Screen {
        Screen { width, coloured: false, whole: false }
    }

    #[test]
    fn columns_are_those_that_have_room() {
        let all = [
            "  strategy  start  trips",
            "────────────────────────",
            "  full      1,234      4",
            "▸ search    1,234      4",
        ];
        assert_eq!(drawn(&table("search"), screen(100)), all);
        assert_eq!(drawn(&table("search"), Screen { whole: true, ..screen(10) }), all);
        assert_eq!(drawn(&table("search"), screen(80))[3], "▸ search    1,234");
        assert_eq!(
            drawn(&table("concerns+search"), screen(20)),
            ["  full", "    start 1,234", "▸ concerns+search", "    start 1,234"]
        );
        let coloured = Screen { coloured: true, ..screen(80) };
        assert_eq!(drawn(&table("search"), coloured)[3], "\u{1b}[1;32m▸ search    1,234\u{1b}[0m");
        assert!(!drawn(&table("search"), coloured)[2].contains('\u{1b}'));
    }
}
