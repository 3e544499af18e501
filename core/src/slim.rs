//! Slim schemas: an `inputSchema` without the outer `$schema` and without titles that repeat their property's name
//! (docs/CONTRACT.md B9). All else is the upstream's text, without white space between tokens.

use serde_json::value::RawValue;

use crate::raw::RawObject;

/// Schemas of more bytes stay as they are: each level is read again for the level below.
const MAX_BYTES: usize = 1 << 20;
/// Below this depth everything stays.
const MAX_DEPTH: usize = 48;

/// Members whose values are schemas by name.
const BY_NAME: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];
/// Members whose values are schemas, or arrays of them.
#[rustfmt::skip]
const SCHEMAS: [&str; 15] = [
    "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "additionalItems", "allOf", "anyOf", "oneOf", "prefixItems",
];

/// The slim form of a schema, given as JSON text. Anything but an object stays as it is.
pub fn slim(schema: &str) -> String {
    match RawObject::parse(schema).map(|root| root.compact()) {
        Ok(root) if schema.len() <= MAX_BYTES => slimmed(root.retain(|key| key != "$schema").text(), None, 0),
        _ => schema.to_owned(),
    }
}

/// A schema, and the name of the property that it is of.
fn slimmed(schema: &str, name: Option<&str>, depth: usize) -> String {
    if let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(schema) {
        let all: Vec<String> = all.iter().map(|one| slimmed(one.get(), None, depth + 1)).collect();
        return format!("[{}]", all.join(","));
    }
    let object = Some(schema).filter(|_| depth < MAX_DEPTH).and_then(|text| RawObject::parse(text).ok());
    let Some(object) = object else { return schema.to_owned() };
    let repeats = |name: &str| object.string("title").is_some_and(|title| are_the_same(&title, name));
    let members = object.iter().filter(|(key, _)| *key != "title" || !name.is_some_and(repeats));
    let slim = members.map(|(key, value)| (key, member(key, value, depth))).collect::<Vec<_>>();
    RawObject::assemble(slim.iter().map(|(key, value)| (*key, value.as_str()))).text().to_owned()
}

fn member(key: &str, value: &str, depth: usize) -> String {
    let named = BY_NAME.contains(&key).then(|| RawObject::parse(value).ok()).flatten();
    let Some(named) = named else {
        return if SCHEMAS.contains(&key) { slimmed(value, None, depth + 1) } else { value.to_owned() };
    };
    let name = |name| Some(name).filter(|_| key == "properties");
    let slim =
        named.iter().map(|(key, value)| (key, slimmed(value, name(key), depth + 1))).collect::<Vec<_>>();
    RawObject::assemble(slim.iter().map(|(key, value)| (*key, value.as_str()))).text().to_owned()
}

/// Whether a title and a name differ by case, spaces and punctuation only: "Time Zone" and `time_zone`.
pub(crate) fn are_the_same(title: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let title = letters(title);
    !title.is_empty() && title == letters(name)
}

#[cfg(test)]
#[path = "slim_tests.rs"]
mod tests;
