//! The subject of a comparison, taken from a catalogue.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_compare::{Subject, Tool};
use mcp_disclosure_core::{Principal, RawObject, Snapshot, ToolName, View, VisibleTool};
use mcp_disclosure_gateway::upstream::Upstream;

/// The tools of a catalogue, as this client sees them.
pub(super) fn of(snapshot: &Arc<Snapshot>, caller: &Principal, upstreams: &[Arc<Upstream>]) -> Subject {
    let view = View::of(Arc::clone(snapshot), caller);
    let sorted = view.categories().flat_map(|category| {
        category.tools().map(move |tool| (tool.name().clone(), category.name().to_owned()))
    });
    let categories: HashMap<ToolName, String> = sorted.collect();
    let tools = view.tools().map(|visible| Tool {
        name: visible.name().to_string(),
        origin: (visible.tool().upstream().to_string(), visible.tool().upstream_name().to_string()),
        category: categories.get(visible.name()).cloned().unwrap_or_default(),
        definition: visible.definition().into_owned(),
        example: example(&visible).and_then(|example| example.object("input")),
        purpose: example(&visible).and_then(|example| example.string("description")),
    });
    // Names only: commands and URLs may contain secrets.
    let names: Vec<String> = upstreams.iter().map(|upstream| upstream.name().to_string()).collect();
    Subject::new(names.join(", "), tools.collect())
}

/// The first example of a description file.
fn example(tool: &VisibleTool<'_>) -> Option<RawObject> {
    let examples = tool.tool().supplement().part("examples")?;
    serde_json::from_str::<Vec<RawObject>>(examples).ok()?.into_iter().next()
}
