//! What servers that disclose progressively send, as tool-descriptions-resource has it: read by hosts and, in front of
//! such servers, by gateways.

use serde_json::Value;

use crate::raw::RawObject;

/// The code for a call of a tool whose description was not fetched (tool-descriptions-resource §6.2).
pub const DESCRIPTION_REQUIRED: &str = "TOOL_DESCRIPTION_REQUIRED";

/// Whether a listed resource has the descriptions of tools: its path ends in `tool_descriptions`
/// (tool-descriptions-resource §4.1, which leaves the scheme to the server).
pub fn is_descriptions(uri: &str) -> bool {
    let base = uri.split(['?', '#']).next().unwrap_or_default();
    base.rsplit(['/', ':']).next() == Some("tool_descriptions")
}

/// The JSON object in a tool's result: the structured content, or else the first text.
pub fn content_of(result: &RawObject) -> Option<RawObject> {
    result.object("structuredContent").or_else(|| {
        let content: Value = result.value("content")?;
        RawObject::parse(content[0]["text"].as_str()?).ok()
    })
}

/// Whether a tool's result is the refusal of a call, because its description has to be fetched first, or again. The
/// reference server of tool-descriptions-guide does so in a text without `isError`.
pub fn wants_description(result: &RawObject) -> bool {
    // Results can be long, and few of them are refusals.
    result.text().contains(DESCRIPTION_REQUIRED)
        && content_of(result)
            .and_then(|content| content.object("error")?.string("code"))
            .is_some_and(|code| code == DESCRIPTION_REQUIRED)
}

/// The object in the text of a resource: descriptions by tool, or an error.
pub fn descriptions(result: &RawObject) -> Option<RawObject> {
    let contents: Value = result.value("contents")?;
    RawObject::parse(contents[0]["text"].as_str()?).ok()
}

/// The description of a tool among those delivered; `None` for one that the server does not know, in whose place is an
/// error (tool-descriptions-resource §6.3).
pub fn description(delivered: &RawObject, tool: &str) -> Option<RawObject> {
    let entry = delivered.object(tool)?;
    let is_unknown = entry.member("error").is_some() && entry.member("name").is_none();
    // Instead of descriptions there can be an error, which a tool of this name looks like.
    let is_refusal = tool == "error" && entry.member("code").is_some() && entry.member("name").is_none();
    (!is_unknown && !is_refusal).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn the_resource_is_known_by_its_path() {
        for uri in
            ["resource:///tool_descriptions", "x://h/tool_descriptions?tools=a", "my:tool_descriptions#x"]
        {
            assert!(is_descriptions(uri), "{uri}");
        }
        for uri in
            ["file:///my_tool_descriptions", "file:///tool_descriptions.md", "x:///tool_descriptions/a", ""]
        {
            assert!(!is_descriptions(uri), "{uri}");
        }
    }

    #[test]
    fn errors_in_the_place_of_descriptions_are_none() {
        let delivered = object(
            r#"{"a":{"name":"a","inputSchema":{}},"b":{"error":"Tool 'b' not found"},"error":{"name":"error"}}"#,
        );
        assert!(description(&delivered, "a").is_some() && description(&delivered, "error").is_some());
        assert!(description(&delivered, "b").is_none() && description(&delivered, "c").is_none());
        assert!(
            description(&object(r#"{"error":{"code":"RATE_LIMITED","message":"m"}}"#), "error").is_none()
        );
        let read = object(r#"{"contents":[{"uri":"x","text":"{\"a\":1}"}]}"#);
        assert_eq!(descriptions(&read).unwrap().text(), r#"{"a":1}"#);
        for nonsense in
            [r#"{"contents":[]}"#, r#"{"contents":[{"text":"7"}]}"#, r#"{"contents":[{"blob":"x"}]}"#, "{}"]
        {
            assert!(descriptions(&object(nonsense)).is_none(), "{nonsense}");
        }
    }
}
