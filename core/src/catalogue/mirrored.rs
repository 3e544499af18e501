//! Arguments that are mirrored in HTTP request headers (`x-mcp-header`, SEP-2243).

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{layout, take::member};

/// An argument that is mirrored in the header `Mcp-Param-<name>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// The header's name, in lower case, with its prefix.
    pub header: String,
    path: Vec<String>,
}

/// The maximum number of them in one schema: the arguments are read once for each.
const MOST: usize = 16;

/// Schemas of more memory, by an upper bound, are not searched.
const MAX_MEMORY: usize = 32_000_000;

/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const SAFE: i64 = (1 << 53) - 1;

impl Mirrored {
    /// All mirrored arguments of an `inputSchema`, by its text.
    ///
    /// # Errors
    /// The first invalid annotation, or that the schema is too large to search for one. A tool with an invalid annotation must not
    /// be offered over HTTP.
    pub fn find_in(schema: &str) -> Result<Vec<Self>, String> {
        // Very few schemas have one, and searching the text is cheaper than parsing it.
        if !schema.contains("x-mcp-header") {
            return Ok(Vec::new());
        }
        let is_small = layout::fits(schema, MAX_MEMORY);
        let read: Option<Value> = is_small.then(|| serde_json::from_str(schema).ok()).flatten();
        let schema = read.ok_or("the schema is too large or too deep to be searched for headers")?;
        let mut found = Vec::new();
        collect(&schema, &mut Vec::new(), &mut found)?;
        let mut seen = HashSet::new();
        match found.iter().find(|argument| !seen.insert(&argument.header)) {
            Some(twice) => Err(format!("duplicate header '{}'", twice.header)),
            None => Ok(found),
        }
    }

    /// The argument's value as a header value, by the JSON text of all arguments, of which nothing else is kept; `None` if it is
    /// absent.
    ///
    /// # Errors
    /// The type is not one that a header can carry.
    pub fn value(&self, arguments: Option<&str>) -> Result<Option<String>, String> {
        let given = arguments.and_then(|all| self.path.iter().try_fold(all, |text, key| member(text, key)));
        let Some(given) = given else { return Ok(None) };
        let scalar = (!given.starts_with(['{', '['])).then(|| serde_json::from_str(given).ok()).flatten();
        match scalar {
            Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Bool(flag)) => Ok(Some(flag.to_string())),
            scalar => match scalar.as_ref().and_then(whole) {
                Some(number) => Ok(Some(number.to_string())),
                None => Err(format!(
                    "argument '{}' must be a string, an integer or a boolean",
                    self.path.join(".")
                )),
            },
        }
    }

    /// The headers of a call with these arguments, but for what is absent, or of a type that a header cannot carry.
    pub fn headers(all: &[Self], arguments: Option<&str>) -> Vec<(String, String)> {
        let header = |one: &Self| Some((one.header.clone(), one.value(arguments).ok()??));
        all.iter().filter_map(header).collect()
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

    fn find(schema: &Value) -> Result<Vec<Mirrored>, String> {
        Mirrored::find_in(&schema.to_string())
    }

    #[test]
    fn nested_arguments_are_found_and_only_what_goes_into_headers_is_read_of_them() {
        let inner = schema(json!({"zone": {"type": "integer", "x-mcp-header": "Zone"}}));
        let found =
            find(&schema(json!({"region": {"type": "string", "x-mcp-header": "Region"}, "where": inner})));
        let found = found.unwrap();
        let headers = found.iter().map(|argument| &*argument.header);
        assert_eq!(headers.collect::<Vec<_>>(), ["mcp-param-region", "mcp-param-zone"]);
        for (arguments, region, zone) in [
            (r#"{"region": "eu", "where": {"zone": 7.0}}"#, Ok(Some("eu")), Ok(Some("7"))),
            (r#"{"region": null}"#, Ok(None), Ok(None)),
            (
                r#"{"region":"\u0065u","where":{"zone":-7,"rest":[1,{}]},"rest":{"region":[null]}}"#,
                Ok(Some("eu")),
                Ok(Some("-7")),
            ),
            (r#"{"region":["eu"],"where":"zone"}"#, Err(()), Ok(None)),
            (r#"{"region":null,"where":{"zone":0.5}}"#, Ok(None), Err(())),
            (r#"{"region":"us","region":"eu"}"#, Ok(Some("eu")), Ok(None)),
            (r#"[{"region":"eu"}]"#, Ok(None), Ok(None)),
            (r#""region""#, Ok(None), Ok(None)),
        ] {
            for (argument, expected) in found.iter().zip([region, zone]) {
                let value = argument.value(Some(arguments)).map_err(|_| ());
                assert_eq!(value, expected.map(|text| text.map(str::to_owned)), "{arguments}");
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
            assert!(find(&wrong).is_err(), "{wrong}");
        }
        assert_eq!(find(&json!(true)), Ok(vec![]));
    }
}
