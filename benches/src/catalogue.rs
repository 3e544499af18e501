//! Tools of the size of those of real servers: about 1.4 kB each.

use std::sync::Arc;

use mcp_disclosure_core::{Snapshot, UpstreamLists, UpstreamName};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

/// The tool that is called.
pub const CALLED: &str = "tool_00001";

/// Valid arguments of it.
pub fn arguments() -> Value {
    json!({"parameter_0": "hello", "parameter_1": 5})
}

/// One definition.
pub fn definition(number: usize) -> Value {
    let properties: serde_json::Map<String, Value> = (0..9)
        .map(|at| {
            let kind = if at % 2 == 0 { "string" } else { "integer" };
            let description =
                format!("What parameter {at} of tool {number} means, in a sentence as long as usual.");
            (format!("parameter_{at}"), json!({"type": kind, "description": description}))
        })
        .collect();
    json!({
        "name": format!("tool_{number:05}"),
        "title": format!("Tool number {number}"),
        "description": format!(
            "Does the one useful thing that tool number {number} is for. Use it when nothing else fits. \
             It takes nine parameters, two of which are required, and answers with a short text."
        ),
        "inputSchema": {
            "type": "object", "properties": properties,
            "required": ["parameter_0", "parameter_1"], "additionalProperties": false,
        },
        "annotations": {"readOnlyHint": true},
    })
}

/// `count` definitions, as text.
///
/// # Errors
/// None in practice: the definitions are valid.
pub fn definitions(count: usize) -> serde_json::Result<Vec<Box<RawValue>>> {
    (0..count).map(|number| to_raw_value(&definition(number))).collect()
}

/// The lists of an upstream with `count` tools.
///
/// # Errors
/// None in practice: the definitions are valid.
pub fn lists(count: usize) -> Result<UpstreamLists, String> {
    let name = UpstreamName::parse("bench").map_err(|error| error.to_string())?;
    let tools = definitions(count).map_err(|error| error.to_string())?;
    Ok(UpstreamLists { tools: tools.into_iter().map(Into::into).collect(), ..UpstreamLists::empty(name) })
}

/// A snapshot of `count` tools.
///
/// # Errors
/// None in practice: the definitions are valid.
pub fn snapshot(count: usize) -> Result<Arc<Snapshot>, String> {
    Ok(Arc::new(Snapshot::build(&[lists(count)?], &[])))
}
