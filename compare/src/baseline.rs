//! What a source lists by itself, and what a list under a strategy shows of it.

use std::collections::{HashMap, HashSet};

use mcp_disclosure_core::{RawObject, is_withheld};
use serde_json::Value;

/// What a source lists by itself, as `full` does.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    /// The schemas of its tools, by name.
    schemas: HashMap<String, String>,
    resources: HashSet<String>,
}

impl Baseline {
    /// These complete definitions and resources.
    pub(crate) fn of<'t>(tools: impl IntoIterator<Item = &'t RawObject>, resources: &[RawObject]) -> Self {
        let schema = |tool: &RawObject| Some((tool.string("name")?, tool.member("inputSchema")?.to_owned()));
        Self {
            schemas: tools.into_iter().filter_map(schema).collect(),
            resources: resources.iter().map(|resource| resource.text().to_owned()).collect(),
        }
    }

    /// The number of tools.
    pub(crate) fn len(&self) -> usize {
        self.schemas.len()
    }

    /// Whether a tool of this name is listed.
    fn lists(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
    }

    /// Whether a list has a tool of the source by this name: its own, or with a prefix where the strategy uses that itself.
    pub(crate) fn serves(&self, name: &str, listed: &Listed) -> bool {
        (self.lists(name) && listed.served_name(name) == name)
            || name.rsplit_once("__").is_some_and(|(_, own)| self.lists(own))
    }

    /// Whether a tool is listed with its complete schema.
    fn is_complete(&self, tool: &RawObject) -> bool {
        let name = tool.string("name").unwrap_or_default();
        tool.member("inputSchema") == self.schemas.get(&name).map(String::as_str)
    }

    /// Whether the list shows how the tool is called: its schema is complete, or at least describes parameters. Where
    /// schemas are withheld, another stands for them, also for a tool that has no other.
    fn shows_use(&self, tool: &RawObject) -> bool {
        let schema = tool.member("inputSchema").filter(|schema| !is_withheld(schema));
        schema.is_some_and(|schema| self.is_complete(tool) || shows_parameters(schema))
    }

    /// The listed resources that a strategy adds. The source's own are the same under every strategy.
    pub(crate) fn added(&self, resources: Vec<RawObject>) -> Vec<RawObject> {
        resources.into_iter().filter(|resource| !self.resources.contains(resource.text())).collect()
    }
}

/// The tools that a server listed on one connection. Other connections to it receive the same.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    tools: Vec<RawObject>,
    positions: HashMap<String, usize>,
    /// The names of those whose use the list shows, and of those that it has with their whole schemas.
    shown: HashSet<String>,
    complete: HashSet<String>,
    /// Names by which tools are served whose own names the strategy uses for its own tools.
    moved: HashMap<String, String>,
}

impl Listed {
    pub(crate) fn new(tools: Vec<RawObject>, baseline: &Baseline) -> Self {
        let (mut positions, mut moved) = (HashMap::new(), HashMap::new());
        let (mut shown, mut complete) = (HashSet::new(), HashSet::new());
        for (at, tool) in tools.iter().enumerate() {
            let Some(name) = tool.string("name") else { continue };
            shown.extend(baseline.shows_use(tool).then(|| name.clone()));
            complete.extend(baseline.is_complete(tool).then(|| name.clone()));
            if !baseline.lists(&name) {
                for (separator, _) in name.match_indices("__") {
                    moved.entry(name[separator + 2..].to_owned()).or_insert_with(|| name.clone());
                }
            }
            positions.entry(name).or_insert(at);
        }
        Self { tools, positions, shown, complete, moved }
    }

    pub(crate) fn tools(&self) -> &[RawObject] {
        &self.tools
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&RawObject> {
        self.tools.get(*self.positions.get(name)?)
    }

    /// Whether the list shows how this tool is called.
    pub(crate) fn shows_use(&self, name: &str) -> bool {
        self.shown.contains(name)
    }

    /// Whether the tool is listed with its complete schema.
    pub(crate) fn is_complete(&self, name: &str) -> bool {
        self.complete.contains(name)
    }

    /// The name of a tool under this strategy: a tool with the name of the strategy's own tool is served as
    /// `<upstream>__<tool>`.
    pub(crate) fn served_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.moved.get(name).map_or(name, String::as_str)
    }
}

/// Whether a schema has parameters, or shows that there are none, so that there is nothing left to learn before a call.
fn shows_parameters(schema: &str) -> bool {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    match schema["properties"].as_object() {
        Some(named) if !named.is_empty() => true,
        Some(_) => schema["additionalProperties"] != true,
        None => schema["additionalProperties"] == false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_list_shows_is_not_learned_again() {
        for (schema, expected) in [
            (r#"{"type":"object","properties":{"a":{}}}"#, true),
            (r#"{"type":"object","properties":{}}"#, true),
            (r#"{"type":"object","additionalProperties":false}"#, true),
            (r#"{"type":"object","properties":{},"additionalProperties":true}"#, false),
            (r#"{"type":"object","additionalProperties":true}"#, false),
            (r#"{"type":"object"}"#, false),
            (r#"{"type":"object","properties":{"arguments":{}}}"#, false),
        ] {
            let tool = RawObject::empty().with("inputSchema", schema);
            assert_eq!(Baseline::default().shows_use(&tool), expected, "{schema}");
        }
        assert!(!Baseline::default().shows_use(&RawObject::empty()));
    }
}
