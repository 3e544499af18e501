//! The moves of an agent, and their answers as a model sees them.

use std::collections::{BTreeMap, HashSet};

use mcp_disclosure_client::{Channel, Error, Host};
use mcp_disclosure_core::{RawObject, descriptions_uri};
use serde_json::{Value, json};

use super::{Problem, Task};

/// The bridge tool, for models whose hosts do not use the strategy's native channel.
const BRIDGE: &str = "describe_tools";

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Read { uri: String },
    Describe { names: Vec<String> },
    Call { tool: String, arguments: RawObject },
}

/// An answer as a model sees it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) problem: Option<Problem>,
    /// The result of a call.
    pub(super) result: Option<RawObject>,
    /// The answer as JSON, if it is JSON.
    pub(super) content: Value,
    /// The answer as text.
    pub(super) text: String,
}

/// What was learned from answers: arguments with a `const` value in the schema, by tool.
#[derive(Debug, Default)]
pub(super) struct Lessons(BTreeMap<String, Vec<(String, String)>>);

/// The workflow of a strategy.
pub(super) struct Plan<'a> {
    pub(super) channel: &'a Channel,
    pub(super) tools: &'a [RawObject],
    pub(super) reads_resources: bool,
}

impl Move {
    pub(super) fn shown(&self) -> (String, String) {
        let (method, target) = match self {
            Self::Read { uri } => ("resources/read", uri.clone()),
            Self::Describe { names } => ("tools/describe", names.join(",")),
            Self::Call { tool, .. } => ("tools/call", tool.clone()),
        };
        (method.to_owned(), target)
    }

    pub(super) async fn make(&self, host: &Host, lessons: &Lessons) -> Result<Seen, Error> {
        let answered = match self {
            Self::Read { uri } => host.read_resource(uri).await,
            Self::Describe { names } => host.request("tools/describe", &json!({"names": names})).await,
            Self::Call { tool, arguments } => {
                host.call_unprepared(tool, &lessons.complete(tool, arguments)).await
            }
        };
        match answered {
            Ok(result) => Ok(Seen::of(&result, matches!(self, Self::Call { .. }))),
            Err(Error::Answered { error, .. }) => {
                let problem = Problem { code: error.code.to_string(), message: error.message };
                let content = serde_json::from_str(error.object.text()).unwrap_or_default();
                let text = error.object.text().to_owned();
                Ok(Seen { problem: Some(problem), result: None, content, text })
            }
            Err(error) => Err(error),
        }
    }
}

impl Seen {
    fn of(result: &RawObject, is_call: bool) -> Self {
        let whole: Value = serde_json::from_str(result.text()).unwrap_or_default();
        let text = ["/content/0/text", "/contents/0/text"].iter().find_map(|at| whole.pointer(at)?.as_str());
        let text = text.unwrap_or(result.text()).to_owned();
        let content = match whole.get("structuredContent") {
            Some(content) => content.clone(),
            None => serde_json::from_str(&text).unwrap_or_default(),
        };
        let is_error = whole["isError"] == true;
        Self {
            problem: problem(&content, &text, is_error),
            result: is_call.then(|| result.clone()),
            content,
            text,
        }
    }
}

/// The problem in an answer, if there is one: an error result, or one with a code in its text
/// (tool-descriptions-resource §6).
fn problem(content: &Value, text: &str, is_error: bool) -> Option<Problem> {
    let error = &content["error"];
    let said = |member: &str| error[member].as_str().map(str::to_owned);
    match said("code") {
        Some(code) => Some(Problem { code, message: said("message").unwrap_or_default() }),
        None if is_error => {
            let message = error.as_str().unwrap_or(text).to_owned();
            Some(Problem { code: String::new(), message })
        }
        None => None,
    }
}

impl Lessons {
    pub(super) fn know(&self, tool: &str) -> bool {
        self.0.contains_key(tool)
    }

    /// Records every definition in the answer.
    pub(super) fn learn(&mut self, seen: &Seen) {
        if seen.problem.is_none() {
            self.note(&seen.content, 0);
        }
    }

