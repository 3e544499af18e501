//! Tools as a view's clients see them.

use std::collections::{HashMap, HashSet};

use crate::{
    brief,
    cap::Cap,
    catalogue::{provider::OwnInfo, tool::Tool, view::View},
    name::ToolName,
    raw::RawObject,
    slim::Definitions,
};

/// A tool in one view.
#[derive(Clone, Copy, Debug)]
pub struct VisibleTool<'v> {
    pub(super) view: &'v View,
    pub(crate) position: usize,
    pub(super) tool: &'v Tool,
    pub(super) name: &'v ToolName,
}

impl<'v> VisibleTool<'v> {
    /// The name by which this view's clients use it.
    pub fn name(&self) -> &'v ToolName {
        self.name
    }

    /// The tool in the snapshot. Its name there can differ from the name in this view.
    pub fn tool(&self) -> &'v Tool {
        self.tool
    }

    /// Whether it is an `info` tool by which its upstream says what this program knows of it anyway.
    pub fn is_own_info(&self) -> bool {
        let provider = || self.view.provider(self.tool.upstream());
        self.tool.upstream_name().as_str() == OwnInfo::TOOL
            && provider().is_some_and(|provider| provider.info.is_some())
    }

    /// WHAT it does: [`Tool::brief`], with `[destructive]` behind it where annotations say so, and the server's name in front
    /// where a listed tool of another one would have the same (docs/CONTRACT.md B2, B13). At most [`brief::LONGEST`], unless
    /// the operator wrote it.
    pub fn brief(&self) -> &'v str {
        self.view.listed_brief(self.position, brief::LONGEST).unwrap_or_else(|| self.tool.brief())
    }

    /// The same within [`brief::SHORT`].
    pub fn short_brief(&self) -> &'v str {
        self.view.listed_brief(self.position, brief::SHORT).unwrap_or_else(|| self.tool.short_brief())
    }

    /// [`Tool::definition`] under this view's name.
    pub fn definition(&self) -> RawObject {
        self.with_concerns(self.named(self.tool.definition().clone()))
    }

    /// [`Tool::minimal_with`] the brief, under this view's name.
    pub fn minimal(&self) -> RawObject {
        self.minimal_with(self.brief())
    }

    /// [`Tool::minimal_with`] under this view's name.
    pub fn minimal_with(&self, brief: &str) -> RawObject {
        self.with_concerns(self.named(self.tool.minimal_with(brief)))
    }

    /// [`minimal_with`](Self::minimal_with), with the schema where that has at most `most` bytes: asking for it would cost
    /// more than listing it, and else one that says nothing. `most` = 0 withholds all schemas.
    pub fn inlined_with(&self, brief: &str, definitions: Definitions, most: usize) -> RawObject {
        let minimal = self.minimal_with(brief);
        let schema = self.tool.cheap_schema(definitions, most);
        minimal.with("inputSchema", schema.unwrap_or_else(|| self.tool.withheld_schema()))
    }

    /// The entry of [`Tool::entry`] under this view's name.
    pub fn entry(&self) -> RawObject {
        self.named(self.tool.entry().clone())
    }

    /// [`Tool::delivered`] under this view's name.
    pub fn delivered(&self, definitions: Definitions) -> RawObject {
        self.named(self.tool.delivered(definitions))
    }

    fn with_concerns(&self, definition: RawObject) -> RawObject {
        let shows = self.view.extent.shows_concerns;
        if shows { self.tool.mapping().shown_in(&definition) } else { definition }
    }

    fn named(&self, object: RawObject) -> RawObject {
        if self.name == self.tool.key() { object } else { object.with_value("name", self.name) }
    }
}

/// The briefs that differ from those of the tools alone, by the positions of the tools.
pub(crate) type Briefs = HashMap<usize, String>;

/// The briefs of a list within a length: with marks, and with servers' names in front of those that tools of several servers
/// would have alike.
pub(crate) fn listed_briefs(tools: &[(usize, &Tool)], cap: Cap) -> Briefs {
    let marked = |tool: &Tool| {
        brief::fitted("", tool.brief_within(cap), tool.is_destructive(), tool.cap_of_brief(cap))
    };
    let mut alike: HashMap<String, Vec<(usize, &Tool)>> = HashMap::new();
    for (at, tool) in tools {
        alike.entry(marked(tool)).or_default().push((*at, tool));
    }
    let mut briefs = Briefs::new();
    for (brief, tools) in alike {
        let servers: HashSet<&str> = tools.iter().map(|(_, tool)| tool.upstream().as_str()).collect();
        for (at, tool) in tools {
            let said = tool.brief_within(cap);
            if servers.len() > 1 {
                let brief =
                    brief::fitted(tool.upstream(), said, tool.is_destructive(), tool.cap_of_brief(cap));
                briefs.insert(at, brief);
            } else if brief != said {
                briefs.insert(at, brief.clone());
            }
        }
    }
    briefs
}
