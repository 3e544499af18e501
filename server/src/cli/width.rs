//! The width of what is printed.

use std::{borrow::Cow, env};

use console::{Term, measure_text_width, truncate_str};

/// The width where nothing says it.
const USUAL: u16 = 100;

/// Narrower ones have no room for what is printed.
const NARROWEST: u16 = 40;

/// The columns of the terminal on stdout, else those that `COLUMNS` says; none if neither is known.
pub(crate) fn known() -> Option<u16> {
    let said = || env::var("COLUMNS").ok()?.parse().ok();
    columns_of(&Term::stdout())
        .or_else(said)
        .filter(|columns| *columns > 0)
        .map(|columns| columns.max(NARROWEST))
}

/// The columns that tables and texts fill.
pub(crate) fn width() -> u16 {
    known().unwrap_or(USUAL)
}

fn columns_of(terminal: &Term) -> Option<u16> {
    terminal.size_checked().map(|(_, columns)| columns)
}

/// A line, broken at spaces where it is longer than the known width. What follows is indented by `hanging` columns. Longer
/// words, such as paths, stay whole; colours take no columns.
pub(crate) fn folded(line: &str, hanging: usize) -> String {
    match known() {
        Some(width) => folded_to(line, hanging, usize::from(width)),
        None => line.to_owned(),
    }
}

/// A line for stderr, broken as others are if that is a terminal.
pub(crate) fn folded_on_stderr(line: &str) -> String {
    match columns_of(&Term::stderr()) {
        Some(columns) => folded_to(line, 2, usize::from(columns.max(NARROWEST))),
        None => line.to_owned(),
    }
}

/// As much of a line as a terminal on stderr shows in one, so that another can take its place.
pub(crate) fn cut_on_stderr(line: &str) -> Cow<'_, str> {
    let columns = columns_of(&Term::stderr()).unwrap_or_else(width);
    truncate_str(line, usize::from(columns) - 1, "")
}

/// Lines, each indented by two columns more where it goes on.
pub(crate) fn folded_text(text: &str) -> String {
    text.split_inclusive('\n').map(|line| folded(line, indentation(line) + 2)).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn folded_to(line: &str, hanging: usize, width: usize) -> String {
    let (start, rest) = line.split_at(indentation(line));
    let (mut folded, mut used) = (start.to_owned(), start.len());
    for (at, word) in rest.split(' ').enumerate() {
        let columns = measure_text_width(word.trim_end_matches('\n'));
        if at > 0 && used + 1 + columns > width {
            // Further to the left, if only there is room for the whole word.
            used = if columns <= width { hanging.min(width - columns) } else { hanging };
            folded.push('\n');
            folded.extend(std::iter::repeat_n(' ', used));
        } else if at > 0 {
            folded.push(' ');
            used += 1;
        }
        folded.push_str(word);
        used += columns;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w3_lines_are_broken_at_spaces_and_go_on_indented() {
        assert_eq!(folded_to("  one two three", 4, 9), "  one two\n    three");
        assert_eq!(folded_to("a /very/long/path/stays b\n", 2, 10), "a\n  /very/long/path/stays\n  b\n");
        assert_eq!(folded_to("a bb length-10 b", 3, 11), "a bb\n  length-10\n   b");
        assert_eq!(folded_to("name      what  it is", 10, 17), "name      what \n          it is");
        assert_eq!(folded_to("\u{1b}[1mbold\u{1b}[0m and", 2, 8), "\u{1b}[1mbold\u{1b}[0m and");
    }
}
