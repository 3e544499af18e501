//! The lists that a client receives.

use crate::{digest::Digest, raw::RawObject, snapshot::Kind, view::View};

/// The results of MCP's list methods, and the `instructions` of the handshake, for one view and clients of equal
/// traits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// `tools/list`. The strategy's own tools are added after these.
    pub tools: Vec<RawObject>,
    /// `resources/list`.
    pub resources: Vec<RawObject>,
    /// `resources/templates/list`.
    pub templates: Vec<RawObject>,
    /// `prompts/list`.
    pub prompts: Vec<RawObject>,
    /// Guidance for the model.
    pub instructions: Option<String>,
    /// Whether `tools` has the complete definition of everything that the view lists. Clients of such a list are offered its
    /// manifest (SEP-2636), by which they keep it current.
    pub is_complete: bool,
    /// The digest of the list whose changes the strategy's [`Extension`](crate::Extension) announces, for clients that
    /// declared it.
    pub announced: Option<Digest>,
}

impl Listing {
    /// Everything that the view lists, complete and as the upstreams sent it. Presenters start from this or from
    /// [`Listing::without_tools`]; one that leaves tools out of this, or changes them, unsets `is_complete`.
    pub fn complete(view: &View) -> Self {
        let tools = view.tools().map(|tool| tool.definition().into_owned()).collect();
        Self { tools, is_complete: true, ..Self::without_tools(view) }
    }

    /// Everything that the view lists except tools.
    pub fn without_tools(view: &View) -> Self {
        let of = |kind| view.entries(kind).map(|entry| view.text(entry)).collect();
        Self {
            tools: Vec::new(),
            resources: of(Kind::Resources),
            templates: of(Kind::Templates),
            prompts: of(Kind::Prompts),
            instructions: view.instructions(),
            is_complete: false,
            announced: None,
        }
    }

    /// Puts guidance before the upstreams' own instructions.
    pub fn guided(mut self, guidance: &str) -> Self {
        self.instructions = Some(match self.instructions {
            Some(own) => format!("{guidance}\n\n{own}"),
            None => guidance.to_owned(),
        });
        self
    }
}
