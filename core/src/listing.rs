//! What a client sees when it lists.

use crate::{raw::RawObject, snapshot::Kind, view::View};

/// The answers to MCP's list methods and the instructions of the handshake, for one view and one kind
/// of client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// `tools/list`. Tools of the strategy's own come last.
    pub tools: Vec<RawObject>,
    /// `resources/list`.
    pub resources: Vec<RawObject>,
    /// `resources/templates/list`.
    pub templates: Vec<RawObject>,
    /// `prompts/list`.
    pub prompts: Vec<RawObject>,
    /// Guidance for the model.
    pub instructions: Option<String>,
}

impl Listing {
    /// Everything the view lists, complete and as its upstreams sent it. Presenters start from this or
    /// from [`Listing::without_tools`].
    pub fn complete(view: &View) -> Self {
        let tools = view.tools().map(|tool| tool.definition().into_owned()).collect();
        Self { tools, ..Self::without_tools(view) }
    }

    /// Everything the view lists but its tools.
    pub fn without_tools(view: &View) -> Self {
        let of = |kind| view.entries(kind).map(|entry| view.text(entry)).collect();
        Self {
            tools: Vec::new(),
            resources: of(Kind::Resources),
            templates: of(Kind::Templates),
            prompts: of(Kind::Prompts),
            instructions: view.instructions().map(str::to_owned),
        }
    }

    /// Puts guidance before what the upstreams say of themselves.
    pub fn guided(mut self, guidance: &str) -> Self {
        self.instructions = Some(match self.instructions {
            Some(own) => format!("{guidance}\n\n{own}"),
            None => guidance.to_owned(),
        });
        self
    }
}
