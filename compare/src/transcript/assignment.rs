//! The task of a transcript: what is called, in order, and the mistakes that a model makes with it.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::RawObject;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ClientKind, Tool, agent::Behavior};

/// A task, as in the file of `--task`. `docs/compare.md` documents its members.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// What the user asked for, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The calls that answer it, in order.
    pub calls: Vec<Call>,
    /// The kind of host.
    #[serde(default)]
    pub host: ClientKind,
    /// How the model goes about it, one after the other.
    #[serde(default = "Behavior::usual")]
    pub courses: Vec<Behavior>,
}

/// One call of a task.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool, by the name it is served by.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: RawObject,
    /// What the tool answers: a text, or JSON as structured content. Without it the stand-in answers with one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The host's choices of concerns from this call on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<Concerns>,
    /// The arguments of a model that guesses, instead of those derived from the right ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_arguments: Option<RawObject>,
    /// The name that a model takes for the tool's, instead of the one derived from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_name: Option<String>,
}

impl Behavior {
    /// The behaviors of a transcript that names none: the workflow, and the three usual mistakes.
    pub fn usual() -> Vec<Self> {
        vec![Self::Workflow, Self::TooEarly, Self::WrongArgument, Self::UnknownName]
    }

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Workflow => "The task, as intended",
            Self::TooEarly => "If the model calls too early",
            Self::WrongArgument => "If it gives a wrong argument",
            Self::UnknownName => "If it misspells the tool's name",
            Self::EverythingFirst => "If it fetches everything first",
        }
    }
}

impl Assignment {
    /// A task of these calls for an ordinary host.
    pub fn of(calls: Vec<Call>) -> Self {
        Self { request: None, calls, host: ClientKind::default(), courses: Behavior::usual() }
    }

    /// These tools, each called with the arguments of its example, or else with the minimum that its schema requires.
    pub fn using(tools: &[&Tool]) -> Self {
        Self::of(tools.iter().map(|tool| tool.call()).collect())
    }

    /// Reads a task from its JSON text.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let task: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match (task.calls.is_empty(), task.courses.is_empty()) {
            (true, _) => Err("'calls' is empty".to_owned()),
            (_, true) => Err("'courses' is empty".to_owned()),
            _ => Ok(task),
        }
    }
}

impl Call {
    /// The arguments of a model that guesses the parameters: the first has another name, or there is one although the tool
    /// takes none.
    pub(super) fn guessed_arguments(&self) -> RawObject {
        self.wrong_arguments.clone().unwrap_or_else(|| guessed(&self.arguments))
    }

    /// The tool's name misspelt, as no tool that exists is named.
    pub(super) fn misspelt_name(&self, exists: impl Fn(&str) -> bool) -> String {
        self.wrong_name.clone().unwrap_or_else(|| {
            let mut name = misspelt(&self.tool);
            while exists(&name) {
                name.push('x');
            }
            name
        })
    }
}

fn guessed(right: &RawObject) -> RawObject {
    let pieces: Vec<(String, &str)> = right
        .iter()
        .enumerate()
        .map(|(at, (name, value))| (if at == 0 { renamed(name) } else { name.to_owned() }, value))
        .collect();
    if pieces.is_empty() {
        return RawObject::empty().with_value("input", "text");
    }
    RawObject::assemble(pieces.iter().map(|(name, value)| (name.as_str(), *value)))
}

/// The singular of a plural, or the plural.
fn renamed(name: &str) -> String {
    name.strip_suffix('s')
        .filter(|singular| !singular.is_empty())
        .map_or_else(|| format!("{name}s"), str::to_owned)
}

/// Without its next to last letter.
fn misspelt(name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    match letters.len() {
        0..=2 => letters.push('x'),
        count => {
            letters.remove(count - 2);
        }
    }
    letters.into_iter().collect()
}
