//! Deterministic groups, an experiment of the working group on top of SEP-2636 (docs/CONTRACT.md M7): lists are complete, and
//! groups are sets of entries of the manifest, which tools name in their `_meta`.
//!
//! Everything is of one view and one moment, which the revision stands for: it changes with every definition, membership and
//! text that the caller may see.

use std::collections::{BTreeMap, HashMap, HashSet};

pub use mcp_disclosure_core::availability::DETERMINISTIC_GROUPS;
use mcp_disclosure_core::{
    Decision, Digest, Fault, Listing, RawObject, ToolCall, View, availability::said_of_groups, given::shown,
};
use serde_json::json;

use crate::Manifest;

/// Lists the groups.
pub const LIST: &str = "experimental/groups/list";

/// Delivers the manifest's entries of one group.
pub const EXPAND: &str = "experimental/groups/expand";

/// What servers declare in `capabilities.experimental`.
pub const CAPABILITY: &str = r#"{"version":1,"manifest":true}"#;

/// The error of a revision that is not, or no longer, the view's.
const STALE_VIEW: &str = "The view has changed: list the groups again";

/// The error of an unknown group.
const UNKNOWN_GROUP: &str = "Unknown group";

/// The error of a call of an unknown tool.
const UNKNOWN_NAMES: &str = "Unknown tool names";

/// The deterministic groups of a view.
#[derive(Debug)]
pub struct Directory {
    /// In the order of their first tools.
    groups: Vec<Entries>,
    places: HashMap<String, usize>,
    revision: String,
}

#[derive(Debug)]
struct Entries {
    id: String,
    description: String,
    entries: Vec<RawObject>,
}

impl Directory {
    /// The groups of a view, for which everything that is listed is parsed and digested. `texts` say what groups are for,
    /// by id.
    pub fn of(view: &View, texts: &BTreeMap<String, String>) -> Self {
        let tools = Listing::complete(view).tools;
        let manifest = Manifest::of(view, &tools);
        let mut directory = Self { groups: Vec::new(), places: HashMap::new(), revision: String::new() };
        for entry in manifest.entries() {
            let said = said_of_groups(entry.tool());
            let ids: Vec<String> = said.value("groups").unwrap_or_default();
            let mut seen = HashSet::new();
            for id in ids.into_iter().filter(|id| seen.insert(id.clone())) {
                directory.group(&id, texts).entries.push(entry.text().clone());
            }
        }
        let all = manifest.digest().to_string();
        let directory_texts = directory.groups.iter().flat_map(|group| [&*group.id, &*group.description]);
        let revision = Digest::of_parts(std::iter::once(&*all).chain(directory_texts));
        directory.revision = revision.to_string();
        directory
    }

    fn group(&mut self, id: &str, texts: &BTreeMap<String, String>) -> &mut Entries {
        let next = self.groups.len();
        let place = *self.places.entry(id.to_owned()).or_insert(next);
        if place == next {
            let description = texts.get(id).cloned().unwrap_or_else(|| id.to_owned());
            self.groups.push(Entries { id: id.to_owned(), description, entries: Vec::new() });
        }
        &mut self.groups[place]
    }

    /// The result of [`LIST`] or [`EXPAND`].
    ///
    /// # Errors
    /// Those of [`expand`](Self::expand).
    pub fn answer(&self, method: &str, params: &RawObject) -> Result<RawObject, Fault> {
        if method == LIST { Ok(self.list()) } else { self.expand(params) }
    }

    /// The result of [`LIST`]. Groups without visible tools are not in it.
    pub fn list(&self) -> RawObject {
        let groups = self.groups.iter().map(|group| {
            let object = RawObject::empty().with_value("id", &group.id);
            object.with_value("description", &group.description).with_value("count", &group.entries.len())
        });
        let groups: Vec<RawObject> = groups.collect();
        self.revised(RawObject::empty().with_list("groups", &groups))
    }

    /// The result of [`EXPAND`] for `{"id", "revision"}`.
    ///
    /// # Errors
    /// [`Fault::Rejected`] for a group that is unknown or has no visible tool, and for another revision.
    pub fn expand(&self, params: &RawObject) -> Result<RawObject, Fault> {
        let rejected = |message: &str, reason: &str| {
            Err(Fault::Rejected { message: message.to_owned(), data: json!({"reason": reason}) })
        };
        if params.string("revision").is_none_or(|revision| revision != self.revision) {
            return rejected(STALE_VIEW, "staleView");
        }
        let place = params.string("id").and_then(|id| self.places.get(&id).copied());
        let Some(place) = place else { return rejected(UNKNOWN_GROUP, "unknownGroup") };
        Ok(self.revised(RawObject::empty().with_list("entries", &self.groups[place].entries)))
    }

    fn revised(&self, result: RawObject) -> RawObject {
        result.with_value("revision", &self.revision)
    }
}

/// Decides on a call: what the caller does not see is unknown in the words of the experiment.
///
/// # Errors
/// [`Fault::Rejected`] for a tool that the caller does not see, like `tools/describe`.
pub fn decide(view: &View, call: ToolCall) -> Result<Decision, Fault> {
    // The tool of a filter, which decides on it.
    if view.reserves(&call.name) {
        return Ok(Decision::Forward(call));
    }
    if view.tool(&call.name).is_none() {
        let data = json!({"unknownNames": [shown(&call.name)]});
        return Err(Fault::Rejected { message: UNKNOWN_NAMES.to_owned(), data });
    }
    Ok(Decision::Forward(call))
}
