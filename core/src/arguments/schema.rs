//! A schema as it was written, and what of it is not judged.
//!
//! The vocabulary is that of draft-07 and 2020-12 without what depends on other documents, on dynamic scopes or on what
//! other keywords have looked at, and without what tools do not use. Other keywords are annotations, as the drafts say.

use std::{
    collections::{BTreeSet, HashSet},
    ptr, slice,
};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::pattern;
use crate::{brief::shorten, layout};

/// The draft of a schema that names none.
const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";
/// The most bytes of a schema that is looked at: in some 5 ms.
const MAX_BYTES: usize = 200_000;
/// The most memory that a schema or arguments take when they are read, by an upper bound: that takes some 2 ms.
pub(super) const MAX_MEMORY: usize = 12_000_000;
/// The memory of a schema without its document, and of a name without its text.
const OWN_MEMORY: usize = 1_024;
const MEMORY_OF_NAME: usize = 48;
/// The names of what is not judged that are kept, and their length.
const MOST_NAMES: usize = 8;
const LONGEST_NAME: usize = 100;

/// The types that there are.
pub(super) const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];

/// A JSON Schema that values are checked against.
#[derive(Debug)]
pub struct Schema {
    pub(super) document: Value,
    /// What the members of a value can be called, by what the schema says of them; `None` where it may say something of any.
    names: Option<HashSet<String>>,
    /// Whether it is of 2020-12, or else of draft-07. Others are not judged.
    is_latest: Option<bool>,
    /// Whether a part of it may have a base of its own, so that references in it lead elsewhere.
    has_bases: bool,
    memory: usize,
}

/// A text that is small enough for a check. `None` also where it cannot be read: it nests too deep, or its numbers or
/// escapes stand for nothing.
pub(super) fn read(text: &str, bytes: usize) -> Option<Value> {
    let fits = text.len() <= bytes && layout::fits(text, MAX_MEMORY);
    fits.then(|| serde_json::from_str(text).ok()).flatten()
}

impl Schema {
    /// Reads a schema's JSON text, in time and memory that its length bounds. Nothing is ever fetched.
    pub fn compile(text: &str) -> Self {
        let document = read(text, MAX_BYTES);
        let memory = OWN_MEMORY + document.as_ref().map_or(0, |_| layout::memory(text));
        let document = document.unwrap_or_default();
        let draft = document.get("$schema").map_or(LATEST, |uri| uri.as_str().unwrap_or_default());
        let is_latest = match draft.trim_end_matches('#').split_once("://json-schema.org/") {
            Some(("http" | "https", "draft/2020-12/schema")) => Some(true),
            Some(("http" | "https", "draft-07/schema")) => Some(false),
            _ => None,
        };
        // Nearly no schema has one, or may spell it with an escape.
        let may_have_ids = text.contains("$id") || text.contains("\\u");
        let ids = may_have_ids.then(|| document.to_string().matches("\"$id\"").count());
        let has_bases = ids.unwrap_or_default() > usize::from(document.get("$id").is_some());
        let schema = Self { document, names: None, is_latest, has_bases, memory };
        let names = schema.named();
        let memory = names.iter().flatten().fold(memory, |memory, name| memory + MEMORY_OF_NAME + name.len());
        Self { names, memory, ..schema }
    }

