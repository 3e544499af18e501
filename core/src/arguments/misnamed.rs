//! Arguments under a name that the schema does not have where it has a similar one that was not given.

use std::collections::HashSet;

use serde_json::Value;

use super::problem::{ArgumentProblem, inside};
use crate::{brief::shorten, nearest::misspelt};

/// Maximum depth of arguments that are looked through.
const MAX_DEPTH: usize = 32;
/// Maximum number of objects and arrays that are looked through.
const MAX_VALUES: usize = 1_000;
/// Maximum number of schemas that apply to one value.
const MAX_SCHEMAS: usize = 64;
/// Maximum number of unknown names that are compared, and of known ones that each is compared with.
const MAX_NAMES: usize = 32;
/// See [`MAX_NAMES`].
const MAX_KNOWN: usize = 256;
/// Maximum length of a name in a suggestion, in characters.
const LONGEST_NAME: usize = 120;

/// An argument and the one that was probably meant.
struct Misnamed {
    /// Where both belong: empty at the top, else as `filters.0`.
    place: String,
    given: String,
    meant: String,
}

/// Adds to each problem the argument that was probably meant.
pub(super) fn add_suggestions(problems: &mut [ArgumentProblem], schema: &Value, arguments: &Value) {
    let mut search = Search { root: schema, left: MAX_VALUES, names: MAX_NAMES, found: Vec::new() };
    search.value(&[schema], arguments, String::new(), 0);
    for problem in problems {
        for Misnamed { place, given, meant } in &search.found {
            let shown = shorten(given, LONGEST_NAME);
            if problem.argument == inside(place, meant) {
                problem.expected += &format!("; did you mean it by '{shown}'?");
            } else if problem.argument == inside(place, given) {
                problem.expected += &format!("; did you mean '{meant}'?");
            } else if is_among(problem, place, given) {
                problem.expected += &format!("; did you mean '{meant}' by '{shown}'?");
            }
        }
    }
}

/// Whether a problem is about several arguments at this place, among them this one.
fn is_among(problem: &ArgumentProblem, place: &str, given: &str) -> bool {
    let names = match place {
        "" => Some(problem.argument.as_str()),
        place => problem.argument.strip_prefix(place).and_then(|rest| rest.strip_prefix('.')),
    };
    names.is_some_and(|names| names.contains(", ") && names.split(", ").any(|name| name == given))
}

struct Search<'s> {
    root: &'s Value,
    left: usize,
    names: usize,
    found: Vec<Misnamed>,
}

impl<'s> Search<'s> {
    fn value(&mut self, schemas: &[&'s Value], value: &Value, place: String, depth: usize) {
        if depth == MAX_DEPTH || self.left == 0 {
            return;
        }
        self.left -= 1;
        let schemas = self.expand(schemas);
        match value {
            Value::Object(given) => {
                let known: HashSet<&str> = properties(&schemas).map(|(name, _)| name).collect();
                let free = properties(&schemas).map(|(name, _)| name);
                let free: Vec<&str> =
                    free.filter(|name| !given.contains_key(*name)).take(MAX_KNOWN).collect();
                let unknown = given.keys().filter(|name| !known.contains(name.as_str()));
                for name in unknown.take(self.names) {
                    self.names -= 1;
                    if let Some(meant) = misspelt(name, free.iter().copied()) {
                        let (given, meant) = (name.clone(), meant.to_owned());
                        self.found.push(Misnamed { place: place.clone(), given, meant });
                    }
                }
                for (name, value) in given.iter().filter(|(_, value)| value.is_object() || value.is_array()) {
                    let inner = properties(&schemas).filter(|(known, _)| known == name);
                    let inner: Vec<&Value> = inner.map(|(_, schema)| schema).collect();
                    self.value(&inner, value, inside(&place, name), depth + 1);
                }
            }
            Value::Array(items) => {
                let inner: Vec<&Value> = schemas.iter().filter_map(|schema| schema.get("items")).collect();
                for (at, item) in
                    items.iter().enumerate().filter(|(_, item)| item.is_object() || item.is_array())
                {
                    self.value(&inner, item, inside(&place, &at.to_string()), depth + 1);
                }
            }
            _ => {}
        }
    }

    /// All schemas that may apply to a value: these, what they refer to, and their parts.
    fn expand(&self, schemas: &[&'s Value]) -> Vec<&'s Value> {
        let mut all: Vec<&Value> = Vec::new();
        let mut rest = schemas.to_vec();
        while let Some(schema) = rest.pop() {
            if all.len() == MAX_SCHEMAS || all.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            all.push(schema);
            let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
            rest.extend(pointer.and_then(|pointer| self.root.pointer(pointer)));
            for parts in ["allOf", "anyOf", "oneOf"] {
                rest.extend(schema.get(parts).and_then(Value::as_array).into_iter().flatten());
            }
        }
        all
    }
}

fn properties<'s>(schemas: &[&'s Value]) -> impl Iterator<Item = (&'s str, &'s Value)> {
    let maps = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object());
    maps.flatten().map(|(name, schema)| (name.as_str(), schema))
}
