//! What is new is put into the text of a `disclosure.toml`, and every other byte stays.
//!
//! The text is read for places and then spliced. `toml_edit` could print an edited document, but not headers with spaces
//! or line ends of Windows as they were.

use std::ops::Range;

use mcp_disclosure_gateway::Problem;
use toml_edit::{Document, Item, Key, Table, Value};

use super::wording;

/// A table of its own that an export writes: `[table.name]`, or an item of `[[table]]` with that name.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) table: String,
    /// Tables without a name are for new files alone.
    pub(super) name: Option<String>,
    pub(super) text: String,
}

/// The record that a section of `[tools]` gets, in place of the one that it has.
#[derive(Debug)]
pub(super) struct Record {
    /// The section's name.
    pub(super) section: String,
    /// The record, as TOML on one line.
    pub(super) made_from: String,
    /// The derived brief, where no other was decided on.
    pub(super) derived: Option<String>,
}

/// A configuration with those blocks at its end whose names it lacks.
///
/// # Errors
/// That a table is written in a form that nothing can be added to.
pub(super) fn with_blocks(existing: &str, blocks: &[Block]) -> Result<String, Problem> {
    let document = parse(existing)?;
    let mut text = existing.to_owned();
    for block in blocks {
        let Some(name) = block.name.as_deref().filter(|name| lacks(&document, &block.table, name)) else {
            continue;
        };
        match document.as_table().get(&block.table) {
            None | Some(Item::Table(_) | Item::ArrayOfTables(_)) => {}
            Some(_) => return Err(unusual(&block.table, &format!("so {name:?} cannot be added"))),
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&block.text);
    }
    Ok(like(existing, &text[..existing.len()], &text[existing.len()..]))
}

/// A configuration without these sections of `[tools]`. One that is written in another form than `[tools.NAME]` stays.
///
/// # Errors
/// That it is no TOML.
pub(super) fn without_sections(existing: &str, names: &[String]) -> Result<String, Problem> {
    let document = parse(existing)?;
    let body = existing.strip_prefix(MARK).unwrap_or(existing);
    let tools = document.as_table().get("tools").and_then(Item::as_table);
    let sections = names.iter().filter_map(|name| tools?.get(name)?.as_table());
    let mut spans: Vec<Range<usize>> = sections
        .filter(|section| !section.is_dotted() && !section.is_implicit())
        .filter_map(|section| {
            let start = line_start(body, section.span()?.start);
            // The blank line before it goes, too.
            let start = if body[..start].ends_with("\n\n") { start - 1 } else { start };
            Some(start..line_end(body, last_line(section)?))
        })
        .collect();
    spans.sort_by_key(|span| span.start);
    let mut text = body.to_owned();
    spans.into_iter().rev().for_each(|span| text.replace_range(span, ""));
    Ok(format!("{}{text}", &existing[..existing.len() - body.len()]))
}

/// Whether a table has no member, or a list no item, of this name.
fn lacks(document: &Document<&str>, table: &str, name: &str) -> bool {
    let is_it = |value: Option<&str>| value == Some(name);
    match document.as_table().get(table) {
        None => true,
        Some(Item::ArrayOfTables(list)) => {
            !list.iter().any(|item| is_it(item.get("name").and_then(Item::as_str)))
        }
        Some(Item::Value(Value::Array(list))) => {
            !list.iter().any(|item| is_it(item.as_inline_table().and_then(|item| item.get("name")?.as_str())))
        }
        Some(other) => other.as_table_like().is_none_or(|members| !members.contains_key(name)),
    }
}

/// A configuration with these records in its sections, and the sections that can hold none.
///
/// # Errors
/// That it is no TOML.
pub(super) fn with_records(existing: &str, records: &[Record]) -> Result<(String, Vec<String>), Problem> {
    let document = parse(existing)?;
    let body = existing.strip_prefix(MARK).unwrap_or(existing);
    let (mut splices, mut without) = (Vec::new(), Vec::new());
    for record in records {
        match splices_of(&document, body, record) {
            Some(new) => splices.extend(new),
            None => without.push(record.section.clone()),
        }
    }
    let splices = splices.into_iter().map(|(range, new)| (range, like(existing, "", &new))).collect();
    Ok((spliced(existing, splices), without))
}

