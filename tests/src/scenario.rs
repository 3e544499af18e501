//! What the upstream of a test says: everything it lists and answers, as exact JSON text.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

/// The resource in which the upstream tells what it received: a JSON array of messages.
pub const JOURNAL: &str = "kit://journal";

/// The resource whose reading makes the upstream do something: `tool` (a tool more, and `list_changed`),
/// `hang` (`list_changed`, and no list is answered any more), `log`, `updated`, `updated:URI`. A URI within it has `!` for
/// each slash, so that the whole is canonical.
pub fn control(what: &str) -> String {
    match what.strip_prefix("updated:") {
        Some(uri) => format!("kit://control/updated:{}", uri.replace('/', "!")),
        None => format!("kit://control/{what}"),
    }
}

/// A value as an item of a scenario.
pub fn raw(value: Value) -> Box<RawValue> {
    to_raw_value(&value).unwrap()
}

/// What an upstream lists and answers.
///
/// Tools without an answer of their own do what their name says: `progress`, `slow` (never answers), `die`,
/// `garbage`; any other echoes its arguments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scenario {
    /// The result of `initialize`.
    pub initialize: Box<RawValue>,
    /// The items of `tools/list`.
    pub tools: Vec<Box<RawValue>>,
    /// The items of `resources/list`.
    pub resources: Vec<Box<RawValue>>,
    /// The items of `resources/templates/list`.
    pub templates: Vec<Box<RawValue>>,
    /// The items of `prompts/list`.
    pub prompts: Vec<Box<RawValue>>,
    /// Answers by `<method> <name or uri>`: objects with `result` or `error`; and by `resources/updated <uri>`, the parameters of
    /// that notification. With one for `changes <method> <name or uri>`, that request makes it announce a changed list.
    pub answers: BTreeMap<String, Box<RawValue>>,
    /// What it lists later: reading a resource that ends in `/stage/N` brings the N-th, and one more resource,
    /// `kit://staged/N`, from which that is seen.
    #[serde(default)]
    pub stages: Vec<Stage>,
}

/// What an upstream lists from some time on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// The items of `tools/list`.
    pub tools: Vec<Box<RawValue>>,
    /// The items of `prompts/list`.
    pub prompts: Vec<Box<RawValue>>,
}

impl Scenario {
    /// The scenario in `data/upstream.json`: one of everything that is odd but legal.
    pub fn odd() -> Self {
        serde_json::from_str(include_str!("../data/upstream.json")).unwrap()
    }

    /// The odd one with other tools, given as JSON text.
    pub fn with_tools(tools: impl IntoIterator<Item = String>) -> Self {
        let tools = tools.into_iter().map(|tool| RawValue::from_string(tool).unwrap()).collect();
        Self { tools, ..Self::odd() }
    }

    /// Tools of these names, of which nothing more is known.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let tool = |name: &str| json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}});
        Self::with_tools(names.into_iter().map(|name| tool(name).to_string()))
    }

    /// The same with this in `capabilities.tools`.
    pub fn with_tool_capability(mut self, capability: &str) -> Self {
        let mut initialize: Value = serde_json::from_str(self.initialize.get()).unwrap();
        initialize["capabilities"]["tools"][capability] = true.into();
        self.initialize = raw(initialize);
        self
    }

    /// Answers a request with this result.
    pub fn on(&mut self, request: impl Into<String>, result: Value) {
        self.answers.insert(request.into(), raw(json!({"result": result})));
    }

    /// The answer to a request, as a value.
    pub fn answer(&self, request: &str) -> Value {
        serde_json::from_str(self.answers[request].get()).unwrap()
    }

    /// Reads a scenario from a file.
    pub fn read(path: &Path) -> Self {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Writes it to a file.
    pub fn write(&self, path: &Path) {
        std::fs::write(path, serde_json::to_string(self).unwrap()).unwrap();
    }
}
