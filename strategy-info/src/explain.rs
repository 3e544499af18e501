//! How a tool is called, in the form of the info-tool document (docs/CONTRACT.md I4): the first level of parameters in words.
//! What is nested is given as its schema, and so is what concerns several parameters.

use std::collections::HashSet;

use mcp_disclosure_core::{
    RawObject,
    slim::{self, DEFINITIONS},
    type_of,
};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::wording;

/// Maximum number of parameters; required ones come first.
const MOST_PARAMETERS: usize = 200;

/// How many references and single alternatives are followed one after the other.
const MOST_STEPS: usize = 8;

/// Keywords of which the outermost counts.
const ANNOTATIONS: [&str; 5] = ["title", "description", "default", "examples", "$comment"];

/// The parameters of an `inputSchema` by name, and beside them, where needed, the rest of the schema, the definitions that are
/// referred to, and a note.
pub fn parameters(schema: &str) -> Map<String, Value> {
    let root = Schema::of(schema);
    let own = root.resolved(&root.0);
    let properties = own.object("properties").unwrap_or_else(RawObject::empty);
    let required: HashSet<String> = required(&own).into_iter().collect();
    let mut possible: Vec<(&str, &str)> =
        properties.iter().filter(|(_, schema)| *schema != "false").collect();
    let more = possible.len().saturating_sub(MOST_PARAMETERS);
    if more > 0 {
        possible.sort_by_key(|(name, _)| !required.contains(*name));
        possible.truncate(MOST_PARAMETERS);
    }
    let explained = possible
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), root.parameter(schema, required.contains(name)).into()));
    let explained: Map<String, Value> = explained.collect();
    let is_open = explained.is_empty()
        && own.member("additionalProperties") != Some("false")
        && own.member("properties").is_none();
    let named: HashSet<&str> = properties.iter().map(|(name, _)| name).collect();
    let names_others = required.iter().any(|name| !named.contains(name.as_str()));
    let rest = own.retain(|key| match key {
        "type" | "properties" | "title" | "description" | "$schema" | "$ref" | "$comment" => false,
        "required" => names_others,
        "additionalProperties" => own.object(key).is_some_and(|schema| !schema.is_empty()),
        key => !DEFINITIONS.contains(&key),
    });
    let mut answer = Map::from_iter([("parameters".to_owned(), explained.into())]);
    if !rest.is_empty() {
        answer.insert("schema".to_owned(), read(rest.text()));
    }
    if more > 0 {
        answer.insert("note".to_owned(), wording::more_parameters(more).into());
    } else if is_open && rest.is_empty() {
        answer.insert("note".to_owned(), wording::OPEN.into());
    }
    for container in DEFINITIONS {
        let used = root.used(container, &answer);
        answer.extend(used.map(|used| (container.to_owned(), used)));
    }
    answer
}

/// The parameters of a small `inputSchema` in a phrase each, or as [`parameters`] has them where a phrase does not do. `None` if
/// the schema states more than parameters.
pub fn in_short(schema: &str) -> Option<Value> {
    let mut all = parameters(schema);
    let Some(Value::Object(parameters)) = all.shift_remove("parameters") else { return None };
    match (parameters.is_empty(), all.is_empty()) {
        (true, true) => Some(wording::NO_PARAMETERS.into()),
        (true, false) => (all.get("note")? == wording::OPEN).then(|| wording::ANY_PARAMETERS.into()),
        (false, false) => None,
        (false, true) => {
            let short = |(name, parameter): (String, Value)| {
                let is_flat =
                    |members: &&Map<_, _>| !members.contains_key("schema") || items(members).is_some();
                let phrase = parameter.as_object().filter(is_flat).map(phrase);
                (name, phrase.map_or(parameter, Value::from))
            };
            Some(parameters.into_iter().map(short).collect::<Map<_, _>>().into())
        }
    }
}

/// The members of an `outputSchema`, a phrase for each, or the phrase for a whole that has none. `None` if it says nothing.
pub fn returns(schema: &str) -> Option<Value> {
    let root = Schema::of(schema);
    let whole = root.parameter(schema, false);
    let properties = root.resolved(&root.0).object("properties");
    let members = properties.iter().flat_map(RawObject::iter).map(|(name, schema)| {
        let member = root.parameter(schema, false);
        (name.to_owned(), Value::from(phrase(&member)))
    });
    let members: Map<String, Value> = members.collect();
    if !members.is_empty() {
        return Some(members.into());
    }
    let says = !matches!(whole.get("type").and_then(Value::as_str), Some(wording::ANYTHING | "object"));
    says.then(|| phrase(&whole).into())
}

