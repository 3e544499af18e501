//! The index: what is behind a strategy that withholds it, in few words (docs/CONTRACT.md B7).
//!
//! Hosts cut descriptions of tools and instructions at about 2 kB, so the index shares [`MAX_BYTES`] with the text in front
//! of it. It names every category before it counts or describes any, and does so as far as there is room. Categories that the
//! operator declared come first, in that order; then those with the most tools, so that an index that has to end early
//! leaves out as few tools as possible. That of `info` names all, whatever it takes: models guess the names of others.

use std::{cmp::Reverse, collections::BTreeSet, fmt::Write};

use crate::{
    brief::{in_a_line, shorten},
    catalogue::{categories::ListedCategory, view::View},
    printable::counted,
};

/// Maximum length of a description or of instructions, in bytes.
pub const MAX_BYTES: usize = 2_000;

/// Maximum length of names where every category is named, in bytes.
const EVERY_BYTES: usize = 8_000;

/// Maximum length of the servers' names, in bytes.
const MAX_SERVERS: usize = 1_400;

/// What is written around the servers' names, in bytes: their number, that of the tools, and how many categories are left out.
const AROUND_SERVERS: usize = 100;

/// The lengths of a category's purpose that are tried, in characters.
const PURPOSES: [usize; 5] = [160, 100, 70, 45, 28];
/// The first of them for a short index.
const SHORT: usize = 3;

/// A text followed by the index of a view that names every category, in at most [`MAX_BYTES`] if the names fit.
pub fn with_index(text: &str, view: &View) -> String {
    with_index_of(text, view, &[categories(view)], &PURPOSES, [MAX_BYTES, EVERY_BYTES])
}

/// The same in at most this many bytes, where the list is there to be small.
pub fn with_index_within(text: &str, view: &View, bytes: usize) -> String {
    with_index_of_parts(text, view, &[categories(view)], bytes)
}

/// The same where a list has every tool with its brief, so that a few words for each category do.
pub fn with_short_index(text: &str, view: &View) -> String {
    with_index_of(text, view, &[categories(view)], &PURPOSES[SHORT..], [MAX_BYTES; 2])
}

/// The same of other parts than categories, the most important first: those of the first of these lists all of whose names
/// fit, else of the last one. `bytes` is at most [`MAX_BYTES`].
pub fn with_index_of_parts(text: &str, view: &View, lists: &[Vec<Part<'_>>], bytes: usize) -> String {
    with_index_of(text, view, lists, &PURPOSES, [bytes.min(MAX_BYTES); 2])
}

/// The first of `bytes` are for all of it, the others for its names alone.
fn with_index_of(
    text: &str,
    view: &View,
    lists: &[Vec<Part<'_>>],
    purposes: &[usize],
    bytes: [usize; 2],
) -> String {
    let [room, most] = bytes.map(|bytes| bytes.saturating_sub(text.len() + 1));
    // As much as hosts show, whatever the index is to take otherwise.
    let servers = MAX_BYTES.saturating_sub(text.len() + AROUND_SERVERS).min(MAX_SERVERS);
    let fits = |parts: &&Vec<Part<'_>>| {
        named(parts, usize::MAX, false).len() <= most.saturating_sub(head(view, parts, servers).len())
    };
    let whole = lists.iter().find(fits);
    // They may still come.
    let Some(parts) = whole.or(lists.last()).filter(|parts| !parts.is_empty()) else {
        return text.to_owned();
    };
    // All servers are named first, unless all the parts that say them fit.
    let fitting: &[Part<'_>] = whole.map_or(&[], Vec::as_slice);
    format!("{text}\n{}", lines(&head(view, fitting, servers), parts, purposes, [room, most]))
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

impl Part<'_> {
    /// Whether its name says that it is of this server.
    fn is_of(&self, server: &str) -> bool {
        let rest = self.name.get(..server.len()).filter(|begin| begin.eq_ignore_ascii_case(server));
        rest.is_some()
            && !self.name[server.len()..]
                .starts_with(|next: char| next.is_alphanumeric() || "-_".contains(next))
    }
}

/// The head, and as much of the parts as there is room for; their names alone, in `most` bytes, if there is no room for more.
fn lines(head: &str, parts: &[Part<'_>], purposes: &[usize], [room, most]: [usize; 2]) -> String {
    let [room, most] = [room, most].map(|room| room.saturating_sub(head.len()));
    let is_described = parts.iter().any(|part| !part.description.is_empty());
    let described = purposes.iter().filter(|_| is_described).map(|longest| described(parts, *longest));
    let counted = std::iter::once_with(|| named(parts, usize::MAX, true));
    let fitting = described.chain(counted).find(|lines| lines.len() <= room);
    format!("{head}{}", fitting.unwrap_or_else(|| named(parts, most, false)))
}

/// The categories, the most important first.
fn categories(view: &View) -> Vec<Part<'_>> {
    let declared = &view.about().categories;
    let place = |category: &ListedCategory<'_>| {
        let place = declared.iter().position(|declared| declared.name == category.name());
        (place.unwrap_or(declared.len()), Reverse(category.tools().len()))
    };
    let mut categories: Vec<ListedCategory<'_>> = view.categories().collect();
    // Declared ones all differ in place, and the others only in size.
    categories.sort_by_cached_key(place);
    let parts = categories.into_iter().map(|category| Part {
        name: category.name(),
        count: category.tools().len(),
        description: category.description(),
    });
    parts.collect()
}

/// How many tools there are, and of which servers, where the parts' names do not say so, in `room` bytes.
fn head(view: &View, parts: &[Part<'_>], room: usize) -> String {
    let tools = view.tools().count();
    let servers: BTreeSet<&str> = view.tools().map(|tool| tool.tool().upstream().as_str()).collect();
    let mut head = counted(tools, "tool");
    if servers.len() > 1 {
        head += &format!(" of {} servers", servers.len());
        if !servers.iter().all(|server| parts.iter().any(|part| part.is_of(server))) {
            let names = servers.into_iter().collect::<Vec<_>>().join(", ");
            let fitting =
                names.char_indices().take_while(|(at, character)| at + character.len_utf8() <= room);
            head += &format!(" ({})", shorten(&names, fitting.count()));
        }
    }
    head + ":"
}

/// A line for each part.
fn described(parts: &[Part<'_>], longest: usize) -> String {
    let mut lines = String::new();
    for Part { name, count, description } in parts {
        let purpose = shorten(&in_a_line(description), longest);
        let colon = if purpose.is_empty() { "" } else { ": " };
        // A string accepts everything that is written.
        let _ = write!(lines, "\n- {name} ({count}){colon}{purpose}");
    }
    lines
}

/// Names, and counts if wanted, as far as there is room for them and for saying what is left out.
fn named(parts: &[Part<'_>], room: usize, with_counts: bool) -> String {
    let mut named = String::new();
    for (at, part) in parts.iter().enumerate() {
        let count = if with_counts { format!(" ({})", part.count) } else { String::new() };
        let next = format!("{} {}{count}", if at == 0 { "" } else { "," }, part.name);
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
