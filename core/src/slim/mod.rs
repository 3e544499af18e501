//! Slim schemas: an `inputSchema` without what no call needs (docs/CONTRACT.md B9).
//!
//! A slim schema accepts exactly what the schema accepts. Left out are definitions that nothing refers to, `$schema` where
//! the default dialect means the same, `$comment`, and titles that repeat a name. All else is the upstream's text, without
//! white space between tokens. Where it is not certain that something can go, it stays.

mod definitions;
mod dialect;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use words::are_the_same;

use crate::raw::RawObject;

/// Schemas of more bytes stay as they are: each level is read again for the level below.
const MAX_BYTES: usize = 1 << 20;
/// Below this depth everything stays.
const MAX_DEPTH: usize = 48;

/// The containers of definitions, in newer and older dialects.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The slim form of a schema, given as JSON text. Anything but an object stays as it is.
pub fn slim(schema: &str) -> String {
    if schema.len() > MAX_BYTES {
        return schema.to_owned();
    }
    let Ok(root) = RawObject::parse(schema).map(|root| root.compact()) else { return schema.to_owned() };
    if !dialect::is_known(&root) {
        return root.text().to_owned();
    }
    let root = without_unused(&root);
    // What is gone cannot depend on the dialect.
    let keeps_dialect = dialect::matters(&root);
    assemble(root.iter().filter_map(|(key, value)| match key {
        "$schema" if !keeps_dialect => None,
        // It names the object of all arguments, of which there is only one.
        "title" if is_text(value) => None,
        _ => slim_member(key, value, 0),
    }))
}

/// The schema without definitions that nothing refers to.
fn without_unused(root: &RawObject) -> RawObject {
    let definitions = definitions::Definitions::of(root);
    let kept = |container: &str, value: &str| {
        let Ok(all) = RawObject::parse(value) else { return Some(value.to_owned()) };
        let kept = all.retain(|name| definitions.keeps(container, name));
        (!kept.is_empty()).then(|| kept.text().to_owned())
    };
    object(root.iter().filter_map(|(key, value)| {
        let value = if DEFINITIONS.contains(&key) { kept(key, value)? } else { value.to_owned() };
        Some((key, value))
    }))
}

/// A schema below the root. `name` is that of the property or definition.
fn subschema(schema: &str, name: Option<&str>, depth: usize) -> String {
    let object = Some(schema).filter(|_| depth < MAX_DEPTH).and_then(|text| RawObject::parse(text).ok());
    let Some(object) = object else { return schema.to_owned() };
    let repeats = |title: &str| name.is_some_and(|name| are_the_same(title, name));
    assemble(object.iter().filter_map(|(key, value)| match key {
        "title" if is_text(value) && object.string("title").is_some_and(|title| repeats(&title)) => None,
        _ => slim_member(key, value, depth),
    }))
}

/// A member of a schema; `None` if it can go.
fn slim_member<'a>(key: &'a str, value: &str, depth: usize) -> Option<(&'a str, String)> {
    let value = match key {
        "$comment" if is_text(value) => return None,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
            match RawObject::parse(value) {
                Ok(all) => named(&all, depth + 1),
                Err(_) => value.to_owned(),
            }
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => each(value, depth + 1),
        "items" if value.starts_with('[') => each(value, depth + 1),
        "items"
        | "additionalProperties"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => subschema(value, None, depth + 1),
        _ => value.to_owned(),
    };
    Some((key, value))
}

/// Schemas by name.
fn named(schemas: &RawObject, depth: usize) -> String {
    assemble(schemas.iter().map(|(name, schema)| (name, subschema(schema, Some(name), depth))))
}

/// Schemas in an array.
fn each(schemas: &str, depth: usize) -> String {
    let Ok(all) = serde_json::from_str::<Vec<&serde_json::value::RawValue>>(schemas) else {
        return schemas.to_owned();
    };
    let all: Vec<String> = all.into_iter().map(|schema| subschema(schema.get(), None, depth)).collect();
    format!("[{}]", all.join(","))
}

fn assemble<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    object(members).text().to_owned()
}

fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> RawObject {
    let members: Vec<(&str, String)> = members.collect();
    RawObject::assemble(members.iter().map(|(key, value)| (*key, value.as_str())))
}

fn is_text(value: &str) -> bool {
    value.starts_with('"')
}
