//! Arguments that are mirrored in HTTP request headers (`x-mcp-header`, SEP-2243).

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::size;

/// An argument that is mirrored in the header `Mcp-Param-<name>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// The header's name, in lower case, with its prefix.
    pub header: String,
    path: Vec<String>,
}

/// The maximum number of them in one schema: servers accept no more than about a hundred headers.
const MOST: usize = 64;

/// Schemas of more memory, by an upper bound, are not searched.
const MAX_MEMORY: usize = 32_000_000;

/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const SAFE: i64 = (1 << 53) - 1;

impl Mirrored {
    /// All mirrored arguments of an `inputSchema`.
    ///
    /// # Errors
    /// The first invalid annotation. A tool with an invalid annotation must not be offered over HTTP.
    pub fn find(schema: &Value) -> Result<Vec<Self>, String> {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found)?;
        let mut seen = HashSet::new();
        match found.iter().find(|argument| !seen.insert(&argument.header)) {
            Some(twice) => Err(format!("duplicate header '{}'", twice.header)),
            None => Ok(found),
        }
    }

    /// All mirrored arguments of an `inputSchema`, by its text.
    ///
    /// # Errors
    /// What is wrong with an annotation, or that the schema is too large to search for one.
    pub fn find_in(schema: &str) -> Result<Vec<Self>, String> {
        // Very few schemas have one, and searching the text is cheaper than parsing it.
        if !schema.contains("x-mcp-header") {
            return Ok(Vec::new());
        }
        let is_small = size::memory(schema) <= MAX_MEMORY;
        let read = is_small.then(|| serde_json::from_str(schema).ok()).flatten();
        Self::find(&read.ok_or("the schema is too large or too deep to be searched for headers")?)
    }

    /// The mirrored arguments, picked out of the JSON text of all arguments. Nothing else is built, however large it is.
    /// `None` if the text cannot be read.
    pub fn pick(mirrored: &[Self], arguments: &str) -> Option<Value> {
        let paths = mirrored.iter().map(|argument| &*argument.path).collect();
        Pick { paths }.deserialize(&mut serde_json::Deserializer::from_str(arguments)).ok()
    }

    /// The argument's value as a header value; `None` if it is absent.
    ///
    /// # Errors
    /// The type is not one that a header can carry.
    pub fn value(&self, arguments: Option<&Value>) -> Result<Option<String>, String> {
        let value = self.path.iter().try_fold(arguments.unwrap_or(&Value::Null), |value, key| value.get(key));
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
            Some(value) => match whole(value) {
                Some(number) => Ok(Some(number.to_string())),
                None => Err(format!(
                    "argument '{}' must be a string, an integer or a boolean",
                    self.path.join(".")
                )),
            },
        }
    }

    /// Whether a header's value equals the argument's; numbers are compared as numbers.
    pub fn agrees(expected: &str, given: &str) -> bool {
        let number = |text: &str| serde_json::from_str::<Value>(text).ok().as_ref().and_then(whole);
        expected == given || number(expected).is_some_and(|expected| number(given) == Some(expected))
    }
}

/// An integer, also if written with a fraction of zero, within the safe range.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        #[allow(clippy::cast_possible_truncation, reason = "it is an integer, and the range is checked")]
        (number.fract() == 0.0 && number.abs() <= SAFE as f64).then_some(number as i64)
    })?;
    (-SAFE..=SAFE).contains(&number).then_some(number)
}

/// Annotations are valid on a chain of `properties`, and invalid anywhere else.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Mirrored>) -> Result<(), String> {
    let Some(members) = schema.as_object() else { return Ok(()) };
    if let Some(name) = members.get("x-mcp-header") {
        found.push(annotation(name, members, path)?);
        if found.len() > MOST {
            return Err(format!("more than {MOST} arguments are headers"));
        }
    }
    for (key, value) in members {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    collect(property, path, found)?;
                    path.pop();
                }
            }
            // These contain values, not schemas.
            ("properties" | "default" | "const" | "enum" | "examples", _) => {}
            (_, elsewhere) if is_annotated(elsewhere) => {
                return Err(format!("x-mcp-header under '{key}' is not reachable by properties alone"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn annotation(name: &Value, members: &Map<String, Value>, path: &[String]) -> Result<Mirrored, String> {
    let name = name.as_str().ok_or("x-mcp-header must be a string")?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("invalid header name '{name}'"));
    }
    let kind = members.get("type").and_then(Value::as_str);
    if path.is_empty() || !matches!(kind, Some("string" | "integer" | "boolean")) {
        return Err(format!("header '{name}': the argument must be a string, an integer or a boolean"));
    }
    Ok(Mirrored { header: format!("mcp-param-{}", name.to_ascii_lowercase()), path: path.to_vec() })
}

/// Reads what these paths lead to, and skips the rest.
struct Pick<'p> {
    paths: Vec<&'p [String]>,
}