/// A parameter as a phrase: "integer, required, minimum 1: How many".
fn phrase(parameter: &Map<String, Value>) -> String {
    let parts = parameter.iter().filter_map(|(key, value)| match (&**key, value) {
        ("description" | "schema", _) | ("required", Value::Bool(false)) => None,
        ("type", Value::String(words)) => match items(parameter) {
            Some(items) => Some(format!("{words} of {items}")),
            None => Some(words.clone()),
        },
        ("required", _) => Some(key.clone()),
        ("options", Value::Array(options)) => Some(wording::one_of(options)),
        ("examples", Value::Array(examples)) => examples.first().map(wording::for_example),
        _ => Some(format!("{key} {value}")),
    });
    let kind = parts.collect::<Vec<_>>().join(", ");
    match parameter.get("description").and_then(Value::as_str) {
        Some(description) if kind == wording::ANYTHING => description.to_owned(),
        Some(description) => format!("{kind}: {description}"),
        None => kind,
    }
}

/// The type of a parameter's items, if it has no other part.
fn items(parameter: &Map<String, Value>) -> Option<&str> {
    let schema = parameter.get("schema")?.as_object().filter(|schema| schema.len() == 1)?;
    let items = schema.get("items")?.as_object().filter(|items| items.len() == 1)?;
    items.get("type")?.as_str()
}

/// A whole schema, slim.
struct Schema(RawObject);

impl Schema {
    fn of(text: &str) -> Self {
        Self(RawObject::parse(slim::slim(text)).unwrap_or_else(|_| RawObject::empty()))
    }

    /// One parameter: what the document names, in its words; the other keywords as they are, those with parts as a schema.
    fn parameter(&self, schema: &str, is_required: bool) -> Map<String, Value> {
        let own = RawObject::parse(schema).unwrap_or_else(|_| RawObject::empty());
        let own = self.resolved(&own);
        let several = |all: &str, one: &str| {
            own.member(all).map(str::to_owned).or_else(|| Some(format!("[{}]", own.member(one)?)))
        };
        let (options, examples) = (several("enum", "const"), several("examples", "example"));
        let types = self.types(&own, MOST_STEPS);
        let words = if types.is_empty() { wording::ANYTHING.to_owned() } else { types.join(" or ") };
        let mut explained = Map::from_iter([("type".to_owned(), words.into())]);
        explained.extend(own.member("description").map(|text| ("description".to_owned(), read(text))));
        explained.insert("required".to_owned(), is_required.into());
        explained.extend(own.member("default").map(|value| ("default".to_owned(), read(value))));
        explained.extend(options.map(|values| ("options".to_owned(), read(&values))));
        explained.extend(examples.map(|values| ("examples".to_owned(), read(&values))));
        let said = ["type", "description", "default", "enum", "const", "examples", "example", "$comment"];
        let rest = own.retain(|key| !(said.contains(&key) || (is_alternatives(key) && are_types(&own, key))));
        let (nested, plain): (Vec<_>, Vec<_>) =
            rest.iter().partition(|(_, value)| value.starts_with(['{', '[']));
        let plain = plain.into_iter().filter(|(key, _)| !explained.contains_key(*key));
        let plain: Vec<_> = plain.map(|(key, value)| (key.to_owned(), read(value))).collect();
        explained.extend(plain);
        if !nested.is_empty() {
            explained.insert("schema".to_owned(), read(RawObject::assemble(nested).text()));
        }
        explained
    }

