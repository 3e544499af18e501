//! Replacing pieces of a file's text.

use std::ops::Range;

use super::{UNUSUAL, Why};
use crate::config::hosts::{
    Document, Server,
    node::{Member, Node, Syntax},
};

/// Replacements of a text, which do not overlap.
#[derive(Debug, Default)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    pub(crate) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// The text with all replacements; `None` if they do not fit it.
    pub(crate) fn apply(mut self, text: &str) -> Option<String> {
        self.0.sort_by_key(|(range, _)| range.start);
        if self.0.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
            return None;
        }
        let mut edited = String::with_capacity(text.len() + 256);
        let mut done = 0;
        for (range, new) in self.0 {
            edited.push_str(text.get(done..range.start)?);
            edited.push_str(&new);
            text.get(range.clone())?;
            done = range.end;
        }
        edited.push_str(text.get(done..)?);
        Some(edited)
    }

    /// The file with all replacements.
    ///
    /// # Errors
    /// [`UNUSUAL`], if it cannot be read then.
    pub(crate) fn edited(self, document: &Document) -> Result<Document, Why> {
        self.checked(document, |_| true)
    }

    /// The file with all replacements, if it reads as it should then.
    ///
    /// # Errors
    /// [`UNUSUAL`].
    pub(crate) fn checked(
        self,
        document: &Document,
        is_as_expected: impl FnOnce(&Document) -> bool,
    ) -> Result<Document, Why> {
        let changed = self.apply(&document.text).and_then(|text| document.with_text(&text).ok());
        changed.filter(is_as_expected).ok_or_else(|| UNUSUAL.to_owned())
    }

    /// The file with all replacements, if this server is as expected then, and nothing else changed but these members of a
    /// table.
    ///
    /// # Errors
    /// [`UNUSUAL`].
    pub(crate) fn of_server(
        self,
        document: &Document,
        server: &Server<'_>,
        (table, members): (&Node, &[&str]),
        is_as_expected: impl FnOnce(&Server<'_>) -> bool,
    ) -> Result<Document, Why> {
        self.checked(document, |changed| {
            let (number, after) = (document.number(server), changed.servers());
            after.len() == document.servers().len()
                && number.and_then(|number| after.get(number)).is_some_and(is_as_expected)
                && document.root.is_same_but(&changed.root, Some(table), members)
        })
    }
}

