//! Tools that call other tools: how many a strategy lists, and which tools each may call (docs/CONTRACT.md S1).

use serde::Deserialize;
use serde_json::json;

use crate::{decision::Refusal, view::VisibleTool};

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

impl Refusal {
    /// The refusal of a call by an executor of read-only tools: `NOT_READ_ONLY`.
    pub fn not_read_only(message: String) -> Self {
        let code = "NOT_READ_ONLY";
        Self { code, content: json!({"error": {"code": code, "message": message}}) }
    }
}

/// Whether a tool's annotations say that it only reads. Without them it may do anything.
pub fn is_read_only(tool: VisibleTool<'_>) -> bool {
    tool.tool().hint("readOnlyHint") == Some(true)
}
