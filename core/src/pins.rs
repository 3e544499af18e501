//! Pins: tools that an operator wants listed completely, whatever the strategy withholds of the others
//! (docs/CONTRACT.md S12), and those that hosts need for pages (S14).
//!
//! A strategy need not know of them. What it lists passes [`Listing::with_pins`], which puts the complete definition in
//! the place of what it made of a pinned tool, and [`Context::authorize`](crate::Context::authorize) asks no receipt for
//! one. [`View::has_pins`] is for its wording, where that says that tools have to be learned first.
//!
//! A pin is about how a tool is listed, not about whether: what is hidden, not permitted or left out by a filter stays so.

use std::collections::HashSet;

use crate::{
    catalogue::{view::View, visible_tool::VisibleTool},
    listing::Listing,
    raw::RawObject,
};

/// The member to which strategies add.
const META: &str = "_meta";

impl View {
    /// The listed tools that are pinned.
    pub fn pinned(&self) -> impl Iterator<Item = VisibleTool<'_>> {
        self.all_tools().filter(VisibleTool::is_pinned)
    }

    /// Whether any listed tool is pinned.
    pub fn has_pins(&self) -> bool {
        self.pinned().next().is_some()
    }
}

impl VisibleTool<'_> {
    /// Whether it is pinned: by the operator, or since a host needs it for pages.
    pub fn is_pinned(&self) -> bool {
        let supplement = self.tool().supplement();
        supplement.pinned || supplement.paged
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
            // What is complete may say more in `_meta`, as `full` does.
            if !is_complete(listed, &definition) {
                *listed = definition;
            }
        }
        let unlisted = view.pinned().filter(|tool| !seen.contains(tool.name()));
        self.tools.extend(unlisted.map(|tool| tool.definition()));
        self
    }

    /// The tools of a view that this list has with their complete definition, pinned or not.
    pub fn complete_tools<'v>(&self, view: &'v View) -> impl Iterator<Item = VisibleTool<'v>> {
        self.tools.iter().filter_map(|listed| {
            let tool = view.tool(&listed.string("name")?)?;
            is_complete(listed, &tool.definition()).then_some(tool)
        })
    }
}

fn is_complete(listed: &RawObject, definition: &RawObject) -> bool {
    definition.iter().all(|(key, value)| key == META || listed.member(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        catalogue::rules::{Rule, Rules},
        fixtures::{ruled, upstream, view_of},
        full::with_host_hints,
    };

    #[test]
    fn s12_a_meta_that_is_no_object_is_left_alone() {
        for (meta, expected) in [
            (json!(7), json!(7)),
            (json!({"anthropic/alwaysLoad": false, "k": 1}), json!({"anthropic/alwaysLoad": true, "k": 1})),
        ] {
            let upstreams = [upstream("a", [json!({"name": "t", "inputSchema": {}, "_meta": meta})])];
            let pin = Rule { pinned: true, ..Rule::new("t", String::new()) };
            let view = view_of(ruled(&upstreams, Rules { tools: vec![pin], ..Rules::default() }));
            let listed = with_host_hints(view.tool("t").unwrap());
            assert_eq!(serde_json::from_str::<Value>(listed.member("_meta").unwrap()).unwrap(), expected);
        }
    }
}