/// A string in quotes, as all three syntaxes read it.
pub(crate) fn quoted(text: &str) -> String {
    // JSON leaves this one as it is; TOML does not allow it.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A list on one line.
pub(crate) fn list<T: AsRef<str>>(words: &[T]) -> String {
    format!("[{}]", joined(words))
}

fn joined<T: AsRef<str>>(words: &[T]) -> String {
    words.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(", ")
}

impl Document {
    /// The line end that the file uses.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The text between the beginning of the line and a place.
    pub(crate) fn line_before(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or_default();
        &before[before.rfind('\n').map_or(0, |end| end + 1)..]
    }

    /// What stands between this item of a list or member of a table and another one: a line of its own where it has one.
    pub(crate) fn separator(&self, at: usize) -> String {
        let before = self.line_before(at);
        if before.trim().is_empty() { format!(",{}{before}", self.line_end()) } else { ", ".to_owned() }
    }

    pub(crate) fn source(&self, node: &Node) -> &str {
        self.text.get(node.at..node.end).unwrap_or_default()
    }

    /// The text of a member, if it stands in one piece: no table under a header of its own, and no block of YAML.
    pub(crate) fn on_its_own(&self, member: &Member) -> Option<&str> {
        let Member { at, name_end, node, .. } = member;
        let is_whole = node.scalar().is_some() || self.is_in_brackets(node);
        self.text.get(*at..node.end).filter(|_| is_whole && *name_end <= node.at)
    }

    fn is_in_brackets(&self, node: &Node) -> bool {
        self.source(node).starts_with(['[', '{'])
    }
}

/// Puts words before the items of a list.
pub(crate) fn prefix(edits: &mut Edits, document: &Document, list: &Node, words: &[String]) {
    match list.items().first() {
        None => edits.replace(list.at..list.end, self::list(words)),
        Some(first) if document.is_in_brackets(list) => {
            edits.insert(first.at, joined(words) + &document.separator(first.at));
        }
        Some(first) => {
            // A block of YAML: each item is behind a dash.
            let dash = document.text.get(..first.at).and_then(|before| before.rfind('-')).unwrap_or(first.at);
            let indent = " ".repeat(document.line_before(dash).chars().count());
            let item = |word: &String| format!("- {}{}{indent}", quoted(word), document.line_end());
            edits.insert(dash, words.iter().map(item).collect::<String>());
        }
    }
}

/// Puts words after the items of a list in brackets.
pub(crate) fn append(edits: &mut Edits, document: &Document, list: &Node, words: &[String]) {
    match list.items().last() {
        Some(last) if document.is_in_brackets(list) => {
            let separator = document.separator(last.at);
            let words: String = words.iter().map(|word| format!("{separator}{}", quoted(word))).collect();
            edits.insert(last.end, words);
        }
        _ => prefix(edits, document, list, words),
    }
}

/// Removes items of a list, in brackets unless they are the first ones.
pub(crate) fn remove_items(edits: &mut Edits, list: &Node, is_removed: impl Fn(&Node) -> bool) {
    match list.items().iter().all(&is_removed) {
        true => edits.replace(list.at..list.end, "[]"),
        false => remove(edits, list.items(), |item| item.at..item.end, is_removed),
    }
}

/// Removes what was added to a list between two older states of it; whether anything of that is there.
pub(crate) fn remove_added(edits: &mut Edits, list: &Node, was: Option<&Node>, after: Option<&Node>) -> bool {
    let has = |list: Option<&Node>, text: &str| list.is_some_and(|list| list.lists(text));
    let is_added = |item: &Node| item.text().is_some_and(|text| has(after, text) && !has(was, text));
    let is_there = list.items().iter().any(is_added);
    if is_there {
        remove_items(edits, list, is_added);
    }
    is_there
}

/// Removes members of a table, of which some are kept.
pub(crate) fn remove_members(edits: &mut Edits, members: &[Member], is_removed: impl Fn(&Member) -> bool) {
    remove(edits, members, |member| member.at..member.node.end, is_removed);
}

/// Those before the first that is kept go with the comma behind them, later ones with the one before them.
fn remove<T>(
    edits: &mut Edits,
    all: &[T],
    place: impl Fn(&T) -> Range<usize>,
    is_removed: impl Fn(&T) -> bool,
) {
    let first_kept = all.iter().position(|one| !is_removed(one)).unwrap_or_default();
    if first_kept > 0 {
        edits.replace(place(&all[0]).start..place(&all[first_kept]).start, "");
    }
    for pair in all[first_kept..].windows(2).filter(|pair| is_removed(&pair[1])) {
        edits.replace(place(&pair[0]).end..place(&pair[1]).end, "");
    }
}

/// Puts a member with this value (as source) behind another one of a table.
pub(crate) fn insert_after(
    edits: &mut Edits,
    document: &Document,
    table: &Node,
    member: &Member,
    (name, value): (&str, &str),
) {
    let line = document.line_before(member.at);
    let text = match document.syntax() {
        // A table in braces is on one line.
        Syntax::Toml if !document.source(table).starts_with('{') => {
            // What stands before the key is its indentation, or the rest of a dotted name.
            format!("{}{line}{name} = {value}", document.line_end())
        }
        Syntax::Yaml if !document.is_in_brackets(table) => {
            // Before the first key of an item there is a dash.
            let indent = " ".repeat(line.chars().count());
            format!("{}{indent}{name}: {value}", document.line_end())
        }
        syntax => {
            let key = match syntax {
                Syntax::Json => format!("{}: ", quoted(name)),
                Syntax::Toml => format!("{name} = "),
                Syntax::Yaml => format!("{name}: "),
            };
            format!("{}{key}{value}", document.separator(member.at))
        }
    };
    edits.insert(member.node.end, text);
}
