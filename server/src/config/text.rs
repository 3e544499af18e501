//! Places in a file's text.

use std::{collections::BTreeMap, sync::Arc};

use mcp_disclosure_gateway::Place;

/// The place of a byte offset in a file's text.
pub(super) fn place(file: &Arc<str>, text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
    Place { file: Arc::clone(file), line, column }
}

/// Where keys of a file are, by their paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places(BTreeMap<Vec<String>, Place>);

impl Places {
    /// Notes the place of a key.
    pub(super) fn note(&mut self, path: &[String], place: Place) {
        self.0.insert(path.to_vec(), place);
    }

    /// The place of a key, or else of the nearest table around it.
    pub fn of(&self, path: &[&str]) -> Option<&Place> {
        let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
        (1..=path.len()).rev().find_map(|depth| self.0.get(&path[..depth]))
    }

    /// The places of the tables in a table, by name, and of their keys, by name; that of a table itself has the name `""`.
    pub(super) fn within(&self, table: &str) -> BTreeMap<String, BTreeMap<String, Place>> {
        let mut within: BTreeMap<String, BTreeMap<String, Place>> = BTreeMap::new();
        for (path, place) in self.0.iter().filter(|(path, _)| path[0] == table) {
            let (name, key) = match &path[1..] {
                [name] => (name, String::new()),
                [name, key] => (name, key.clone()),
                _ => continue,
            };
            within.entry(name.clone()).or_default().insert(key, place.clone());
        }
        within
    }
}
