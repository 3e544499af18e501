//! Arguments for a call without given arguments: the minimum that a schema requires.
//!
//! They need no meaning, since the user's tools never receive them. They must pass the argument check under strategies
//! that withhold schemas.

use mcp_disclosure_core::RawObject;
use serde_json::{Map, Value, json};

/// Maximum depth of a schema. Deeper values are left out.
const DEEPEST: usize = 12;

/// An object with the arguments that this schema requires.
pub(crate) fn arguments(schema: &RawObject) -> RawObject {
    let root: Value = serde_json::from_str(schema.text()).unwrap_or_default();
    let value = Sampler { root: &root }.value(&root, 0);
    let value = if value.is_object() { value } else { json!({}) };
    RawObject::parse(value.to_string()).unwrap_or_default()
}

struct Sampler<'a> {
    root: &'a Value,
}

impl Sampler<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Null;
        }
        let first = |key: &str| schema[key].as_array().and_then(|values| values.first());
        let given = schema.get("const").or_else(|| schema.get("default")).or_else(|| first("enum"));
        // Some schemas with `"default": null` do not permit null.
        if let Some(given) = given.or_else(|| first("examples")).filter(|given| !given.is_null()) {
            return given.clone();
        }
        if let Some(target) = schema["$ref"].as_str().and_then(|reference| self.resolve(reference)) {
            return self.value(target, depth + 1);
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return self.merged(schema, parts, depth);
        }
        if let Some(one) = first("anyOf").or_else(|| first("oneOf")).filter(|_| schema.get("type").is_none())
        {
            return self.value(one, depth + 1);
        }
        self.of_type(schema, depth)
    }

    fn of_type(&self, schema: &Value, depth: usize) -> Value {
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
        let implied = if schema["properties"].is_object() { "object" } else { "string" };
        match kind.unwrap_or(implied) {
            "object" => self.object(schema, depth).into(),
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(0).min(8);
                (0..least).map(|_| self.value(&schema["items"], depth + 1)).collect()
            }
            "integer" => json!(least(schema).ceil() as i64),
            "number" => json!(least(schema)),
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => json!(text(schema)),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let member = |name: &str| (name.to_owned(), self.value(&schema["properties"][name], depth + 1));
        required.map(member).collect()
    }

    /// The combined requirements of all parts and of the schema around them.
    fn merged(&self, schema: &Value, parts: &[Value], depth: usize) -> Value {
        let mut whole = self.object(schema, depth + 1);
        for part in parts {
            match self.value(part, depth + 1) {
                Value::Object(members) => whole.extend(members),
                other => return other,
            }
        }
        whole.into()
    }

    /// The target of a reference within the same schema.
    fn resolve(&self, reference: &str) -> Option<&Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

/// The smallest permitted number, if there is one; else 1, if that is permitted.
fn least(schema: &Value) -> f64 {
    let bound = |key: &str| schema[key].as_f64();
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + 1.0));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - 1.0));
    least.unwrap_or_else(|| most.map_or(1.0, |most| most.min(1.0)))
}

fn text(schema: &Value) -> String {
    let least = usize::try_from(schema["minLength"].as_u64().unwrap_or(0).min(1000)).unwrap_or(0);
    let most = usize::try_from(schema["maxLength"].as_u64().unwrap_or(1000)).unwrap_or(1000);
    "text".chars().chain(std::iter::repeat('x')).take(least.max(4).min(most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_is_required_and_no_more() {
        for (schema, expected) in [
            (json!({"type": "object"}), json!({})),
            (json!(true), json!({})),
            (
                json!({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}),
                json!({"a": "text"}),
            ),
            (
                json!({"type": "object", "required": ["k", "n", "l", "u", "w"], "properties": {
                    "k": {"enum": ["x", "y"]}, "n": {"type": "integer", "minimum": 2.5},
                    "l": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/P"}},
                    "u": {"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]},
                    "w": {"type": ["number", "null"], "maximum": -1, "default": null}},
                    "$defs": {"P": {"allOf": [{"type": "object", "properties": {"x": {"const": 7}}, "required": ["x"]}]}}}),
                json!({"k": "x", "n": 3, "l": [{"x": 7}], "u": "text", "w": -1.0}),
            ),
            (
                json!({"type": "object", "required": ["s"], "properties": {"s": {"minLength": 6}}}),
                json!({"s": "textxx"}),
            ),
        ] {
            let schema = RawObject::parse(schema.to_string()).unwrap_or_default();
            assert_eq!(serde_json::from_str::<Value>(arguments(&schema).text()).unwrap(), expected);
        }
    }

    #[test]
    fn a_schema_that_points_at_itself_comes_to_an_end() {
        let cyclic = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}});
        let cyclic = RawObject::parse(cyclic.to_string()).unwrap();
        assert!(arguments(&cyclic).member("a").is_some());
    }
}
