//! Tools of the size of those of real servers: about 1.4 kB each.

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
pub fn definitions(count: usize) -> Vec<Box<RawValue>> {
    (0..count).map(|number| to_raw_value(&definition(number)).expect("a value is JSON")).collect()
}
