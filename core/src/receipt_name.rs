//! The argument that carries a receipt, in schemas of tools that may have arguments of such names themselves.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Value, json, value::RawValue};

use crate::{decision::ToolCall, given::may_have, raw::RawObject, raw_text::RawText};

/// The argument that carries a receipt, where a tool has none of that name itself.
pub const ARGUMENT: &str = "disclosure_receipt";

/// Where it has.
const SECOND: &str = "mcp_disclosure_receipt";

/// The description of the argument, by which it is found again.
const DESCRIPTION: &str = "Pass exactly this value";

/// The name of the receipt's argument for a tool of this schema: the first of `disclosure_receipt`,
/// `mcp_disclosure_receipt`, `mcp_disclosure_receipt_2`, `mcp_disclosure_receipt_3` and so on that the schema does not
/// speak of anywhere. The schema is JSON text.
pub(crate) fn argument(schema: Option<&str>) -> Cow<'static, str> {
    let Some(schema) = schema else { return Cow::Borrowed(ARGUMENT) };
    // Looking is cheaper than parsing, and nearly no schema has it; an escape may spell it otherwise.
    if !schema.contains(ARGUMENT) && !schema.contains("\\u") {
        return Cow::Borrowed(ARGUMENT);
    }
    // Without escapes, unless it nests too deep to be read. Between quotes stand all names, and more that does no harm.
    let plain = serde_json::from_str::<Value>(schema).map_or_else(|_| schema.to_owned(), |it| it.to_string());
    let taken: HashSet<&str> = plain.split('"').collect();
    (0..).map(name).find(|name| !taken.contains(&**name)).unwrap_or(Cow::Borrowed(ARGUMENT))
}

/// Separates the receipt from a call. The JSON text of every other argument is kept as received. Arguments that are a JSON
/// object in a string are understood.
pub(crate) fn take(call: ToolCall, name: &str) -> (Option<String>, ToolCall) {
    let Some(given) = call.arguments.as_ref().map(RawText::get) else { return (None, call) };
    // Looking is cheaper than parsing, and in sessions nearly no call has one.
    if given.starts_with('{') && !may_have(given, &[name]) {
        return (None, call);
    }
    let inner = given.starts_with('"').then(|| serde_json::from_str::<String>(given).ok()).flatten();
    let Ok(arguments) = RawObject::parse(inner.as_deref().unwrap_or(given)) else { return (None, call) };
    if arguments.member(name).is_none() {
        return (None, call);
    }
    let rest = arguments.retain(|key| key != name).into_text();
    (arguments.string(name), ToolCall { arguments: Some(rest), ..call })
}

/// The schema with an argument that must bring this receipt.
pub fn require(schema: &RawObject, name: &str, receipt: &str) -> RawObject {
    let argument = json!({"type": "string", "const": receipt, "description": DESCRIPTION});
    let properties = schema.object("properties").unwrap_or_else(RawObject::empty);
    let properties = properties.with_value(name, &argument);
    let mut required: Vec<String> = schema.value("required").unwrap_or_default();
    required.push(name.to_owned());
    schema.with("properties", properties.text()).with_value("required", &required)
}

/// The schema without this argument.
pub fn remove(schema: &RawObject, name: &str) -> RawObject {
    let properties = schema.object("properties").unwrap_or_else(RawObject::empty);
    let schema = schema.with("properties", properties.retain(|key| key != name).text());
    let Some(mut required) = schema.value::<Vec<Value>>("required") else { return schema };
    required.retain(|required| required != name);
    match required.is_empty() {
        true => schema.retain(|key| key != "required"),
        false => schema.with_value("required", &required),
    }
}

/// The members of an example that hold a call's arguments.
const INPUTS: [&str; 2] = ["input", "arguments"];

/// The entry with the receipt in the arguments of its examples, so that they are calls that run.
pub(crate) fn show_in_examples(entry: &RawObject, name: &str, receipt: &str) -> RawObject {
    map_examples(entry, |input| input.with_value(name, receipt))
}

/// The entry without this argument in its examples.
pub fn hide_in_examples(entry: &RawObject, name: &str) -> RawObject {
    map_examples(entry, |input| input.retain(|key| key != name))
}

fn map_examples(entry: &RawObject, change: impl Fn(RawObject) -> RawObject) -> RawObject {
    let examples =
        entry.member("examples").and_then(|text| serde_json::from_str::<Vec<&RawValue>>(text).ok());
    let Some(examples) = examples else { return entry.clone() };
    let changed = |example: &RawValue| {
        let Ok(example) = RawObject::parse(example.get()) else { return example.get().to_owned() };
        let inputs = INPUTS.iter().filter_map(|key| Some((key, example.object(key)?)));
        let inputs: Vec<(&&str, RawObject)> = inputs.collect();
        let changed =
            inputs.into_iter().fold(example, |example, (key, input)| example.with(key, change(input).text()));
        changed.text().to_owned()
    };
    let examples: Vec<String> = examples.into_iter().map(changed).collect();
    entry.with("examples", &format!("[{}]", examples.join(",")))
}

