//! A strategy's answers: decisions on calls, results of its own tools, and faults.

use serde_json::{Value, json};

use crate::{layout, name::ToolName, raw_text::RawText};

/// Maximum memory of the arguments of a strategy's own tool, in bytes.
const MAX_MEMORY: usize = 32_000_000;

/// A request that cannot be answered. It becomes a JSON-RPC error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The parameters are missing or invalid.
    #[error("{0}")]
    InvalidParams(String),
    /// There is nothing of this name. In the era with sessions the code is -32002, after that -32602 (SEP-2164).
    #[error("{message}")]
    NotFound {
        /// The message.
        message: String,
        /// The error's `data`.
        data: Value,
    },
    /// The parameters are refused, for a reason in the error's `data` (-32602).
    #[error("{message}")]
    Rejected {
        /// The message.
        message: String,
        /// The error's `data`.
        data: Value,
    },
    /// The strategy failed.
    #[error("{0}")]
    Internal(String),
}

/// A `tools/call`: the name, and the arguments as received.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The tool's name, as the client knows it.
    pub name: ToolName,
    /// The JSON text of `arguments`; `None` if the call has none.
    pub arguments: Option<RawText>,
}

impl ToolCall {
    /// The arguments as a value; an empty object if there are none.
    ///
    /// # Errors
    /// [`Fault::InvalidParams`] if they are too large, or nest too deep, to parse.
    pub fn arguments(&self) -> Result<Value, Fault> {
        let Some(raw) = &self.arguments else { return Ok(Value::Object(serde_json::Map::new())) };
        if !layout::fits(raw.get(), MAX_MEMORY) {
            return Err(Fault::InvalidParams("arguments are too large to be parsed".to_owned()));
        }
        serde_json::from_str(raw.get())
            .map_err(|error| Fault::InvalidParams(format!("invalid arguments: {error}")))
    }
}

/// The decision on a call.
#[derive(Debug)]
pub enum Decision {
    /// Forward it to the tool, with this name and these arguments. The server still looks the tool up in the view, and
    /// checks the arguments unless the client's list shows its schema.
    Forward(ToolCall),
    /// Answer it: the strategy's own tool was called.
    Answer(ToolAnswer),
    /// Do not run it. The model receives the reason and what to do.
    Refuse(Refusal),
}

/// The result of a strategy's own tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// A JSON object, which the client receives as `structuredContent` and as text; or a string, which it receives as text alone.
    pub content: Value,
    /// The result's `isError`.
    pub is_error: bool,
}

/// Why a call does not run. The client receives it like a [`ToolAnswer`] with `isError: true`.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// A code for logs, such as `TOOL_DESCRIPTION_REQUIRED`.
    pub code: &'static str,
    /// A JSON object for the model: the reason, and what to do. The scripted models of `compare` follow `error.instructions`.
    pub content: Value,
}

impl Refusal {
    /// A refusal of `{"error": {"code", "message"}}`.
    pub fn of(code: &'static str, message: &str) -> Self {
        Self { code, content: json!({"error": {"code": code, "message": message}}) }
    }

    /// With what to do, step by step, in `error.instructions`: `1. call info with {"topic": "add"}`.
    pub fn instructed(mut self, steps: impl IntoIterator<Item = String>) -> Self {
        let steps = steps.into_iter().zip(1..).map(|(step, at)| format!("{at}. {step}"));
        self.content["error"]["instructions"] = steps.collect();
        self
    }
}
