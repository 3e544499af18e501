//! Tools that call other tools: how many a strategy lists, and which tools each may call (docs/CONTRACT.md S1).

use serde::Deserialize;
use serde_json::json;

use crate::{
    arguments::ArgumentProblem,
    brief::shorten,
    catalogue::view::View,
    decision::{Decision, Refusal, ToolAnswer, ToolCall},
    given,
    inner_call::{inner_call, members, named},
    name::ToolName,
    own_tool::OwnTool,
    setting::{SettingKind, SettingValue},
};

/// Maximum length of a name in a message, in characters.
const LONGEST_NAME: usize = 120;

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

impl SettingValue for Executors {
    const KIND: SettingKind = SettingKind::Word(&["one", "by-effect"]);
}

/// The tools of a strategy that call others, as a model calls them: `{"tool", "arguments"}`.
#[derive(Clone, Copy, Debug)]
pub struct Executor {
    /// The tool that describes others. Called by an executor, it is called all the same.
    pub describing: &'static str,
    /// The tool that calls every other or, beside `reading`, those that can change something.
    pub acting: &'static str,
    /// The tool that calls read-only tools, where there are two.
    pub reading: &'static str,
    /// What they call, for a model: `a tool described by info`.
    pub called: &'static str,
    /// What the argument `arguments` is, for a model.
    pub arguments: &'static str,
}

/// What a call comes down to where there are executors.
#[derive(Debug)]
pub enum Called {
    /// The call of the describing tool, by itself or by an executor.
    Describing(ToolCall),
    /// Any other call, decided: an executor forwards the inner call under the tool's own name, so that it is looked up, checked
    /// and relayed like any other.
    Decided(Decision),
    /// An executor was to call a tool that the view does not have.
    Unknown(ToolName),
}

impl Executor {
    /// The executors that are listed.
    pub fn tools(&self, executors: Executors) -> Vec<OwnTool> {
        let called = self.called;
        let schema = json!({
            "type": "object",
            "properties": {
                "tool": {"type": "string"},
                // Several clients close objects without properties for their models, which can still write a string then.
                "arguments": {
                    "anyOf": [{"type": "object", "additionalProperties": true}, {"type": "string"}],
                    "description": self.arguments,
                },
            },
            "required": ["tool"],
        });
        let tool = |name, which: &str| {
            OwnTool::new(name, &format!("Call {called}{which} Returns its result."), &schema)
        };
        match executors {
            Executors::One => vec![tool(self.acting, ".")],
            // Whether the world outside is reached depends on the tool that is called.
            Executors::ByEffect => vec![
                tool(self.reading, " that is marked as read-only. Refuses all others.")
                    .annotated(&json!({"readOnlyHint": true})),
                tool(self.acting, " that can change something.").annotated(&json!({"destructiveHint": true})),
            ],
        }
    }

    /// Which of them calls a tool, for a model.
    pub fn names(&self, executors: Executors) -> String {
        let Self { acting, reading, .. } = self;
        match executors {
            Executors::One => (*acting).to_owned(),
            Executors::ByEffect => format!("{reading} if it only reads, else with {acting}"),
        }
    }

    /// How they are called, for a model.
    pub fn usage(&self, executors: Executors) -> String {
        let Self { acting, reading, .. } = self;
        let call = format!("call {acting} with {{\"tool\": \"NAME\", \"arguments\": {{..}}}}");
        match executors {
            Executors::One => call,
            Executors::ByEffect => format!("{call}, or {reading} for tools that only read"),
        }
    }

    /// What a call comes down to.
    pub fn open(&self, executors: Executors, view: &View, call: ToolCall) -> Called {
        let only_reading = match call.name.as_str() {
            name if name == self.acting => false,
            name if name == self.reading && executors == Executors::ByEffect => true,
            name if name == self.describing => return Called::Describing(call),
            _ => return Called::Decided(Decision::Forward(call)),
        };
        let inner = match members(&call).and_then(|members| inner_call(view, &call.name, &members)) {
            Ok(inner) => inner,
            Err(problem) => {
                let right = right_call(view, &call);
                let refusal = Refusal::wrong_arguments(&call.name, &[problem], None, Some(&right));
                return Called::Decided(Decision::Refuse(refusal));
            }
        };
        if *inner.name == *self.describing {
            return Called::Describing(inner);
        }
        let Some(tool) = view.tool_for_models(&inner.name) else { return Called::Unknown(inner.name) };
        if only_reading && !tool.tool().is_read_only() {
            return Called::Decided(self.not_read_only(&inner.name));
        }
        Called::Decided(Decision::Forward(inner))
    }

    fn not_read_only(&self, name: &str) -> Decision {
        let acting = self.acting;
        let message =
            format!("Tool '{name}' is not marked as read-only. It did not run. Call it with {acting}.");
        Decision::Refuse(Refusal::of("NOT_READ_ONLY", &message))
    }
}

impl Decision {
    /// The refusal of a call of a tool that the view does not have, with the names that may have been meant.
    pub fn unknown_tool(name: &str, meant: &[&str]) -> Self {
        let error = format!("Unknown tool: {}", shorten(name, LONGEST_NAME));
        Self::Refuse(Refusal { code: "UNKNOWN_TOOL", content: json!({"error": error, "suggestions": meant}) })
    }

    /// The answer of a strategy's own tool, or the refusal of its call with wrong arguments.
    pub fn answered(tool: &str, answer: Result<ToolAnswer, ArgumentProblem>) -> Self {
        let refused = |problem| Self::Refuse(Refusal::wrong_arguments(tool, &[problem], None, None));
        answer.map_or_else(refused, Self::Answer)
    }
}

/// The call as it should be, for a model: of the tool that it names, if it does.
fn right_call(view: &View, call: &ToolCall) -> String {
    let members = members(call).unwrap_or_default();
    let members = named(view, &members).unwrap_or(members);
    let tool = members.string("tool").and_then(|name| view.tool_for_models(given::beginning(&name)));
    let inner = match tool {
        Some(tool) => {
            let arguments = tool.tool().argument_check().example();
            format!("{}, with arguments that fit", json!({"tool": tool.name(), "arguments": arguments}))
        }
        None => r#"{"tool": "NAME", "arguments": {..}}"#.to_owned(),
    };
    format!("Call {} with {inner}", call.name)
}
