//! Slim schemas: an `inputSchema` without the outer `$schema` and title, titles that repeat their property's name, and definitions
//! that nothing refers to (docs/CONTRACT.md B9). All else is the upstream's text, without white space between tokens.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use crate::raw::RawObject;

/// How much of a definition a bridge delivers. Native channels always deliver all of it, to the letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[derive(strum::Display, strum::EnumMessage, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Definitions {
    /// What a call needs: the description, the slim inputSchema, examples and guidance.
    #[default]
    Slim,
    /// The same with the outputSchema, for models that process structured results.
    Structured,
    /// The whole entry to the letter, with annotations and its digest.
    Exact,
}

/// Schemas of more bytes stay as they are: each level is read again for the level below.
const MAX_BYTES: usize = 1 << 20;
/// Below this depth everything stays.
const MAX_DEPTH: usize = 48;

/// The containers of definitions, in newer and older dialects.
pub const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
/// Members whose values are no schemas.
const DATA: [&str; 5] = ["default", "const", "enum", "example", "examples"];
/// What may refer to a definition in another way than by its place.
const OTHERWISE: [&str; 5] = ["\"$anchor\"", "\"$dynamic", "\"$recursive", "\"$id\"", "\\/"];

/// The slim form of a schema, given as JSON text. Anything but an object stays as it is.
pub fn slim(schema: &str) -> String {
    let root = RawObject::parse(schema).ok().filter(|_| schema.len() <= MAX_BYTES);
    let Some(root) = root else { return schema.to_owned() };
    let without_unused = |root: RawObject, container: &str| {
        let Some(all) = root.object(container) else { return root };
        let rest = root.retain(|key| key != container);
        let used = used(&all, container, rest.text());
        if used.is_empty() { rest } else { root.with(container, used.text()) }
    };
    // The title of the whole names the object of all arguments, of which there is only one.
    let is_text = |key: &str| root.string(key).is_some();
    let root = root.compact().retain(|key| key != "$schema" && !(key == "title" && is_text(key)));
    // What goes from one container may have been all that referred to the other; no schema of a person needs that many rounds.
    let root = DEFINITIONS.into_iter().cycle().take(12).fold(root, without_unused);
    slimmed(root.text(), None, 0)
}

/// The definitions that a text refers to, directly or by each other.
pub fn used(all: &RawObject, container: &str, text: &str) -> RawObject {
    let (path, by_name) = (format!("/{container}/"), all.iter().collect::<HashMap<_, _>>());
    let (mut used, mut next) = (HashSet::new(), vec![text]);
    while let Some(text) = next.pop() {
        let names = text.split(&*path).skip(1).filter_map(|rest| rest.split(['"', '/']).next());
        next.extend(names.filter(|name| used.insert(*name)).filter_map(|name| by_name.get(name).copied()));
    }
    let is_escaped = used.iter().any(|name| name.contains(['%', '~', '\\']));
    let may_be_meant = is_escaped
        || text.contains(&format!("/{container}\""))
        || OTHERWISE.iter().any(|word| text.contains(word) || all.text().contains(word));
    all.retain(|name| may_be_meant || used.contains(name))
}

/// A schema, or several, without repeated titles; `name` is that of the property.
fn slimmed(text: &str, name: Option<&str>, depth: usize) -> String {
    if depth >= MAX_DEPTH || !text.starts_with(['{', '[']) {
        return text.to_owned();
    }
    if let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let all: Vec<String> = all.iter().map(|one| slimmed(one.get(), None, depth + 1)).collect();
        return format!("[{}]", all.join(","));
    }
    let Ok(schema) = RawObject::parse(text) else { return text.to_owned() };
    let title = schema.string("title").filter(|title| name.is_some_and(|name| are_the_same(title, name)));
    let kept = schema.retain(|key| key != "title" || title.is_none());
    each(&kept, |key, value| match schema.object(key).filter(|_| key == "properties") {
        Some(all) => each(&all, |name, schema| slimmed(schema, Some(name), depth + 1)),
        None if DATA.contains(&key) || key.starts_with("x-") => value.to_owned(),
        None => slimmed(value, None, depth + 1),
    })
}

fn each(members: &RawObject, change: impl Fn(&str, &str) -> String) -> String {
    let changed: Vec<(&str, String)> = members.iter().map(|(key, value)| (key, change(key, value))).collect();
    RawObject::assemble(changed.iter().map(|(key, value)| (*key, value.as_str()))).text().to_owned()
}

/// Whether a title and a name differ by case, spaces and punctuation only: "Time Zone" and `time_zone`.
pub(crate) fn are_the_same(title: &str, name: &str) -> bool {
    let letters = |text: &str| text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "");
    letters(title) == letters(name) && title.contains(char::is_alphanumeric)
}

#[cfg(test)]
#[path = "slim_tests.rs"]
mod tests;
