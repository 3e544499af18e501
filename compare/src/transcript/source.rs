//! The source's own tools, for telling what a list shows of them.

use std::collections::{HashMap, HashSet};

use mcp_disclosure_core::{RawObject, is_withheld};

use crate::{Subject, Tool, listed::shows_parameters};

/// What the source itself lists.
#[derive(Default)]
pub(super) struct Source {
    /// Its tools' schemas, by name.
    schemas: HashMap<String, String>,
    resources: HashSet<String>,
}

impl Source {
    /// The tools of this subject.
    pub(super) fn new(subject: &Subject) -> Self {
        let schema = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let tools = subject.tools().iter();
        let schema_of = |tool: &Tool| (tool.name.clone(), schema(tool.definition.member("inputSchema")));
        Self { schemas: tools.map(schema_of).collect(), resources: HashSet::new() }
    }

    /// The source with these resources and templates.
    pub(super) fn with_resources(self, resources: &[RawObject]) -> Self {
        let resources = resources.iter().map(|resource| resource.text().to_owned()).collect();
        Self { resources, ..self }
    }

    /// The resources that are not the source's own, but the strategy's.
    pub(super) fn added(&self, resources: Vec<RawObject>) -> Vec<RawObject> {
        resources.into_iter().filter(|resource| !self.resources.contains(resource.text())).collect()
    }

    #[cfg(test)]
    pub(super) fn of<const N: usize>(tools: [(&str, &str); N]) -> Self {
        let schemas = tools.map(|(name, schema)| (name.to_owned(), schema.to_owned())).into();
        Self { schemas, ..Self::default() }
    }

    /// The number of tools.
    pub(super) fn len(&self) -> usize {
        self.schemas.len()
    }

    /// Whether a listed name is that of a tool of the source; one whose name a strategy uses itself has a prefix.
    pub(super) fn serves(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
            || name.rsplit_once("__").is_some_and(|(_, own)| self.schemas.contains_key(own))
    }

    /// The listed name of a tool.
    pub(super) fn served_name(&self, name: &str, tools: &[RawObject]) -> String {
        let suffix = format!("__{name}");
        let mut names = tools.iter().filter_map(|tool| tool.string("name"));
        let moved = names.find(|listed| listed.ends_with(&suffix) && !self.schemas.contains_key(listed));
        moved.unwrap_or_else(|| name.to_owned())
    }

    /// Whether a tool is listed with all that a call needs: its parameters, or the source's own schema, which can be
    /// without parameters.
    pub(super) fn is_complete(&self, listed: &RawObject) -> bool {
        let own = listed.string("name").and_then(|name| self.schemas.get(&name)).map(String::as_str);
        shows_parameters(listed) || (own == listed.member("inputSchema") && !own.is_some_and(is_withheld))
    }
}
