//! A schema as it was written, and what of it is not judged.
//!
//! The vocabulary is that of draft-07 and 2020-12 without what depends on other documents, on dynamic scopes or on what
//! other keywords have looked at, and without what tools do not use. Other keywords are annotations, as the drafts say.

use std::{collections::BTreeSet, ptr};

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{MAX_SCHEMA_BYTES, pattern::Pattern, read};
use crate::{brief::shorten, size};

/// A JSON Schema that values are checked against.
#[derive(Debug)]
pub struct Schema {
    pub(super) document: Value,
    draft: Option<Draft>,
    unjudged: BTreeSet<String>,
    memory: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draft {
    Seven,
    Latest,
}

/// The names of what is not judged that are kept, and their length.
const MOST_NAMES: usize = 8;
const LONGEST_NAME: usize = 100;

impl Schema {
    /// Reads a schema's JSON text, in time and memory that its length bounds. Nothing is ever fetched.
    ///
    /// `None` where it is too large or nests too deep: nothing of it is judged.
    pub fn compile(text: &str) -> Option<Self> {
        let document = read(text, MAX_SCHEMA_BYTES)?;
        let draft = match document.get("$schema").map(|uri| uri.as_str().unwrap_or_default()) {
            None => Some(Draft::Latest),
            Some(uri) => match uri.trim_end_matches('#').split_once("://json-schema.org/") {
                Some(("https" | "http", "draft/2020-12/schema")) => Some(Draft::Latest),
                Some(("http" | "https", "draft-07/schema")) => Some(Draft::Seven),
                _ => None,
            },
        };
        let mut schema = Self { document, draft, unjudged: BTreeSet::new(), memory: size::memory(text) };
        let mut unjudged = BTreeSet::new();
        match draft {
            Some(_) => schema.look(&schema.document, &mut unjudged),
            None => drop(unjudged.insert("$schema".to_owned())),
        }
        schema.unjudged = unjudged;
        Some(schema)
    }

    /// An estimate of its memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    /// What of it is not judged: keywords, and references with where they lead. At most a few are listed.
    pub fn unjudged(&self) -> impl Iterator<Item = &str> {
        self.unjudged.iter().map(String::as_str)
    }

    pub(super) fn is_latest(&self) -> bool {
        self.draft == Some(Draft::Latest)
    }

    /// The keywords of a subschema; `None` where they are not judged.
    pub(super) fn keywords<'s>(
        &'s self,
        schema: &'s Value,
    ) -> Option<impl Iterator<Item = (&'s String, &'s Value)>> {
        let members = schema.as_object().filter(|_| self.draft.is_some())?;
        let root = self.document.get("$schema");
        // References in it have another base, or its keywords another meaning.
        let is_other =
            members.contains_key("$id") || members.get("$schema").is_some_and(|own| Some(own) != root);
        (ptr::eq(schema, &self.document) || !is_other).then_some(())?;
        // Draft-07 has no other keywords beside a reference.
        let is_alone = self.draft == Some(Draft::Seven) && members.contains_key("$ref");
        Some(members.iter().filter(move |(key, _)| !is_alone || *key == "$ref"))
    }

    /// The subschema of this document that a reference leads to.
    pub(super) fn target(&self, reference: &str) -> Option<&Value> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        (pointer.is_empty() || pointer.starts_with('/')).then_some(())?;
        let mut at = &self.document;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            at = match at {
                Value::Object(members) => members.get(&token)?,
                Value::Array(items) => items.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
            // Below it, references have another base.
            (!at.get("$id").is_some_and(Value::is_string)).then_some(())?;
        }
        Some(at)
    }

    /// Collects what is not judged, wherever subschemas are.
    fn look(&self, schema: &Value, unjudged: &mut BTreeSet<String>) {
        if schema.is_boolean() || unjudged.len() == MOST_NAMES {
            return;
        }
        let Some(keywords) = self.keywords(schema) else {
            unjudged.insert(if schema.is_object() { "$id" } else { "a schema that is no object" }.to_owned());
            return;
        };
        for (key, operand) in keywords {
            let is_judged = match (&**key, operand) {
                ("$ref", _) => operand.as_str().is_some_and(|to| self.target(to).is_some()),
                ("pattern", _) => operand.as_str().is_some_and(|text| Pattern::parse(text).is_some()),
                ("patternProperties", Value::Object(patterns)) => {
                    patterns.keys().all(|text| Pattern::parse(text).is_some())
                }
                ("type", Value::Array(types)) => types.iter().all(is_type),
                ("type", _) => is_type(operand),
                _ => !is_unjudged(key, operand),
            };
            if !is_judged {
                let to = operand.as_str().filter(|_| key == "$ref").unwrap_or_default();
                unjudged.insert(shorten(format!("{key} {to}").trim_end(), LONGEST_NAME));
            }
            match (&**key, operand) {
                ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(parts)) => {
                    parts.values().for_each(|part| self.look(part, unjudged));
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(parts)) => {
                    parts.iter().for_each(|part| self.look(part, unjudged));
                }
                (
                    "items"
                    | "additionalItems"
                    | "additionalProperties"
                    | "propertyNames"
                    | "not"
                    | "if"
                    | "then"
                    | "else",
                    part,
                ) => self.look(part, unjudged),
                _ => {}
            }
        }
    }
}

/// Whether a value is the name of a type.
fn is_type(name: &Value) -> bool {
    let name = name.as_str().unwrap_or_default();
    matches!(name, "null" | "boolean" | "object" | "array" | "number" | "string" | "integer")
}

/// Whether a keyword of the drafts is not judged.
pub(super) fn is_unjudged(key: &str, operand: &Value) -> bool {
    match key {
        "unevaluatedProperties" | "unevaluatedItems" => *operand != Value::Bool(true),
        "$dynamicRef" | "$recursiveRef" | "contains" | "dependentRequired" | "dependentSchemas"
        | "dependencies" => true,
        _ => false,
    }
}