/// The receipt's argument in a schema that was delivered, and the receipt; `None` where it asks for none.
pub fn find(schema: &RawObject) -> Option<(String, String)> {
    let properties = schema.object("properties")?;
    let in_schema = properties.iter().filter_map(|(name, argument)| {
        let argument = rank(name).and_then(|rank| Some((rank, RawObject::parse(argument).ok()?)));
        let (rank, argument) = argument?;
        let receipt = serde_json::from_str::<Value>(argument.member("const")?).ok()?.as_str()?.to_owned();
        let is_ours = argument.string("description").as_deref() == Some(DESCRIPTION);
        Some((is_ours, rank, name.to_owned(), receipt))
    });
    // A tool's own comes first; other servers may describe theirs otherwise.
    let (.., name, receipt) = in_schema.max_by_key(|(is_ours, rank, ..)| (*is_ours, *rank))?;
    Some((name, receipt))
}

/// The name at this place of the order.
fn name(rank: u32) -> Cow<'static, str> {
    match rank {
        0 => Cow::Borrowed(ARGUMENT),
        1 => Cow::Borrowed(SECOND),
        number => Cow::Owned(format!("{SECOND}_{number}")),
    }
}

/// The place of a name in the order; `None` for any other name.
fn rank(text: &str) -> Option<u32> {
    let rank = match text {
        ARGUMENT => 0,
        SECOND => 1,
        _ => text.strip_prefix(SECOND)?.strip_prefix('_')?.parse().ok()?,
    };
    (name(rank) == text).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> RawObject {
        RawObject::parse(text).unwrap()
    }

    #[test]
    fn a_tool_keeps_its_own_arguments_p13() {
        for (text, expected) in [
            (r#"{"properties":{"x":{}}}"#, "disclosure_receipt"),
            (
                r#"{"properties":{"x":{"description":"a disclosure_receipt is no argument"}}}"#,
                "disclosure_receipt",
            ),
            (r#"{"properties":{"disclosure_receipt":{}}}"#, "mcp_disclosure_receipt"),
            (r#"{"properties":{"disclosure\u005freceipt":{}}}"#, "mcp_disclosure_receipt"),
            (r#"{"required":["disclosure_receipt"]}"#, "mcp_disclosure_receipt"),
            (
                r##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"disclosure_receipt":{}}}}}"##,
                "mcp_disclosure_receipt",
            ),
            (r#"{"properties":{"mcp_disclosure_receipt":{}}}"#, "disclosure_receipt"),
            (
                r#"{"properties":{"disclosure_receipt":{},"mcp_disclosure_receipt":{}}}"#,
                "mcp_disclosure_receipt_2",
            ),
            (
                r#"{"properties":{"disclosure_receipt":{},"mcp_disclosure_receipt":{},"mcp_disclosure_receipt_2":{}}}"#,
                "mcp_disclosure_receipt_3",
            ),
        ] {
            assert_eq!(argument(Some(text)), expected, "{text}");
        }
        assert_eq!(argument(None), "disclosure_receipt");
        let deep = format!(
            r#"{{"properties":{{"disclosure_receipt":{{}},"x":{}1{}}}}}"#,
            "[".repeat(500),
            "]".repeat(500)
        );
        assert_eq!(argument(Some(&deep)), "mcp_disclosure_receipt");
    }

    #[test]
    fn what_is_required_is_found_again_p13() {
        for text in [
            r#"{"properties":{"x":{}}}"#,
            r#"{}"#,
            r#"{"properties":{"disclosure_receipt":{"const":"its own"}},"required":["disclosure_receipt"]}"#,
            r#"{"properties":{"mcp_disclosure_receipt":{"const":"its own"}}}"#,
            r#"{"properties":{"mcp_disclosure_receipt":{"const":"one"},"disclosure_receipt":{"const":"two"}}}"#,
        ] {
            let schema = schema(text);
            let name = argument(Some(text));
            let required = require(&schema, &name, "r");
            assert_eq!(find(&required), Some((name.to_string(), "r".to_owned())), "{text}");
            let properties = required.object("properties").unwrap();
            for (own, value) in schema.object("properties").unwrap_or_else(RawObject::empty).iter() {
                assert_eq!(properties.member(own), Some(value), "{text}");
            }
        }
        assert_eq!(find(&schema(r#"{"properties":{"disclosure_receipt":{"type":"string"}}}"#)), None);
        // As an older server says it.
        let other = r#"{"properties":{"disclosure_receipt":{"const":"r"}}}"#;
        assert_eq!(find(&schema(other)), Some(("disclosure_receipt".to_owned(), "r".to_owned())));
    }
}