    /// A schema with what it refers to, and with the only one of its alternatives that is not null.
    fn resolved(&self, schema: &RawObject) -> RawObject {
        let mut resolved = schema.clone();
        let mut may_be_null = false;
        for _ in 0..MOST_STEPS {
            let Some((key, part, is_nullable)) = self.only_part(&resolved) else { break };
            let outer = resolved.retain(|outer| outer != key);
            // Both hold: what one keyword says in two ways is given as it is.
            let contradicts = |(key, value): (&str, &str)| {
                !ANNOTATIONS.contains(&key) && outer.member(key).is_some_and(|own| own != value)
            };
            if part.iter().any(contradicts) {
                break;
            }
            may_be_null |= is_nullable;
            resolved = outer.over(&part);
        }
        let mut types = self.types(&resolved, MOST_STEPS);
        if may_be_null && !types.is_empty() && !types.iter().any(|kind| kind == "null") {
            types.push("null".to_owned());
            resolved = resolved.with_value("type", &types);
        }
        resolved
    }

    /// What stands for a whole schema: the target of a reference, or the only part of `allOf`, `anyOf` or `oneOf`, but for null.
    fn only_part(&self, schema: &RawObject) -> Option<(&'static str, RawObject, bool)> {
        if let Some(reference) = schema.string("$ref") {
            return Some(("$ref", self.target(&reference)?, false));
        }
        ["allOf", "anyOf", "oneOf"].into_iter().find_map(|key| {
            let parts = parts(schema, key)?;
            let count = parts.len();
            let mut others: Vec<RawObject> =
                parts.into_iter().filter(|part| key == "allOf" || self.types(part, 0) != ["null"]).collect();
            let part = others.pop().filter(|_| others.is_empty())?;
            Some((key, part, count > 1))
        })
    }

    /// The schema that a reference within the document is to.
    fn target(&self, reference: &str) -> Option<RawObject> {
        let pointer = percent_decode_str(reference.strip_prefix("#/")?).decode_utf8().ok()?;
        let mut steps = pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        steps.try_fold(self.0.clone(), |schema, step| schema.object(&step))
    }

    /// The JSON types of a schema, stated or implied. `references` is how many are followed.
    fn types(&self, schema: &RawObject, mut references: usize) -> Vec<String> {
        let mut types = self.types_in(schema, 0, &mut references);
        let mut seen = HashSet::new();
        types.retain(|name| seen.insert(name.clone()));
        types
    }

    /// The same, some of them several times.
    fn types_in(&self, schema: &RawObject, depth: usize, references: &mut usize) -> Vec<String> {
        let mut types: Vec<String> = match schema.member("type").map(read) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        if types.is_empty() {
            let values: Vec<Value> = schema.value("enum").unwrap_or_default();
            let values = values.into_iter().chain(schema.member("const").map(read));
            types.extend(values.map(|value| type_of(&value).to_owned()));
            let mut parts: Vec<RawObject> =
                ["anyOf", "oneOf"].into_iter().filter_map(|key| parts(schema, key)).flatten().collect();
            if let (Some(reference), Some(left)) = (schema.string("$ref"), references.checked_sub(1)) {
                *references = left;
                parts.extend(self.target(&reference));
            }
            for part in parts.iter().filter(|_| depth < MOST_STEPS) {
                types.extend(self.types_in(part, depth + 1, references));
            }
            let implied = [("properties", "object"), ("items", "array")];
            let implied =
                implied.into_iter().find(|(key, _)| schema.member(key).is_some() && types.is_empty());
            types.extend(implied.map(|(_, name)| name.to_owned()));
        }
        types
    }

    /// The definitions that an answer refers to.
    fn used(&self, container: &str, answer: &Map<String, Value>) -> Option<Value> {
        let all = self.0.object(container)?;
        let text = Value::from(answer.clone()).to_string();
        let used = slim::used(&all, container, &text);
        (!used.is_empty() && text.contains("\"$ref\"")).then(|| read(used.text()))
    }
}

/// The names that a schema requires.
fn required(schema: &RawObject) -> Vec<String> {
    schema.value("required").unwrap_or_default()
}

fn is_alternatives(key: &str) -> bool {
    matches!(key, "anyOf" | "oneOf")
}

/// The parts of `allOf`, `anyOf` or `oneOf`, if all are objects.
fn parts(schema: &RawObject, key: &str) -> Option<Vec<RawObject>> {
    schema.value(key)
}

/// Whether alternatives say nothing but types.
fn are_types(schema: &RawObject, key: &str) -> bool {
    parts(schema, key).is_some_and(|parts| parts.iter().all(|part| part.iter().all(|(key, _)| key == "type")))
}

/// JSON text as a value; as a string if it nests too deep to parse.
pub(crate) fn read(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| json.into())
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