/// A text with other texts in some places, which are counted behind its byte order mark.
pub(super) fn spliced(existing: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut text = existing.strip_prefix(MARK).unwrap_or(existing).to_owned();
    let mark = &existing[..existing.len() - text.len()];
    for (range, new) in splices.into_iter().rev() {
        text.replace_range(range, &new);
    }
    format!("{mark}{text}")
}

/// A configuration with a key before everything else.
pub(super) fn with_key(existing: &str, key: &str, said: &str) -> String {
    let body = existing.strip_prefix(MARK).unwrap_or(existing);
    // Editors look for it in the first line.
    let first =
        if body.starts_with("#:schema") { body.find('\n').map_or(body.len(), |at| at + 1) } else { 0 };
    let at = existing.len() - body.len() + first;
    let line = like(existing, "", &format!("{key} = {said:?}\n"));
    format!("{}{line}{}", &existing[..at], &existing[at..])
}

/// A byte order mark.
pub(super) const MARK: char = '\u{feff}';

pub(super) fn parse(text: &str) -> Result<Document<&str>, Problem> {
    Document::parse(text.strip_prefix(MARK).unwrap_or(text)).map_err(|error| Problem::new(error.message()))
}

/// A text, and another one with the line ends of `existing` behind it.
fn like(existing: &str, text: &str, new: &str) -> String {
    let new = if existing.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() };
    format!("{text}{new}")
}

pub(super) type Splice = (Range<usize>, String);

/// What to change for a record; `None` where the section is written in a form that nothing can be added to.
fn splices_of(document: &Document<&str>, text: &str, record: &Record) -> Option<Vec<Splice>> {
    let made_from = &record.made_from;
    match document.as_table().get("tools")?.as_table_like()?.get(&record.section)? {
        Item::Table(section) if section.contains_key(wording::MADE_FROM) => {
            let value = section.get(wording::MADE_FROM)?.as_value()?.span()?;
            let line = line_start(text, section.key(wording::MADE_FROM)?.span()?.start);
            let mut splices = vec![(value, made_from.clone())];
            splices.extend(derived_splice(text, line, record.derived.as_deref()));
            Some(splices)
        }
        Item::Table(section) if !section.is_dotted() => {
            // Where only tables within it are written, its own header may still come.
            let (at, header) = match section.is_implicit() {
                true => (text.len(), format!("\n[tools.{}]\n", Key::new(&*record.section))),
                false => (line_end(text, last_line(section)?), String::new()),
            };
            let begin = if text[..at].ends_with('\n') { "" } else { "\n" };
            let derived = record.derived.as_deref().map(wording::derived_brief).unwrap_or_default();
            Some(vec![(at..at, format!("{begin}{header}{derived}{} = {made_from}\n", wording::MADE_FROM))])
        }
        Item::Value(Value::InlineTable(section)) => match section.get(wording::MADE_FROM) {
            Some(old) => Some(vec![(old.span()?, made_from.clone())]),
            None => {
                let end = section.iter().filter_map(|(_, value)| Some(value.span()?.end)).max();
                let (at, comma) = end.map_or((section.span()?.start + 1, ""), |end| (end, ","));
                Some(vec![(at..at, format!("{comma} {} = {made_from}", wording::MADE_FROM))])
            }
        },
        _ => None,
    }
}

/// Puts the derived brief in the line before a record, in place of an older one.
fn derived_splice(text: &str, line: usize, derived: Option<&str>) -> Option<Splice> {
    let before = line_start(text, line.saturating_sub(1));
    let old = if wording::is_derived_brief(&text[before..line]) { before..line } else { line..line };
    let new = derived.map(wording::derived_brief).unwrap_or_default();
    // A record in the middle of a line has no line of its own before it.
    text[line..].starts_with(wording::MADE_FROM).then_some((old, new))
}

/// The end of what a section says by itself: its last value, or its header.
fn last_line(section: &Table) -> Option<usize> {
    let values = section.get_values();
    let last = values.iter().filter_map(|(_, value)| Some(value.span()?.end)).max();
    last.or_else(|| Some(section.span()?.end)).filter(|end| *end > 0)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

fn unusual(table: &str, consequence: &str) -> Problem {
    Problem::new(format!("'{table}' is a value on one line, {consequence}"))
        .hint(format!("write tables of their own, such as [{table}.NAME]"))
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
