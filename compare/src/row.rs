//! A row of a comparison: a strategy with its settings and a host's choices.

use mcp_disclosure_client::Concerns;
use mcp_disclosure_core::{Finder, Lesson};

/// A row of a comparison. Links are opened by its name.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name in the report, such as `concerns(cost=low)+describe`. No two rows have the same.
    pub name: String,
    /// The strategy that the server announces.
    pub strategy: String,
    /// The concerns that the server has chosen for every client at the start.
    pub choices: Concerns,
    /// The call by which a model learns a tool, if the strategy declares one.
    pub lesson: Option<Lesson>,
    /// The call by which a model finds tools by words, if the strategy declares one.
    pub finder: Option<Finder>,
    /// Whether filters narrow what the presenter shows.
    pub is_stack: bool,
    /// Why `serve` would not offer it for this source with the same settings.
    pub not_offered: Option<String>,
    /// The command line that serves the source this way, if there is one.
    pub command: Option<String>,
}

impl Row {
    /// A strategy by its name alone.
    pub fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            strategy: name.to_owned(),
            choices: Concerns::new(),
            lesson: None,
            finder: None,
            is_stack: false,
            not_offered: None,
            command: None,
        }
    }
}