    fn note(&mut self, value: &Value, depth: usize) {
        // Definitions are the answer itself, in an array, or under their names.
        if depth > 2 {
            return;
        }
        let name = value["name"].as_str().filter(|_| value["inputSchema"].is_object());
        match name.or_else(|| value["tool"].as_str()) {
            Some(name) => {
                let properties = value["inputSchema"]["properties"].as_object();
                let fixed = properties.into_iter().flatten().filter_map(|(argument, schema)| {
                    Some((argument.clone(), schema.get("const")?.to_string()))
                });
                self.0.insert(name.to_owned(), fixed.collect());
            }
            None => match value {
                Value::Array(items) => items.iter().for_each(|item| self.note(item, depth + 1)),
                Value::Object(members) => members.values().for_each(|item| self.note(item, depth + 1)),
                _ => {}
            },
        }
    }

    /// The arguments, with those whose value the tool's schema states.
    fn complete(&self, tool: &str, arguments: &RawObject) -> RawObject {
        let fixed = self.0.get(tool).into_iter().flatten();
        fixed.fold(arguments.clone(), |arguments, (name, value)| arguments.with(name, value))
    }
}

impl Plan<'_> {
    /// The move by which the agent learns how to use a tool, if one is needed.
    pub(super) fn fetch(&self, tool: &str) -> Option<Move> {
        match self.channel {
            Channel::Resource { uri } if self.reads_resources => {
                Some(Move::Read { uri: descriptions_uri(uri, [tool]) })
            }
            Channel::Resource { .. } => Some(call(BRIDGE, &json!({"names": [tool]}))),
            Channel::Method if self.lists_bridge() => Some(call(BRIDGE, &json!({"names": [tool]}))),
            Channel::Method => Some(Move::Describe { names: vec![tool.to_owned()] }),
            Channel::InfoTool => Some(call("info", &json!({"topic": tool}))),
            _ => None,
        }
    }

    /// The first moves of fetching everything.
    pub(super) fn everything(&self) -> Vec<Move> {
        let names = || self.tools.iter().filter_map(|tool| tool.string("name"));
        match self.channel {
            Channel::Resource { uri } if self.reads_resources => vec![Move::Read { uri: uri.clone() }],
            Channel::Resource { .. } => vec![call(BRIDGE, &json!({}))],
            Channel::Method if self.lists_bridge() => vec![call(BRIDGE, &json!({}))],
            Channel::Method => vec![Move::Describe { names: names().collect() }],
            Channel::InfoTool => vec![call("info", &json!({}))],
            _ => Vec::new(),
        }
    }

    /// The moves that follow from an answer: an info tool's overview names categories, and those name tools.
    pub(super) fn onward(&self, seen: &Seen) -> Vec<Move> {
        if *self.channel != Channel::InfoTool {
            return Vec::new();
        }
        let categories = seen.content["categories"].as_object();
        let categories = categories.into_iter().flat_map(|categories| categories.keys().map(String::as_str));
        let tools = seen.content["tools"].as_array();
        let tools = tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str());
        categories.chain(tools).map(|topic| call("info", &json!({"topic": topic}))).collect()
    }

    /// Whether the bridge tool is listed: then the model has to fetch descriptions, since the host does not.
    fn lists_bridge(&self) -> bool {
        self.tools.iter().any(|tool| tool.string("name").as_deref() == Some(BRIDGE))
    }

    /// The number of moves that these tasks need.
    pub(super) fn needed(&self, tasks: &[Task]) -> usize {
        let tools: HashSet<&str> = tasks.iter().map(|task| task.tool.as_str()).collect();
        let fetches = tools.iter().filter(|tool| self.fetch(tool).is_some()).count();
        tasks.len() + fetches
    }
}

fn call(tool: &str, arguments: &Value) -> Move {
    let arguments = RawObject::parse(arguments.to_string()).unwrap_or_default();
    Move::Call { tool: tool.to_owned(), arguments }
}
