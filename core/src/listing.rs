//! The lists that a client receives.

use crate::{
    catalogue::{
        derived::Selection,
        snapshot::Entry,
        tool::{Tool, is_withheld},
        view::View,
        visible_tool::VisibleTool,
    },
    digest::Digest,
    name::{Kind, SKILLS_INDEX},
    raw::RawObject,
};

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
        let tools = view.all_tools().map(|tool| tool.definition()).collect();
        Self { tools, is_complete: true, ..Self::without_tools(view) }
    }

    /// Everything that the view lists except tools.
    pub fn without_tools(view: &View) -> Self {
        let mut has_index = false;
        // The indexes of several upstreams are one.
        let mut is_first =
            |entry: &&Entry| entry.key() != SKILLS_INDEX || !std::mem::replace(&mut has_index, true);
        let mut of = |kind| view.entries(kind).filter(&mut is_first).map(|entry| view.text(entry)).collect();
        Self {
            resources: of(Kind::Resources),
            templates: of(Kind::Templates),
            prompts: of(Kind::Prompts),
            instructions: view.instructions(|_| true),
            ..Self::default()
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

/// The tools of a view whose `inputSchema` a list shows, exact or slim.
#[derive(Clone, Debug)]
pub struct Shown(Selection);

impl Shown {
    /// What this list shows of a view. If it shows all that the view lists exactly, nothing else is withheld either: the
    /// list shows what it is given.
    pub fn of(view: &View, listing: &Listing) -> Self {
        let mut shown = vec![false; view.snapshot.tools().len()];
        let mut is_exact = !listing.tools.is_empty();
        for listed in &listing.tools {
            let at = listed.string("name").and_then(|name| view.position(&name));
            if let Some(at) = at {
                let (tool, schema) = (&view.snapshot.tools()[at], listed.member("inputSchema"));
                shown[at] = is_shown(tool, schema);
                is_exact &= schema == tool.definition().member("inputSchema");
            }
        }
        if is_exact && view.listed().all(|(at, _)| shown[at]) {
            return Self(Selection::All);
        }
        Self(Selection::by(shown))
    }

    /// Whether the schema of this tool is shown. It must be of the same view.
    pub fn contains(&self, tool: VisibleTool<'_>) -> bool {
        self.0.contains(tool.position)
    }
}

fn is_shown(tool: &Tool, listed: Option<&str>) -> bool {
    match listed {
        listed if listed == tool.definition().member("inputSchema") => true,
        // The usual case, in which the slim schema need not be computed.
        Some(listed) if !is_withheld(listed) => Some(listed) == tool.slim_schema(),
        _ => false,
    }
}
