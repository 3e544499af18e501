//! What is new is put into the text of a `disclosure.toml`, and every other byte stays.
//!
//! The text is read for places and then spliced. `toml_edit` could print an edited document, but not headers with spaces
//! or line ends of Windows as they were.

use mcp_disclosure_gateway::Problem;
use toml_edit::{Document, Item, Value};

/// A table of its own that an export writes: `[table.name]`, or an item of `[[table]]` with that name.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) table: String,
    /// Tables without a name are for new files alone.
    pub(super) name: Option<String>,
    pub(super) text: String,
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

fn parse(text: &str) -> Result<Document<&str>, Problem> {
    Document::parse(text.strip_prefix(MARK).unwrap_or(text)).map_err(|error| Problem::new(error.message()))
}

/// A text, and another one with the line ends of `existing` behind it.
fn like(existing: &str, text: &str, new: &str) -> String {
    let new = if existing.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() };
    format!("{text}{new}")
}

fn unusual(table: &str, consequence: &str) -> Problem {
    Problem::new(format!("'{table}' is a value on one line, {consequence}"))
        .hint(format!("write tables of their own, such as [{table}.NAME]"))
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
