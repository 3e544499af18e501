//! The subject of a comparison, taken from a catalogue.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_compare::{Subject, Tool};
use mcp_disclosure_core::{Principal, RawObject, Snapshot, ToolName, View};
use mcp_disclosure_gateway::upstream::Upstream;

/// The tools of a catalogue, as an anonymous client sees them.
pub(super) fn of(snapshot: &Arc<Snapshot>, upstreams: &[Arc<Upstream>]) -> Subject {
    let view = View::of(Arc::clone(snapshot), &Principal::anonymous());
    let sorted = view.categories().flat_map(|category| {
        category.tools().map(move |tool| (tool.name().clone(), category.name().to_owned()))
    });
    let categories: HashMap<ToolName, String> = sorted.collect();
    let tools = view.tools().map(|visible| Tool {
        name: visible.name().to_string(),
        origin: (visible.tool().upstream().to_string(), visible.tool().upstream_name().to_string()),
        category: categories.get(visible.name()).cloned().unwrap_or_default(),
        definition: visible.definition().into_owned(),
        example: example(visible.tool().supplement().part("examples")),
    });
    // Names only: commands and URLs may contain secrets.
    let names: Vec<String> = upstreams.iter().map(|upstream| upstream.name().to_string()).collect();
    Subject { source: names.join(", "), tools: tools.collect() }
}

/// The input of the first example.
fn example(examples: Option<&str>) -> Option<RawObject> {
    let examples: Vec<RawObject> = serde_json::from_str(examples?).ok()?;
    examples.first()?.object("input")
}
