//! Hints of a listed tool that say what is assumed anyway.

use mcp_disclosure_core::RawObject;

/// A listed tool without annotations that have their defaults, follow from others or change no call, and without `execution` that only
/// forbids tasks: a third of the tokens of a list of names and short descriptions, and MCP assumes the same without them.
/// Unknown members stay.
pub fn without_defaults(listed: RawObject) -> RawObject {
    let forbids_tasks = listed
        .object("execution")
        .is_some_and(|execution| execution.iter().all(|member| member == ("taskSupport", "\"forbidden\"")));
    let listed = if forbids_tasks { listed.retain(|key| key != "execution") } else { listed };
    let Some(annotations) = listed.object("annotations") else { return listed };
    let is = |key: &str, value: &str| annotations.member(key) == Some(value);
    let reads = is("readOnlyHint", "true");
    let destroys = !reads && is("destructiveHint", "true");
    let kept = annotations.retain(|key| match key {
        // What destroys writes.
        "readOnlyHint" => !destroys,
        // These are about tools that write.
        "destructiveHint" => !reads,
        "idempotentHint" => !reads && !is(key, "false"),
        // Codex asks its user before a call of a tool that writes, unless it says that it neither destroys nor reaches others.
        "openWorldHint" => !reads && !destroys,
        // The older place of a title; the description says more.
        "title" => false,
        _ => true,
    });
    if kept.is_empty() {
        listed.retain(|key| key != "annotations")
    } else {
        listed.with("annotations", kept.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b5_what_is_assumed_anyway_is_left_out() {
        for (listed, expected) in [
            (
                r#"{"title":"T","annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}}"#,
                r#"{"title":"T","annotations":{"readOnlyHint":true}}"#,
            ),
            (
                r#"{"annotations":{"title":"T","readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}}"#,
                r#"{"annotations":{"destructiveHint":true}}"#,
            ),
            (
                r#"{"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false,"x-own":[1.0]}}"#,
                r#"{"annotations":{"readOnlyHint":false,"destructiveHint":false,"openWorldHint":false,"x-own":[1.0]}}"#,
            ),
            (
                r#"{"a":1,"annotations":{"openWorldHint":true},"execution":{"taskSupport":"forbidden"}}"#,
                r#"{"a":1,"annotations":{"openWorldHint":true}}"#,
            ),
            (
                r#"{"execution":{"taskSupport":"optional"},"annotations":7}"#,
                r#"{"execution":{"taskSupport":"optional"},"annotations":7}"#,
            ),
        ] {
            assert_eq!(without_defaults(RawObject::parse(listed).unwrap()).text(), expected);
        }
    }
}
