//! JSON in a string where only an object or an array can be meant.

use serde_json::Value;

use super::MAX_MEMORY;
use crate::size;

/// Replaces such strings by what they hold: at the top, and for the arguments whose schema allows objects and arrays (or null)
/// and nothing else. Returns whether there were any.
///
/// `None` where they hold more than is judged.
pub(super) fn apply(schema: &Value, arguments: &mut Value) -> Option<bool> {
    let mut left = MAX_MEMORY;
    let mut is_repaired = false;
    if let Value::String(text) = arguments
        && let Some(object @ Value::Object(_)) = parse(text, &mut left)?
    {
        (*arguments, is_repaired) = (object, true);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in arguments.as_object_mut().into_iter().flatten() {
        if let Value::String(text) = value
            && properties.and_then(|properties| properties.get(name)).is_some_and(allows_only_containers)
            && let Some(container) = parse(text, &mut left)?
        {
            (*value, is_repaired) = (container, true);
        }
    }
    Some(is_repaired)
}

/// The object or array that a text is; `Some(None)` where it is none.
#[allow(clippy::option_option, reason = "see above")]
fn parse(text: &str, left: &mut usize) -> Option<Option<Value>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Some(None);
    }
    *left = left.checked_sub(size::memory(text))?;
    Some(serde_json::from_str(text).ok())
}

/// Whether `type` names `object` or `array` (or null) and nothing else.
fn allows_only_containers(schema: &Value) -> bool {
    let container = |name: &Value| matches!(name.as_str(), Some("object" | "array"));
    match schema.get("type") {
        Some(Value::Array(names)) => {
            names.iter().any(container) && names.iter().all(|name| container(name) || name == "null")
        }
        Some(name) => container(name),
        None => false,
    }
}
