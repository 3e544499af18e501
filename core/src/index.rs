//! The index: what is behind a strategy that withholds it, in few words (docs/CONTRACT.md B7).
//!
//! Hosts cut descriptions of tools and instructions at about 2 kB, so the index shares [`MAX_BYTES`] with the text in front
//! of it. It names every category before it describes any, and describes them as far as there is room. Categories that the
//! operator declared come first, in that order; then those with the most tools, so that an index that has to end early
//! leaves out as few tools as possible.

use std::{cmp::Reverse, collections::BTreeSet, fmt::Write};

use crate::{brief::shorten, categories::ListedCategory, view::View};

/// Maximum length of a description or of instructions, in bytes.
pub const MAX_BYTES: usize = 2_000;

/// The lengths of a category's purpose that are tried, in characters.
const PURPOSES: [usize; 5] = [160, 100, 70, 45, 28];
/// The first of them for a short index.
const SHORT: usize = 3;
/// Maximum length of the servers' names, in characters.
const MAX_SERVERS: usize = 300;

/// A text followed by the index of a view, in at most [`MAX_BYTES`] if the text leaves room for a line.
pub fn with_index(text: &str, view: &View) -> String {
    with_index_of(text, view, &PURPOSES, MAX_BYTES)
}

/// The same in at most this many bytes, where the list is there to be small.
pub fn with_index_within(text: &str, view: &View, bytes: usize) -> String {
    with_index_of(text, view, &PURPOSES, bytes.min(MAX_BYTES))
}

/// The same where a list has every tool with its brief, so that a few words for each category do.
pub fn with_short_index(text: &str, view: &View) -> String {
    with_index_of(text, view, &PURPOSES[SHORT..], MAX_BYTES)
}

/// The same of other parts than categories, the most important first: those of the first of these lists all of whose names
/// fit, else of the last one. `bytes` is at most [`MAX_BYTES`].
pub fn with_index_of_parts(text: &str, view: &View, lists: &[Vec<Part<'_>>], bytes: usize) -> String {
    let room = bytes.min(MAX_BYTES).saturating_sub(text.len() + 1);
    let fits = |parts: &&Vec<Part<'_>>| is_named_whole(parts, room.saturating_sub(head(view, parts).len()));
    let Some(parts) = lists.iter().find(fits).or(lists.last()).filter(|parts| !parts.is_empty()) else {
        return text.to_owned();
    };
    format!("{text}\n{}", lines(view, parts, room, &PURPOSES))
}

fn with_index_of(text: &str, view: &View, purposes: &[usize], bytes: usize) -> String {
    let room = bytes.saturating_sub(text.len() + 1);
    match index(view, room, purposes) {
        Some(index) => format!("{text}\n{index}"),
        None => text.to_owned(),
    }
}

/// The index of a view in about `room` bytes, with the first of these lengths of purposes that leaves room for all; `None`
/// if no tools are listed: they may still come.
fn index(view: &View, room: usize, purposes: &[usize]) -> Option<String> {
    let categories = ordered(view);
    if categories.is_empty() {
        return None;
    }
    let parts: Vec<Part<'_>> = categories.into_iter().map(Part::from).collect();
    Some(lines(view, &parts, room, purposes))
}

/// A part of what is behind, as a line of an index.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    /// The name by which it is asked for.
    pub name: &'p str,
    /// The number of its tools.
    pub count: usize,
    /// What it is for.
    pub description: &'p str,
}

impl<'v> From<ListedCategory<'v>> for Part<'v> {
    fn from(category: ListedCategory<'v>) -> Self {
        Self { name: category.name(), count: category.tools().len(), description: category.description() }
    }
}

/// The head, and as much of the parts as there is room for.
fn lines(view: &View, parts: &[Part<'_>], room: usize, purposes: &[usize]) -> String {
    let head = head(view, parts);
    let room = room.saturating_sub(head.len());
    let described = purposes.iter().map(|longest| described(parts, *longest));
    let described = described.into_iter().find(|lines| lines.len() <= room);
    format!("{head}{}", described.unwrap_or_else(|| named(parts, room)))
}

/// Whether there is room for all names.
fn is_named_whole(parts: &[Part<'_>], room: usize) -> bool {
    named(parts, usize::MAX).len() <= room
}

/// The categories, the most important first.
fn ordered(view: &View) -> Vec<ListedCategory<'_>> {
    let declared = &view.about().categories;
    let place = |category: &ListedCategory<'_>| {
        let place = declared.iter().position(|declared| declared.name == category.name());
        (place.unwrap_or(declared.len()), Reverse(category.tools().len()))
    };
    let mut categories: Vec<ListedCategory<'_>> = view.categories().collect();
    // Declared ones all differ in place, and the others only in size.
    categories.sort_by_cached_key(place);
    categories
}

/// How many tools there are, and of which servers, where the parts' names do not say so.
fn head(view: &View, parts: &[Part<'_>]) -> String {
    let tools = view.tools().count();
    let servers: BTreeSet<&str> = view.tools().map(|tool| tool.tool().upstream().as_str()).collect();
    let is_named = |server: &str| {
        let server = server.to_lowercase();
        parts.iter().any(|part| part.name.to_lowercase().contains(&server))
    };
    let mut head = format!("{tools} tool{}", if tools == 1 { "" } else { "s" });
    if servers.len() > 1 {
        head += &format!(" of {} servers", servers.len());
        if !servers.iter().all(|server| is_named(server)) {
            let names = servers.into_iter().collect::<Vec<_>>().join(", ");
            head += &format!(" ({})", shorten(&names, MAX_SERVERS));
        }
    }
    head + ":"
}

/// A line for each part.
fn described(parts: &[Part<'_>], longest: usize) -> String {
    let mut lines = String::new();
    for Part { name, count, description } in parts {
        // A string accepts everything that is written.
        let _ = write!(lines, "\n- {name} ({count}): {}", shorten(&in_a_line(description), longest));
    }
    lines
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Names and counts only, as far as there is room for them and for saying what is left out.
fn named(parts: &[Part<'_>], room: usize) -> String {
    let mut named = String::new();
    for (at, part) in parts.iter().enumerate() {
        let next = format!("{} {} ({})", if at == 0 { "" } else { "," }, part.name, part.count);
        let rest = &parts[at..];
        let ending = format!(" … and {} more categories", rest.len());
        // The last one needs no room for an ending.
        let needed = named.len() + next.len() + if rest.len() == 1 { 0 } else { ending.len() };
        if needed > room {
            return named + &ending;
        }
        named += &next;
    }
    named
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
