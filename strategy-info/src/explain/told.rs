//! What is told of one parameter, or of a part of one.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

/// What is told of one parameter, or of a part of one. What is absent is not told.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Told {
    /// The JSON types, as "string or array".
    #[serde(rename = "type", serialize_with = "by_or", skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given: said of every parameter, and of members inside them where they must.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Members that must be given and are told of elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// What holds where nothing is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The values allowed, where they are named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Value>,
    /// How many more are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_options: Option<usize>,
    /// Values that fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// The format of a string, such as `date-time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Ranges, lengths and patterns, in words.
    #[serde(serialize_with = "by_comma", skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// What each item of an array is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Box<Told>>,
    /// What the first, second, … item of an array is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<Told>,
    /// What the members of an object are, by name.
    #[serde(serialize_with = "by_name", skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<(String, Told)>,
    /// One of these holds as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Told>,
    /// Whether it is not to be used any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// What else is to be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Told {
    /// The members, as JSON.
    pub fn members(self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            // Nothing in it can fail to serialize.
            _ => Map::new(),
        }
    }

    /// The same, and if nothing is known of its type, that is said.
    pub(super) fn typed(mut self) -> Self {
        if self.types.is_empty() {
            self.types.push("any".to_owned());
        }
        self
    }

    /// Adds types that are not there yet.
    pub(super) fn add_types<'t>(&mut self, types: impl IntoIterator<Item = &'t String>) {
        for name in types {
            if !self.types.contains(name) {
                self.types.push(name.clone());
            }
        }
    }
}

fn by_or<S: Serializer>(types: &[String], output: S) -> Result<S::Ok, S::Error> {
    output.serialize_str(&types.join(" or "))
}

fn by_comma<S: Serializer>(limits: &[String], output: S) -> Result<S::Ok, S::Error> {
    output.serialize_str(&limits.join(", "))
}

fn by_name<S: Serializer>(members: &[(String, Told)], output: S) -> Result<S::Ok, S::Error> {
    let mut map = output.serialize_map(Some(members.len()))?;
    for (name, told) in members {
        map.serialize_entry(name, told)?;
    }
    map.end()
}
