//! What is listed and said, which is in `data/conformance.json`: the items of each kind, `listed` and the one by which a list has
//! `grown`, and by name `results`, and the `scripts` of what asks. `{name}` stands for the argument of this name.

use std::sync::LazyLock;

use rmcp::{
    ErrorData,
    model::{ReadResourceResponse, ReadResourceResult},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

static DATA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../data/conformance.json")).unwrap());

/// The items of a kind, with one more while the list has grown.
pub(super) fn listed<T: DeserializeOwned>(kind: &str, has_grown: bool) -> Vec<T> {
    let more = has_grown.then(|| &DATA[kind]["grown"]);
    DATA[kind]["listed"].as_array().into_iter().flatten().chain(more).cloned().map(typed).collect()
}

/// What `part` of a kind says by this name, if it says anything, to these arguments.
pub(super) fn said<T: DeserializeOwned>(kind: &str, part: &str, name: &str, arguments: &Value) -> Option<T> {
    let mut text = DATA[kind][part].get(name)?.to_string();
    for (name, argument) in arguments.as_object().into_iter().flatten() {
        if argument.is_string() {
            let quoted = argument.to_string();
            text = text.replace(&format!("{{{name}}}"), &quoted[1..quoted.len() - 1]);
        }
    }
    Some(serde_json::from_str(&text).unwrap())
}

/// The contents of a resource.
pub(super) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
    let name = if id.is_some() { "test://template/{id}/data" } else { uri };
    let contents = said("resources", "results", name, &json!({"id": id}));
    let unknown = || ErrorData::resource_not_found("Resource not found", Some(json!({"uri": uri})));
    Ok(result::<ReadResourceResult>(contents.ok_or_else(unknown)?).into())
}

/// A value as `rmcp` has it.
pub(super) fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A result as `rmcp` has it. It fills the era's `resultType` in for values of its own making only.
pub(super) fn result<T: DeserializeOwned>(mut members: Value) -> T {
    members["resultType"] = "complete".into();
    typed(members)
}
