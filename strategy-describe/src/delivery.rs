//! Answers with descriptions: definitions for hosts that request `tools/describe`, entries for models that call the
//! bridge.

use mcp_disclosure_core::{Context, Fault, FetchBounds, Names, Note, RawObject, ToolAnswer, VisibleTool};
use serde_json::json;

use crate::{Selection, wording};

/// The result of `tools/describe`: a `Tool` object, or `{"tools": [..]}`.
///
/// # Errors
/// [`Fault::InvalidParams`] for the first unknown name.
pub fn definitions(cx: &Context<'_>, selection: &Selection) -> Result<RawObject, Fault> {
    let found = match selection {
        Selection::One(name) => definition(cx, name)?,
        Selection::Several(names) => {
            let definitions = names.iter().map(|name| definition(cx, name));
            let definitions = definitions.collect::<Result<Vec<_>, _>>()?;
            RawObject::empty().with_list("tools", &definitions)
        }
    };
    cx.note(Note::Delivered);
    Ok(found)
}

fn definition(cx: &Context<'_>, name: &str) -> Result<RawObject, Fault> {
    match cx.view.tool(name) {
        Some(tool) => {
            tracing::info!(session = cx.session, tool = name, "definition delivered");
            Ok(tool.definition())
        }
        None => {
            tracing::info!(session = cx.session, tool = name, "definition of an unknown tool requested");
            Err(Fault::InvalidParams(wording::unknown_tool(name)))
        }
    }
}

/// The bridge's answer: an object from name to entry, or to an error. Nothing is authorized, so there are no effects,
/// and fetches are not rate limited.
pub fn entries(cx: &Context<'_>, names: Names<'_>) -> ToolAnswer {
    let example = |names: &[&str]| json!({"names": names});
    let entry = |tool: VisibleTool<'_>| tool.delivered(cx.client.definitions);
    let message = wording::MISSING_SELECTION;
    ToolAnswer::of_fetch(cx.descriptions(names, FetchBounds::default(), message, example, entry))
}
