//! What an operator says of tools, for hosts that defer tools by themselves (docs/CONTRACT.md S12).
//!
//! Such a host receives complete definitions, puts names before its model, and searches the rest. In the `_meta` of a
//! tool it reads which are never deferred, and by which words the others are found.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::{raw::RawObject, view::VisibleTool};

/// `true`: the host does not defer the tool. Said of pinned tools.
pub const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// The words for the host's search. Said where the operator wrote a brief.
pub const SEARCH_HINT: &str = "anthropic/searchHint";

/// A tool's definition with what the operator says of it in `_meta`. Without a pin and a brief it is the definition to
/// the letter; so is a definition whose `_meta` is no object.
pub fn with_host_hints(tool: VisibleTool<'_>) -> Cow<'_, RawObject> {
    let definition = tool.definition();
    let brief = tool.tool().supplement().brief.as_deref();
    let hints = [
        (ALWAYS_LOAD, tool.is_pinned().then_some(Value::Bool(true))),
        (SEARCH_HINT, brief.map(|brief| json!(brief.trim()))),
    ];
    let hints: Vec<(&str, Value)> =
        hints.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    let meta = match definition.member("_meta") {
        None => Some(RawObject::empty()),
        Some(_) => definition.object("_meta"),
    };
    let Some(meta) = meta.filter(|_| !hints.is_empty()) else { return definition };
    let meta = hints.iter().fold(meta, |meta, (key, value)| meta.with_value(key, value));
    Cow::Owned(definition.with("_meta", meta.text()))
}
