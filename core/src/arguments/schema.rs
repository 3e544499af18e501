//! A schema, compiled: its keywords as they are judged, and what of it is not.
//!
//! The vocabulary is that of draft-07 and 2020-12 without what depends on other documents, on dynamic scopes or on what
//! other keywords have looked at. Everything else is an annotation, as the drafts say, or [`Keyword::NotJudged`].

use std::{
    collections::{BTreeSet, HashMap},
    ptr,
};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Number, Value};

use super::{MAX_SCHEMA_BYTES, pattern::Pattern, problem::head, read};

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct Schema {
    pub(super) nodes: Vec<Vec<Keyword>>,
    unjudged: BTreeSet<String>,
    memory: usize,
}

/// The index of a subschema.
pub(super) type Node = usize;

#[derive(Debug)]
pub(super) enum Keyword {
    /// The schema `false`.
    Never,
    NotJudged,
    Type(Vec<String>),
    /// An array.
    Enum(Value),
    Const(Value),
    Bound(Bound, Number),
    MultipleOf(Number),
    Least(Counted, u64),
    Most(Counted, u64),
    Pattern(String, Pattern),
    Unique,
    Items {
        first: Vec<Node>,
        rest: Option<Node>,
    },
    Contains {
        node: Node,
        least: u64,
        most: u64,
    },
    Members {
        named: HashMap<String, Node>,
        patterns: Vec<(Option<Pattern>, Node)>,
        rest: Option<Node>,
    },
    Names(Node),
    Required(Vec<String>),
    /// The members that are required where there is another.
    DependentNames(Vec<(String, Vec<String>)>),
    /// The schemas that apply where there is a member.
    Dependent(Vec<(String, Node)>),
    All(Vec<Node>),
    Any(Vec<Node>),
    One(Vec<Node>),
    Not(Node, String),
    If {
        condition: Node,
        then: Option<Node>,
        otherwise: Option<Node>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Least,
    Above,
    Most,
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Characters,
    Items,
    Members,
}

/// The names of what is not judged that are kept, and their length.
const MOST_NAMES: usize = 8;
const LONGEST_NAME: usize = 100;
/// Memory by byte of its text, rounded up from what dense schemas take.
const MEMORY_PER_BYTE: usize = 64;

impl Schema {
    /// Compiles a schema's JSON text, in time and memory that its length bounds. Nothing is ever fetched.
    ///
    /// `None` where it is too large or nests too deep: nothing of it is judged.
    pub fn compile(text: &str) -> Option<Self> {
        Some(Self::of(&read(text, MAX_SCHEMA_BYTES)?, text.len()))
    }

    /// An estimate of its memory, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    pub(super) fn of(document: &Value, bytes: usize) -> Self {
        let draft = match document.get("$schema").map(|uri| uri.as_str().unwrap_or_default()) {
            None => Some(Draft::Latest),
            Some(uri) => match uri.trim_end_matches('#').split_once("://json-schema.org/") {
                Some(("https" | "http", "draft/2020-12/schema")) => Some(Draft::Latest),
                Some(("http" | "https", "draft-07/schema")) => Some(Draft::Seven),
                _ => None,
            },
        };
        let mut compiler = Compiler {
            document,
            draft: draft.unwrap_or(Draft::Latest),
            known: HashMap::new(),
            rest: Vec::new(),
            unjudged: BTreeSet::new(),
        };
        let mut nodes = vec![Vec::new()];
        if draft.is_some() {
            compiler.node(document);
        } else {
            nodes[0] = vec![compiler.abstain("$schema")];
        }
        while let Some((node, schema)) = compiler.rest.pop() {
            let keywords = compiler.keywords(schema);
            nodes.resize_with(compiler.known.len(), Vec::new);
            nodes[node] = keywords;
        }
        Self { nodes, unjudged: compiler.unjudged, memory: bytes * MEMORY_PER_BYTE }
    }

