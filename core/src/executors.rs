//! Tools that call other tools: how many a strategy lists, and which tools each may call (docs/CONTRACT.md S1).

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    arguments::ArgumentProblem,
    decision::{Decision, Refusal, ToolCall},
    own_tool::OwnTool,
    view::VisibleTool,
};

/// Which tools of a strategy call others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Executors {
    /// One that calls every tool.
    #[default]
    One,
    /// One that calls tools marked as read-only, and one that calls the rest, so that users of a host can always allow the
    /// first.
    ByEffect,
}

/// A tool that calls others, as a model reads of it.
#[derive(Clone, Copy, Debug)]
pub struct Executor<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its description.
    pub description: &'t str,
}

impl Executors {
    /// The tools, with this schema of their arguments: `acting` calls every tool or, beside `reading`, those that can change
    /// something.
    pub fn tools(self, schema: &Value, acting: Executor<'_>, reading: Executor<'_>) -> Vec<OwnTool> {
        let tool = |of: Executor<'_>| OwnTool::new(of.name, of.description, schema);
        match self {
            Self::One => vec![tool(acting)],
            // Whether the world outside is reached depends on the tool that is called.
            Self::ByEffect => vec![
                tool(reading).with("annotations", &json!({"readOnlyHint": true})),
                tool(acting).with("annotations", &json!({"destructiveHint": true})),
            ],
        }
    }

    /// Whether one of them has this name; if so, whether it calls read-only tools alone.
    pub fn named(self, name: &str, acting: &str, reading: &str) -> Option<bool> {
        match self {
            _ if name == acting => Some(false),
            Self::ByEffect if name == reading => Some(true),
            _ => None,
        }
    }
}

impl Decision {
    /// What an executor does with the call of a tool that exists: forwards it under the tool's own name, so that it is looked up,
    /// checked and relayed like any other. One that is `only_reading` names `acting` for what may change something.
    pub fn execute(tool: VisibleTool<'_>, inner: ToolCall, only_reading: bool, acting: &str) -> Self {
        if !only_reading || is_read_only(tool) {
            return Self::Forward(inner);
        }
        let (code, name) = ("NOT_READ_ONLY", &inner.name);
        let message =
            format!("Tool '{name}' is not marked as read-only. It did not run. Call it with {acting}.");
        Self::Refuse(Refusal { code, content: json!({"error": {"code": code, "message": message}}) })
    }

    /// The decision on a call of a strategy's own tool; if its arguments are wrong, their refusal.
    pub fn of_own(tool: &str, decided: Result<Self, ArgumentProblem>) -> Self {
        decided.unwrap_or_else(|problem| Self::Refuse(Refusal::wrong_arguments(tool, &[problem], None)))
    }
}

/// Whether a tool's annotations say that it only reads. Without them it may do anything.
fn is_read_only(tool: VisibleTool<'_>) -> bool {
    tool.tool().hint("readOnlyHint") == Some(true)
}
