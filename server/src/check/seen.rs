//! What one caller sees of a source, and what a complete list costs it.

use std::sync::Arc;

use mcp_disclosure_compare::Tokenizer;
use mcp_disclosure_core::{Principal, Snapshot, View};
use mcp_disclosure_transport::printable::one_line;
use serde::Serialize;

/// What one caller sees.
#[derive(Debug, Serialize)]
pub struct Seen {
    /// Who it is.
    pub caller: String,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// Tokens (o200k_base) of a complete list of them.
    pub tokens: u64,
    /// How many tools there are.
    #[serde(rename = "ofTools")]
    pub of_tools: usize,
    /// Tokens of a complete list of these.
    #[serde(rename = "ofTokens")]
    pub of_tokens: u64,
}

impl Seen {
    /// What this caller sees of a snapshot, of which `everything` is a view.
    pub fn by(caller: &Principal, snapshot: &Arc<Snapshot>, everything: &View) -> Self {
        let view = View::of(Arc::clone(snapshot), caller);
        Self {
            caller: caller.id().unwrap_or_default().to_owned(),
            tools: view.tools().map(|tool| tool.name().to_string()).collect(),
            tokens: tokens(&view),
            of_tools: everything.tools().count(),
            of_tokens: tokens(everything),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let Self { caller, tools, tokens, of_tools, of_tokens } = self;
        let names: Vec<_> = tools.iter().map(|name| one_line(name)).collect();
        let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        let count = tools.len();
        format!(
            "{} sees {count} of {of_tools} tools, {tokens} of {of_tokens} tokens in a complete list{names}\n",
            one_line(caller)
        )
    }
}

fn tokens(view: &View) -> u64 {
    let definitions: Vec<&str> = view.tools().map(|tool| tool.tool().definition().text()).collect();
    Tokenizer::O200kBase.count(&format!("[{}]", definitions.join(",")))
}
