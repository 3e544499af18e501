//! Pins: tools that an operator wants listed completely, whatever the strategy withholds of the others
//! (docs/CONTRACT.md S12).
//!
//! A strategy need not know of them. What it lists passes [`Listing::with_pins`], which puts the complete definition in
//! the place of what it made of a pinned tool, and [`Context::authorize`](crate::Context::authorize) asks no receipt for
//! one. [`View::has_pins`] is for its wording, where that says that tools have to be learned first.
//!
//! A pin is about how a tool is listed, not about whether: what is hidden, not permitted or left out by a filter stays so.

use std::collections::HashSet;

use crate::{
    listing::Listing,
    raw::RawObject,
    view::{View, VisibleTool},
};

/// The members by which a definition is complete to a model.
const DEFINING: [&str; 3] = ["description", "inputSchema", "outputSchema"];

impl View {
    /// The listed tools that are pinned.
    pub fn pinned(&self) -> impl Iterator<Item = VisibleTool<'_>> {
        self.tools().filter(VisibleTool::is_pinned)
    }

    /// Whether any listed tool is pinned.
    pub fn has_pins(&self) -> bool {
        self.pinned().next().is_some()
    }
}

impl VisibleTool<'_> {
    /// Whether it is pinned.
    pub fn is_pinned(&self) -> bool {
        self.tool().supplement().pinned
    }
}

impl Listing {
    /// The listing of a view with its pinned tools listed completely: in their places, or, where the strategy lists them
    /// not at all, behind the others.
    pub fn with_pins(mut self, view: &View) -> Self {
        if !view.has_pins() {
            return self;
        }
        let mut seen = HashSet::new();
        for listed in &mut self.tools {
            let tool = listed.string("name").and_then(|name| view.tool(&name));
            let Some(tool) = tool.filter(VisibleTool::is_pinned) else { continue };
            seen.insert(tool.name());
            let definition = tool.definition();
            // What is complete may say more than the definition, as `full` does.
            if !is_complete(listed, &definition) {
                *listed = definition.into_owned();
            }
        }
        let unlisted = view.pinned().filter(|tool| !seen.contains(tool.name()));
        self.tools.extend(unlisted.map(|tool| tool.definition().into_owned()));
        self
    }
}

fn is_complete(listed: &RawObject, definition: &RawObject) -> bool {
    DEFINING.iter().all(|key| listed.member(key) == definition.member(key))
}