    /// What the schema, with all that applies to the same value, says of members by their names.
    fn named(&self) -> Option<HashSet<String>> {
        let (mut names, mut seen, mut open) = (HashSet::new(), HashSet::new(), vec![&self.document]);
        while let Some(schema) = open.pop() {
            let keywords = schema.as_object().filter(|_| seen.insert(ptr::from_ref(schema)));
            for (key, operand) in keywords.into_iter().flatten() {
                match (key.as_str(), operand) {
                    ("properties" | "const", Value::Object(all)) => names.extend(all.keys().cloned()),
                    ("enum", Value::Array(all)) => {
                        let all = all.iter().filter_map(Value::as_object);
                        names.extend(all.flat_map(|one| one.keys().cloned()));
                    }
                    ("dependentRequired" | "dependentSchemas" | "dependencies", Value::Object(all)) => {
                        names.extend(all.keys().cloned());
                        let required = all.values().filter_map(Value::as_array).flatten();
                        names.extend(required.filter_map(Value::as_str).map(str::to_owned));
                        open.extend(all.values());
                    }
                    ("required", Value::Array(all)) => {
                        names.extend(all.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("additionalProperties" | "unevaluatedProperties", Value::Object(all))
                        if !all.is_empty() =>
                    {
                        return None;
                    }
                    ("patternProperties" | "propertyNames" | "$dynamicRef" | "$recursiveRef", _) => {
                        return None;
                    }
                    ("$ref", _) => open.push(self.target(operand.as_str()?)?),
                    ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => open.extend(parts),
                    ("if" | "then" | "else" | "not", _) => open.push(operand),
                    _ => {}
                }
            }
        }
        Some(names)
    }

    /// Whether it may say something of a member of this name.
    pub(super) fn has_parameter(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// An estimate of its memory, in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// What of it is not judged: keywords, and references with where they lead. At most a few are listed.
    pub fn unjudged(&self) -> Vec<String> {
        if self.document.is_null() {
            return vec!["all of it, which is too large or too deep".to_owned()];
        }
        let mut unjudged = BTreeSet::new();
        self.look(&self.document, &mut unjudged);
        unjudged.into_iter().collect()
    }

    pub(super) fn is_latest(&self) -> bool {
        self.is_latest == Some(true)
    }

    /// The keywords of a subschema; `None` where they are not judged.
    pub(super) fn keywords<'s>(
        &'s self,
        schema: &'s Value,
    ) -> Option<impl Iterator<Item = (&'s String, &'s Value)>> {
        let members = schema.as_object()?;
        let is_latest = self.is_latest?;
        // Its keywords have another meaning.
        let is_other = members.get("$schema").is_some_and(|own| Some(own) != self.document.get("$schema"));
        (!is_other).then_some(())?;
        // Draft-07 has no other keywords beside a reference.
        let alone = if is_latest { None } else { members.get_key_value("$ref") };
        let all = alone.is_none().then(|| members.iter()).into_iter().flatten();
        Some(alone.into_iter().chain(all))
    }

    /// What a subschema says by a keyword, in whatever draft.
    pub(super) fn says<'s>(&self, schema: &'s Value, key: &str) -> Option<&'s Value> {
        let members = schema.as_object()?;
        (self.is_latest() || !members.contains_key("$ref")).then(|| members.get(key)).flatten()
    }

    /// The subschema of this document that a reference leads to.
    pub(super) fn target(&self, reference: &str) -> Option<&Value> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        self.document.pointer(&pointer).filter(|_| !self.has_bases)
    }

    /// Collects what is not judged, wherever subschemas may be. What is in a wrong form is found when it is met.
    fn look(&self, schema: &Value, unjudged: &mut BTreeSet<String>) {
        schema.as_array().into_iter().flatten().for_each(|part| self.look(part, unjudged));
        if !schema.is_object() || unjudged.len() == MOST_NAMES {
            return;
        }
        let Some(keywords) = self.keywords(schema) else {
            unjudged.insert("$schema".to_owned());
            return;
        };
        for (key, operand) in keywords {
            let text = operand.as_str().unwrap_or_default();
            let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
            let (is_judged, to) = match &**key {
                "$ref" => (self.target(text).is_some(), text),
                "pattern" => (pattern::is_judged(text), ""),
                "type" => (kinds(operand).iter().all(is_type), ""),
                _ => (!is_unjudged(key, operand), ""),
            };
            if !is_judged {
                unjudged.insert(shorten(format!("{key} {to}").trim_end(), LONGEST_NAME));
            }
            match (&**key, operand) {
                ("properties" | "$defs" | "definitions", Value::Object(parts)) => {
                    parts.values().for_each(|part| self.look(part, unjudged));
                }
                ("enum" | "const" | "default" | "examples", _) => {}
                _ => self.look(operand, unjudged),
            }
        }
    }
}

/// The types that a `type` names.
pub(super) fn kinds(operand: &Value) -> &[Value] {
    operand.as_array().map_or(slice::from_ref(operand), Vec::as_slice)
}

/// Whether a keyword of the drafts is not judged.
pub(super) fn is_unjudged(key: &str, operand: &Value) -> bool {
    match key {
        "unevaluatedProperties" | "unevaluatedItems" => *operand != Value::Bool(true),
        "$dynamicRef" | "$recursiveRef" | "contains" | "dependentRequired" | "dependentSchemas"
        | "dependencies" | "patternProperties" | "multipleOf" => true,
        _ => false,
    }
}