impl Pick<'_> {
    fn scalar<E>(&self, value: impl Into<Value>) -> Result<Value, E> {
        let is_wanted = self.paths.iter().any(|path| path.is_empty());
        Ok(if is_wanted { value.into() } else { Value::Null })
    }
}

impl<'de> DeserializeSeed<'de> for Pick<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut below: HashMap<&str, Vec<&[String]>> = HashMap::new();
        for (first, rest) in self.paths.iter().filter_map(|path| path.split_first()) {
            below.entry(first).or_default().push(rest);
        }
        let mut picked = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            match below.get(&*name) {
                Some(paths) => {
                    let value = map.next_value_seed(Pick { paths: paths.clone() })?;
                    picked.insert(name, value);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(picked.into())
    }

    /// No path leads into an array, and none is a header's value.
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Array(Vec::new()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.scalar(text)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        self.scalar(flag)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        self.scalar(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        self.scalar(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        self.scalar(number)
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

fn is_annotated(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("x-mcp-header") || members.values().any(is_annotated),
        Value::Array(items) => items.iter().any(is_annotated),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(properties: Value) -> Value {
        json!({"type": "object", "properties": properties})
    }

    #[test]
    fn nested_arguments_are_found_and_their_values_read() {
        let where_to = schema(json!({"zone": {"type": "integer", "x-mcp-header": "Zone"}}));
        let found = Mirrored::find(&schema(
            json!({"region": {"type": "string", "x-mcp-header": "Region"}, "where": where_to}),
        ));
        let found = found.unwrap();
        let values = |arguments: Value| -> Vec<Option<String>> {
            found.iter().map(|argument| argument.value(Some(&arguments)).unwrap()).collect()
        };
        assert_eq!(
            found.iter().map(|argument| &*argument.header).collect::<Vec<_>>(),
            ["mcp-param-region", "mcp-param-zone"]
        );
        assert_eq!(
            values(json!({"region": "eu", "where": {"zone": 7.0}})),
            [Some("eu".to_owned()), Some("7".to_owned())]
        );
        assert_eq!(values(json!({"region": null})), [None, None]);
        assert!(found[1].value(Some(&json!({"where": {"zone": 0.5}}))).is_err());
        assert!(
            Mirrored::agrees("42", "42.0") && !Mirrored::agrees("42", "43") && !Mirrored::agrees("a", "b")
        );
    }

    #[test]
    fn only_what_goes_into_headers_is_read_of_arguments() {
        let inner = schema(json!({"zone": {"type": "integer", "x-mcp-header": "Zone"}}));
        let found = Mirrored::find(&schema(
            json!({"region": {"type": "string", "x-mcp-header": "Region"}, "where": inner}),
        ));
        let found = found.unwrap();
        for arguments in [
            json!({"region": "eu", "where": {"zone": -7, "rest": [1, {}]}, "rest": {"region": [null, 1.5, true]}}),
            json!({"region": ["eu"], "where": "zone"}),
            json!({"region": null, "where": {"zone": 0.5}}),
            json!([{"region": "eu"}]),
            json!("region"),
        ] {
            let picked = Mirrored::pick(&found, &arguments.to_string()).unwrap();
            assert!(picked.get("rest").is_none() && picked["where"].get("rest").is_none(), "{picked}");
            for argument in &found {
                assert_eq!(argument.value(Some(&picked)), argument.value(Some(&arguments)), "{arguments}");
            }
        }
    }

    #[test]
    fn invalid_annotations_are_refused() {
        let annotated = |kind: &str, name: &str| json!({"type": kind, "x-mcp-header": name});
        for wrong in [
            schema(json!({"a": annotated("number", "A")})),
            schema(json!({"a": annotated("string", "")})),
            schema(json!({"a": annotated("string", "A B")})),
            schema(json!({"a": annotated("string", "A"), "b": annotated("string", "a")})),
            schema(json!({"a": {"type": "array", "items": annotated("string", "A")}})),
            json!({"anyOf": [schema(json!({"a": annotated("string", "A")}))]}),
            json!({"$defs": {"a": annotated("string", "A")}}),
            schema((0..=MOST).map(|at| (format!("a{at}"), annotated("string", &format!("A{at}")))).collect()),
        ] {
            assert!(Mirrored::find(&wrong).is_err(), "{wrong}");
        }
        assert_eq!(Mirrored::find(&json!(true)), Ok(vec![]));
    }
}
