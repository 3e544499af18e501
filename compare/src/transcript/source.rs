//! The source's own tools, for telling what a list shows of them.

use std::collections::HashMap;

use mcp_disclosure_core::RawObject;

use crate::{Subject, agent::has_parameters};

/// The schemas of the source's tools, by name.
pub(super) struct Source(HashMap<String, String>);

impl Source {
    /// The tools of this subject.
    pub(super) fn new(subject: &Subject) -> Self {
        let schema = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let tools = subject.tools.iter();
        Self(tools.map(|tool| (tool.name.clone(), schema(tool.definition.member("inputSchema")))).collect())
    }

    #[cfg(test)]
    pub(super) fn of<const N: usize>(tools: [(&str, &str); N]) -> Self {
        Self(tools.map(|(name, schema)| (name.to_owned(), schema.to_owned())).into())
    }

    /// The number of tools.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a listed name is that of a tool of the source; one whose name a strategy uses itself has a prefix.
    pub(super) fn serves(&self, name: &str) -> bool {
        self.0.contains_key(name) || name.rsplit_once("__").is_some_and(|(_, own)| self.0.contains_key(own))
    }

    /// The listed name of a tool.
    pub(super) fn served_name(&self, name: &str, tools: &[RawObject]) -> String {
        let suffix = format!("__{name}");
        let mut names = tools.iter().filter_map(|tool| tool.string("name"));
        let moved = names.find(|listed| listed.ends_with(&suffix) && !self.0.contains_key(listed));
        moved.unwrap_or_else(|| name.to_owned())
    }

    /// Whether a tool is listed with all that a call needs: its parameters, or the source's own schema, which can be
    /// without parameters.
    pub(super) fn is_complete(&self, listed: &RawObject) -> bool {
        let own = listed.string("name").and_then(|name| self.0.get(&name));
        has_parameters(listed) || own.map(String::as_str) == listed.member("inputSchema")
    }
}
