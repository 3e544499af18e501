//! Answers with descriptions: definitions for hosts that request `tools/describe`, entries for models that call the
//! bridge.

use mcp_disclosure_core::{
    Context, Fault, FetchBounds, Names, Note, RawObject, ToolAnswer, VisibleTool, own_tool_note,
    tool_not_found,
};
use serde_json::{Map, Value, json};

use crate::{Selection, wording};

/// The result of `tools/describe`: a `Tool` object, or `{"tools": [..]}`.
///
/// # Errors
/// [`Fault::InvalidParams`] for the first unknown name.
pub fn definitions(cx: &Context<'_>, selection: &Selection) -> Result<RawObject, Fault> {
    match selection {
        Selection::One(name) => definition(cx, name),
        Selection::Several(names) => {
            let definitions = names.iter().map(|name| definition(cx, name));
            let definitions = definitions.collect::<Result<Vec<_>, _>>()?;
            Ok(RawObject::empty().with_list("tools", &definitions))
        }
    }
}

fn definition(cx: &Context<'_>, name: &str) -> Result<RawObject, Fault> {
    match cx.view.tool(name) {
        Some(tool) => {
            cx.services.notes(Note::Delivered);
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
    let bounds = FetchBounds::default();
    let example = |names: &[&str]| json!({"names": names});
    let names = match names.selected(bounds, wording::MISSING_SELECTION, example) {
        Ok(names) => names,
        Err(refusal) => return ToolAnswer { content: refusal.content, is_error: true },
    };
    let entries = names.into_iter().map(|name| {
        let entry = match cx.view.tool(&name) {
            Some(tool) => entry(cx, tool),
            None if cx.view.reserves(&name) => own_tool_note(&name),
            None => {
                tracing::info!(session = cx.session, tool = name, "description of an unknown tool requested");
                tool_not_found(&name, cx.view, bounds)
            }
        };
        (name, entry)
    });
    ToolAnswer { content: Value::Object(entries.collect::<Map<_, _>>()), is_error: false }
}

fn entry(cx: &Context<'_>, tool: VisibleTool<'_>) -> Value {
    let name = tool.name();
    cx.services.notes(Note::Delivered);
    tracing::info!(session = cx.session, tool = %name, "description delivered");
    let entry = tool.delivered(cx.client.definitions);
    serde_json::from_str(entry.text()).unwrap_or_else(|_| json!({"error": wording::nests_too_deep(name)}))
}