    /// What of it is not judged: keywords, and references with where they lead. At most a few are listed.
    pub fn unjudged(&self) -> impl Iterator<Item = &str> {
        self.unjudged.iter().map(String::as_str)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Draft {
    Seven,
    Latest,
}

struct Compiler<'s> {
    document: &'s Value,
    draft: Draft,
    known: HashMap<*const Value, Node>,
    /// What is known and not compiled.
    rest: Vec<(Node, &'s Value)>,
    unjudged: BTreeSet<String>,
}

impl<'s> Compiler<'s> {
    fn node(&mut self, schema: &'s Value) -> Node {
        let next = self.known.len();
        *self.known.entry(ptr::from_ref(schema)).or_insert_with(|| {
            self.rest.push((next, schema));
            next
        })
    }

    fn abstain(&mut self, what: &str) -> Keyword {
        if self.unjudged.len() < MOST_NAMES {
            self.unjudged.insert(head(&what, LONGEST_NAME));
        }
        Keyword::NotJudged
    }

    fn keywords(&mut self, schema: &'s Value) -> Vec<Keyword> {
        let members = match schema {
            Value::Bool(true) => return Vec::new(),
            Value::Bool(false) => return vec![Keyword::Never],
            Value::Object(members) => members,
            _ => return vec![self.abstain("a schema that is no object")],
        };
        let is_other = |key: &str| members.get(key).is_some_and(|own| Some(own) != self.document.get(key));
        if !ptr::eq(schema, self.document) && (members.contains_key("$id") || is_other("$schema")) {
            return vec![self.abstain("$id")];
        }
        // Draft-07 has no other keywords beside a reference.
        let is_alone = self.draft == Draft::Seven && members.contains_key("$ref");
        let mut keywords = Vec::new();
        for (key, value) in members.iter().filter(|(key, _)| !is_alone || *key == "$ref") {
            match self.keyword(members, key, value) {
                Some(keyword) => keywords.extend(keyword),
                None => {
                    let to = value.as_str().filter(|_| key == "$ref").unwrap_or_default();
                    keywords.push(self.abstain(format!("{key} {to}").trim_end()));
                }
            }
        }
        keywords
    }

    /// Nothing for an annotation, and `None` for what is not judged, such as a keyword in a wrong form.
    fn keyword(
        &mut self,
        members: &'s Map<String, Value>,
        key: &str,
        value: &'s Value,
    ) -> Option<Vec<Keyword>> {
        let is_latest = self.draft == Draft::Latest;
        Some(vec![match key {
            "type" => Keyword::Type(kinds(value)?),
            "enum" => Keyword::Enum(Some(value).filter(|values| values.is_array())?.clone()),
            "const" => Keyword::Const(value.clone()),
            "minimum" => Keyword::Bound(Bound::Least, value.as_number()?.clone()),
            "exclusiveMinimum" => Keyword::Bound(Bound::Above, value.as_number()?.clone()),
            "maximum" => Keyword::Bound(Bound::Most, value.as_number()?.clone()),
            "exclusiveMaximum" => Keyword::Bound(Bound::Below, value.as_number()?.clone()),
            "multipleOf" => {
                Keyword::MultipleOf(value.as_number().filter(|of| of.as_f64() > Some(0.0))?.clone())
            }
            "minLength" => Keyword::Least(Counted::Characters, count(value)?),
            "maxLength" => Keyword::Most(Counted::Characters, count(value)?),
            "minItems" => Keyword::Least(Counted::Items, count(value)?),
            "maxItems" => Keyword::Most(Counted::Items, count(value)?),
            "minProperties" => Keyword::Least(Counted::Members, count(value)?),
            "maxProperties" => Keyword::Most(Counted::Members, count(value)?),
            "pattern" => Keyword::Pattern(value.as_str()?.to_owned(), Pattern::parse(value.as_str()?)?),
            "uniqueItems" if value.as_bool()? => Keyword::Unique,
            "items" if !is_latest && value.is_array() => {
                let rest = members.get("additionalItems").map(|rest| self.node(rest));
                Keyword::Items { first: self.nodes(value)?, rest }
            }
            "items" => {
                let first = members.get("prefixItems").filter(|_| is_latest);
                let first = first.map_or(Some(Vec::new()), |first| self.nodes(first))?;
                Keyword::Items { first, rest: Some(self.node(value)) }
            }
            "prefixItems" if is_latest && !members.contains_key("items") => {
                Keyword::Items { first: self.nodes(value)?, rest: None }
            }
            "contains" => {
                let bound = |key: &str, unbound| match members.get(key).filter(|_| is_latest) {
                    Some(bound) => count(bound),
                    None => Some(unbound),
                };
                let (least, most) = (bound("minContains", 1)?, bound("maxContains", u64::MAX)?);
                Keyword::Contains { node: self.node(value), least, most }
            }
            "properties" | "patternProperties" | "additionalProperties" => {
                // All of them together, where the first one stands.
                let all = ["properties", "patternProperties", "additionalProperties"];
                if all.into_iter().find(|one| members.contains_key(*one)) != Some(key) {
                    return Some(Vec::new());
                }
                let entries = |key| match members.get(key) {
                    Some(entries) => entries.as_object().map(|entries| entries.iter().collect()),
                    None => Some(Vec::new()),
                };
                let named = self.named(entries("properties")?);
                let matched = self.named(entries("patternProperties")?);
                let patterns = matched.into_iter().map(|(text, node)| {
                    let pattern = Pattern::parse(&text);
                    if pattern.is_none() {
                        self.abstain("patternProperties");
                    }
                    (pattern, node)
                });
                let patterns = patterns.collect();
                let rest = members.get("additionalProperties").map(|rest| self.node(rest));
                Keyword::Members { named: named.into_iter().collect(), patterns, rest }
            }
            "propertyNames" => Keyword::Names(self.node(value)),
            "required" => Keyword::Required(texts(value)?),
            "dependentRequired" if is_latest => Keyword::DependentNames(lists(value.as_object()?)?),
            "dependentSchemas" if is_latest => Keyword::Dependent(self.named(value.as_object()?)),
            "dependencies" if !is_latest => {
                let both = value.as_object()?.iter();
                let (names, schemas): (Vec<_>, Vec<_>) = both.partition(|(_, one)| one.is_array());
                return Some(vec![
                    Keyword::DependentNames(lists(names)?),
                    Keyword::Dependent(self.named(schemas)),
                ]);
            }
            "allOf" => Keyword::All(self.nodes(value)?),
            "anyOf" => Keyword::Any(self.nodes(value)?),
            "oneOf" => Keyword::One(self.nodes(value)?),
            "not" => Keyword::Not(self.node(value), head(value, LONGEST_NAME)),
            "if" => {
                let mut part = |key| members.get(key).map(|part| self.node(part));
                Keyword::If { then: part("then"), otherwise: part("else"), condition: self.node(value) }
            }
            "$ref" => Keyword::All(vec![self.target(value.as_str()?)?]),
            "$dynamicRef" | "$recursiveRef" | "dependencies" => return None,
            "unevaluatedProperties" | "unevaluatedItems" if *value != Value::Bool(true) => return None,
            _ => return Some(Vec::new()),
        }])
    }

    fn nodes(&mut self, schemas: &'s Value) -> Option<Vec<Node>> {
        Some(schemas.as_array()?.iter().map(|one| self.node(one)).collect())
    }

    fn named(&mut self, schemas: impl IntoIterator<Item = (&'s String, &'s Value)>) -> Vec<(String, Node)> {
        schemas.into_iter().map(|(name, one)| (name.clone(), self.node(one))).collect()
    }

    /// The subschema of this document that a reference leads to.
    fn target(&mut self, reference: &str) -> Option<Node> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        (pointer.is_empty() || pointer.starts_with('/')).then_some(())?;
        let mut at = self.document;
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
        Some(self.node(at))
    }
}

fn lists<'s>(names: impl IntoIterator<Item = (&'s String, &'s Value)>) -> Option<Vec<(String, Vec<String>)>> {
    names.into_iter().map(|(name, others)| Some((name.clone(), texts(others)?))).collect()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

fn kinds(value: &Value) -> Option<Vec<String>> {
    let kinds = if let Some(kind) = value.as_str() { vec![kind.to_owned()] } else { texts(value)? };
    let known = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let is_known = kinds.len() <= known.len() && kinds.iter().all(|kind| known.contains(&kind.as_str()));
    is_known.then_some(kinds)
}

/// A number of things, which may be written with a fraction of zero.
fn count(value: &Value) -> Option<u64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is an integer in range")]
    let whole = |float: f64| (float.fract() == 0.0 && (0.0..1e15).contains(&float)).then_some(float as u64);
    value.as_u64().or_else(|| whole(value.as_f64()?))
}
