//! Tools that are described and do not run: those whose definition says `"callable": false` (docs/CONTRACT.md M7).
//!
//! The gateway refuses their calls, whichever strategy serves the caller and whatever tool the call came through. Nothing
//! else about them differs: they are listed, found and described, so that a model can say what is missing.

use crate::{decision::Refusal, raw::RawObject};

/// The key of deterministic groups in `capabilities.experimental`, where some servers repeat the capability, and in
/// the `_meta` of tools.
pub const DETERMINISTIC_GROUPS: &str = "experimental/deterministic-groups";

/// What a model reads instead of a result.
const UNAVAILABLE: &str = "This tool is not available at present. It did not run.";

impl Refusal {
    /// The refusal of a call of a tool that is not callable: `UNAVAILABLE`.
    pub fn unavailable() -> Self {
        Self::of("UNAVAILABLE", UNAVAILABLE)
    }
}

/// Whether a tool may run: the `_meta["experimental/deterministic-groups"]` of its definition does not say `"callable": false`.
pub(crate) fn is_callable(definition: &RawObject) -> bool {
    said_of_groups(definition).member("callable") != Some("false")
}

/// What a definition says of deterministic groups: which it is in, and whether it is callable.
pub fn said_of_groups(definition: &RawObject) -> RawObject {
    let said = definition.object("_meta").and_then(|meta| meta.object(DETERMINISTIC_GROUPS));
    said.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::fixtures::view_with;

    #[test]
    fn m7_a_tool_is_callable_unless_its_definition_says_false() {
        for (meta, callable) in [
            (json!({"experimental/deterministic-groups": {"groups": [], "callable": false}}), false),
            (json!({"experimental/deterministic-groups": {"callable": false}, "x": 1}), false),
            (json!({"experimental/deterministic-groups": {"callable": true}}), true),
            (json!({"experimental/deterministic-groups": {"callable": "false"}}), true),
            (json!({"experimental/deterministic-groups": {}}), true),
            (json!({"experimental/deterministic-groups": false}), true),
            (json!({"callable": false}), true),
            (json!(7), true),
        ] {
            let view = view_with([json!({"name": "a", "inputSchema": {}, "_meta": meta})]);
            assert_eq!(view.tool("a").unwrap().tool().is_callable(), callable, "{meta}");
        }
    }
}
