//! The workflow of a strategy: which moves teach a tool.

use std::collections::{BTreeSet, HashMap, HashSet};

use mcp_disclosure_client::{Channel, Host};
use mcp_disclosure_core::{Lesson, RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::{
    Task,
    moves::{Move, Seen},
};

/// The bridge tool, for models whose hosts do not use the strategy's native channel.
const BRIDGE: &str = "describe_tools";

/// The tool of the channel [`Channel::InfoTool`].
const INFO: &str = "info";

/// The workflow of a strategy.
pub(super) struct Plan {
    channel: Channel,
    tools: Vec<RawObject>,
    reads_resources: bool,
    lesson: Option<Lesson>,
    /// The categories in which the model looks for tools that are not listed, by tool.
    categories: HashMap<String, String>,
}

impl Plan {
    pub(super) fn new(
        host: &Host,
        tools: Vec<RawObject>,
        reads_resources: bool,
        lesson: Option<Lesson>,
    ) -> Self {
        let channel = host.channel().clone();
        Self { channel, tools, reads_resources, lesson, categories: HashMap::new() }
    }

    /// Replaces the listed tools.
    pub(super) fn list(&mut self, tools: Vec<RawObject>) {
        self.tools = tools;
    }

    /// Looks for this tool in this category, where it is not listed.
    pub(super) fn look_in(&mut self, category: &str, tool: &str) {
        self.categories.insert(tool.to_owned(), category.to_owned());
    }

    /// The moves by which the agent finds a tool that is not listed: an overview, then a category, each once.
    pub(super) fn find(&self, tool: &str, made: &[Move]) -> Vec<Move> {
        let category = self.categories.get(tool).filter(|_| self.browses(tool));
        let moves = category
            .map(|category| [Move::ask(INFO, &json!({})), Move::ask(INFO, &json!({"topic": category}))]);
        moves.into_iter().flatten().filter(|step| !made.contains(step)).collect()
    }

    /// The move by which the agent learns how to use a tool, if one is needed.
    pub(super) fn fetch(&self, tool: &str) -> Option<Move> {
        if self.listed(tool).is_some_and(has_parameters) {
            return None;
        }
        if let Some(lesson) = self.lesson {
            let arguments = lesson.arguments(tool)?;
            return Some(Move::Call { tool: lesson.tool().to_owned(), arguments });
        }
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => {
                Some(Move::Read { uri: descriptions_uri(uri, [tool]) })
            }
            Channel::Resource { .. } => Some(Move::ask(BRIDGE, &json!({"names": [tool]}))),
            Channel::Method if self.listed(BRIDGE).is_some() => {
                Some(Move::ask(BRIDGE, &json!({"names": [tool]})))
            }
            Channel::Method => Some(Move::Describe { names: vec![tool.to_owned()] }),
            Channel::InfoTool => Some(Move::ask(INFO, &json!({"topic": tool}))),
            _ => None,
        }
    }

    /// The first moves of fetching everything.
    pub(super) fn everything(&self) -> Vec<Move> {
        let names = || self.tools.iter().filter_map(|tool| tool.string("name"));
        match &self.channel {
            Channel::Resource { uri } if self.reads_resources => vec![Move::Read { uri: uri.clone() }],
            Channel::Resource { .. } => vec![Move::ask(BRIDGE, &json!({}))],
            Channel::Method if self.listed(BRIDGE).is_some() => vec![Move::ask(BRIDGE, &json!({}))],
            Channel::Method => vec![Move::Describe { names: names().collect() }],
            Channel::InfoTool => vec![Move::ask(INFO, &json!({}))],
            _ => Vec::new(),
        }
    }

    /// The moves that follow from an answer: an info tool's overview names categories, and those name tools.
    pub(super) fn onward(&self, seen: &Seen) -> Vec<Move> {
        if self.channel != Channel::InfoTool {
            return Vec::new();
        }
        let categories = seen.content["categories"].as_object();
        let categories = categories.into_iter().flat_map(|categories| categories.keys().map(String::as_str));
        let tools = seen.content["tools"].as_array();
        let tools = tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        categories.chain(tools).map(|topic| Move::ask(INFO, &json!({"topic": topic}))).collect()
    }

    /// The tool in the list, if it is listed.
    pub(super) fn listed(&self, name: &str) -> Option<&RawObject> {
        self.tools.iter().find(|tool| tool.string("name").as_deref() == Some(name))
    }

    /// The number of moves that these tasks need.
    pub(super) fn needed(&self, tasks: &[Task]) -> usize {
        let tools: HashSet<&str> = tasks.iter().map(|task| task.tool.as_str()).collect();
        let fetches = tools.iter().filter(|tool| self.fetch(tool).is_some()).count();
        let sought = tools.iter().filter(|tool| self.browses(tool));
        let categories: BTreeSet<&String> = sought.filter_map(|tool| self.categories.get(*tool)).collect();
        let overview = usize::from(!categories.is_empty());
        tasks.len() + fetches + categories.len() + overview
    }

    fn browses(&self, tool: &str) -> bool {
        self.channel == Channel::InfoTool && self.listed(tool).is_none()
    }
}

/// Whether a listed tool has its parameters in the list, or shows that it has none, so that there is nothing left to
/// learn before a call. A permissive schema shows nothing.
pub(crate) fn has_parameters(tool: &RawObject) -> bool {
    let schema = tool.member("inputSchema").and_then(|text| serde_json::from_str::<Value>(text).ok());
    schema.is_some_and(|schema| match schema["properties"].as_object() {
        Some(named) if !named.is_empty() => true,
        Some(_) => schema["additionalProperties"] != true,
        None => schema["additionalProperties"] == false,
    })
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
        ] {
            let tool = RawObject::empty().with("inputSchema", schema);
            assert_eq!(has_parameters(&tool), expected, "{schema}");
        }
        assert!(!has_parameters(&RawObject::empty()));
    }
}
