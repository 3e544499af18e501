//! Places in a file's text, and what is wrong there.

use std::{collections::BTreeMap, sync::Arc};

use mcp_disclosure_gateway::{Place, Problem};

/// A text and where its lines begin, since a place is asked for with each of thousands of sections.
#[derive(Debug)]
pub(crate) struct Places<'t> {
    file: Arc<str>,
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Places<'t> {
    /// Those of the file of this name.
    pub(crate) fn of(file: impl Into<Arc<str>>, text: &'t str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { file: file.into(), text, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The place of a byte offset.
    pub(crate) fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = self.starts.partition_point(|start| *start <= before.len());
        // Editors count no byte order mark.
        let column = before[self.starts[line - 1]..].trim_start_matches('\u{feff}').chars().count() + 1;
        Place { file: Arc::clone(&self.file), line, column }
    }
}

/// Problems as they are found in a section of a file.
pub(crate) struct Found<'p> {
    pub(crate) place: &'p Place,
    pub(crate) problems: &'p mut Vec<Problem>,
}

impl Found<'_> {
    pub(crate) fn add(&mut self, message: impl Into<String>, hint: &str) {
        self.problems.push(Problem::new(message).at(self.place.clone()).hint(hint));
    }
}

/// Why an entry of an upstream, or of a host's file, cannot be used.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The key that is wrong, such as `headers.NAME`, or empty for the whole entry.
    pub(crate) key: String,
    /// The byte offset in a host's file, if it is known more precisely than that of the entry.
    pub(crate) at: Option<usize>,
    pub(crate) what: String,
    pub(crate) hint: String,
}

impl Wrong {
    /// What is wrong with the entry as a whole.
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { key: String::new(), at: None, what: what.into(), hint: hint.into() }
    }

    /// What is wrong with a key.
    pub(crate) fn of(key: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { key: key.into(), ..Self::new(what, hint) }
    }
}

/// Where keys of a file are, by their paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyPlaces(BTreeMap<Vec<String>, Place>);

impl KeyPlaces {
    /// Notes the place of a key.
    pub(crate) fn note(&mut self, path: &[String], place: Place) {
        self.0.insert(path.to_vec(), place);
    }

    /// The place of a key, or else of the nearest table around it.
    pub fn of(&self, path: &[&str]) -> Option<&Place> {
        let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
        (1..=path.len()).rev().find_map(|depth| self.0.get(&path[..depth]))
    }

    /// The places of the tables in a table, by name, and of their keys, by both names; that of a table itself has the key `""`.
    pub fn within(&self, table: &str) -> BTreeMap<(String, String), Place> {
        let all = self.0.iter().filter(|(path, _)| path[0] == table && (2..=3).contains(&path.len()));
        let named = |path: &[String]| (path[1].clone(), path.get(2).cloned().unwrap_or_default());
        all.map(|(path, place)| (named(path), place.clone())).collect()
    }
}
