//! What is new is put into the text of a `disclosure.toml`, and every other byte stays: headers with spaces and line ends of
//! Windows, too, which no printer of TOML keeps.

use mcp_disclosure_gateway::Problem;

use super::folder::parse;
use crate::config::hosts::node::Node;

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
    let root = parse(existing)?.root;
    let mut new = String::new();
    for Block { table, name, text: block } in blocks {
        let there = root.member(table);
        let Some(name) = name.as_deref().filter(|name| there.is_none_or(|there| lacks(&there.node, name)))
        else {
            continue;
        };
        // Behind the key is a value in brackets, around it a header.
        if there.is_some_and(|there| there.at < there.node.at) {
            let message = format!("'{table}' is a value on one line, so {name:?} cannot be added");
            return Err(
                Problem::new(message).hint(format!("write tables of their own, such as [{table}.NAME]"))
            );
        }
        if new.is_empty() && !existing.is_empty() && !existing.ends_with('\n') {
            new.push('\n');
        }
        new.push_str(block);
    }
    Ok(format!("{existing}{}", like(existing, &new)))
}

/// Whether a table has no member, or a list no item, of this name.
fn lacks(table: &Node, name: &str) -> bool {
    let mut named = table.items().iter().filter_map(|item| item.get("name")?.text());
    table.get(name).is_none() && named.all(|other| other != name)
}

/// A configuration with a key before everything else.
pub(super) fn with_key(existing: &str, key: &str, said: &str) -> String {
    let body = existing.strip_prefix(MARK).unwrap_or(existing);
    // Editors look for it in the first line.
    let first =
        if body.starts_with("#:schema") { body.find('\n').map_or(body.len(), |at| at + 1) } else { 0 };
    let at = existing.len() - body.len() + first;
    let line = like(existing, &format!("{key} = {said:?}\n"));
    format!("{}{line}{}", &existing[..at], &existing[at..])
}

/// A byte order mark.
const MARK: char = '\u{feff}';

/// A text with the line ends of another one.
fn like(existing: &str, new: &str) -> String {
    if existing.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
