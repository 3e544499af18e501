//! Summaries of all kinds of schemas.

mod bounds;

use serde_json::json;

use super::*;

/// The summary of a schema's parameters, as JSON.
fn summary(schema: &Value) -> Map<String, Value> {
    parameters(&schema.to_string()).members()
}

/// The summary of one parameter, without `required`.
fn of(schema: Value) -> Value {
    let mut summary = summary(&json!({"type": "object", "properties": {"p": schema}}));
    let mut parameter = summary["properties"]["p"].take();
    assert_eq!(parameter.as_object_mut().unwrap().shift_remove("required"), Some(json!(false)));
    parameter
}

#[test]
fn i4_types_values_and_limits_are_summarized() {
    for (schema, expected) in [
        (json!(true), json!({"type": "any"})),
        (json!({}), json!({"type": "any"})),
        (json!({"type": ["string", "array"]}), json!({"type": "string or array"})),
        (json!({"type": "string", "nullable": true}), json!({"type": "string or null"})),
        (
            json!({"type": "string", "enum": ["a", "b"], "default": "a", "examples": ["b"], "deprecated": true}),
            json!({"type": "string", "default": "a", "options": ["a", "b"], "examples": ["b"], "deprecated": true}),
        ),
        (
            json!({"const": 7, "title": "Seven"}),
            json!({"type": "integer", "description": "Seven", "options": [7]}),
        ),
        (json!({"enum": ["a", null]}), json!({"type": "string or null", "options": ["a", null]})),
        (
            json!({"type": "integer", "minimum": 1, "maximum": 5}),
            json!({"type": "integer", "limits": "1 to 5"}),
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5, "multipleOf": 0.1}),
            json!({"type": "number", "limits": "more than 0 and at most 0.5, a multiple of 0.1"}),
        ),
        (
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            json!({"type": "number", "limits": "more than 0"}),
        ),
        (
            json!({"type": "integer", "minimum": -9007199254740991i64, "maximum": 9007199254740991i64}),
            json!({"type": "integer"}),
        ),
        (
            json!({"type": "string", "minLength": 1, "pattern": "^a"}),
            json!({"type": "string", "limits": "at least 1 character, matching ^a"}),
        ),
        (
            json!({"type": "string", "format": "email", "pattern": "^(?!\\.)", "example": "a@b.c"}),
            json!({"type": "string", "examples": ["a@b.c"], "format": "email"}),
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2, "uniqueItems": true}),
            json!({"type": "array", "limits": "exactly 2 items, unique items", "items": {"type": "string"}}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "number"}, true]}),
            json!({"type": "array", "positions": [{"type": "number"}, {"type": "any"}]}),
        ),
        (
            json!({"type": "string", "contentEncoding": "base64"}),
            json!({"type": "string", "limits": "base64-encoded"}),
        ),
        (json!({"type": 7, "enum": {}, "description": []}), json!({"type": "any"})),
        (json!("no schema"), json!({"type": "any"})),
    ] {
        assert_eq!(of(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn i4_alternatives_are_merged_where_possible() {
    for (schema, expected) in [
        (
            json!({"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "description": "D", "default": null}),
            json!({"type": "string or null", "description": "D", "default": null, "limits": "at most 5 characters"}),
        ),
        (
            json!({"oneOf": [
                {"type": "array", "items": {"type": "integer"}, "description": "Several"},
                {"type": "integer", "minimum": 1, "description": "One"},
                {"type": "integer", "minimum": 1, "description": "One"}
            ], "description": "Which"}),
            json!({
                "type": "array or integer", "description": "Which (Several; One)", "limits": "at least 1",
                "items": {"type": "integer"}
            }),
        ),
        (
            json!({"oneOf": [
                {"const": "a", "title": "Alpha"}, {"const": "b", "description": "Beta"}, {"enum": ["c", "d"]}
            ]}),
            json!({"type": "string", "description": "a: Alpha; b: Beta", "options": ["a", "b", "c", "d"]}),
        ),
        (
            json!({"anyOf": [{"const": "auto"}, {"type": "integer"}]}),
            json!({
                "type": "string or integer",
                "one_of": [{"type": "string", "options": ["auto"]}, {"type": "integer"}]
            }),
        ),
        (
            json!({"anyOf": [
                {"anyOf": [
                    {"type": "object", "properties": {"a": {}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {}}}
                ]},
                {"type": "string"}
            ]}),
            json!({"type": "object or string", "one_of": [
                {"type": "object", "properties": {"a": {"type": "any", "required": true}}},
                {"type": "object", "properties": {"b": {"type": "any"}}},
                {"type": "string"}
            ]}),
        ),
        (
            json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}]
            }),
            json!({
                "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "one_of": [{"requires": ["a"]}, {"requires": ["b"]}]
            }),
        ),
        (json!({"type": "string", "anyOf": [{}, {"const": 1}]}), json!({"type": "string"})),
        (json!({"anyOf": [{"type": "null"}]}), json!({"type": "null"})),
        (
            json!({"anyOf": [{"type": "null"}, {"description": "D"}]}),
            json!({"type": "any", "description": "D"}),
        ),
    ] {
        assert_eq!(of(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn i4_references_are_resolved_all_of_is_merged_and_cycles_end() {
    let schema = json!({
        "type": "object",
        "$defs": {
            "named": {"properties": {"name": {"type": "string"}}, "required": ["name"]},
            "sized": {"properties": {"size": {"type": "integer"}, "name": {"minLength": 1}}},
            "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}, "value": {"type": "number"}}},
            "loop": {"$ref": "#/$defs/loop"},
            "a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}
        },
        "properties": {
            "both": {"description": "Both.", "allOf": [{"$ref": "#/$defs/named"}, {"$ref": "#/$defs/sized"}]},
            "tree": {"$ref": "#/$defs/tree"},
            "all": {"type": "array", "items": {"$ref": "#"}},
            "loop": {"$ref": "#/$defs/loop"}, "ring": {"$ref": "#/$defs/a"},
            "far": {"$ref": "https://example.org/schema.json"}
        },
        "allOf": [{"required": ["tree"]}]
    });
    assert_eq!(
        summary(&schema)["properties"],
        json!({
            "both": {"type": "object", "description": "Both.", "required": false, "properties": {
                "name": {"type": "string", "required": true, "limits": "at least 1 character"},
                "size": {"type": "integer"}
            }},
            "tree": {"type": "object", "required": true, "properties": {
                "left": {"type": "object", "note": "Recursive: same as tree"}, "value": {"type": "number"}
            }},
            "all": {"type": "array", "required": false, "items": {"type": "object", "note": "Recursive: same as #"}},
            "loop": {"type": "any", "required": false}, "ring": {"type": "any", "required": false},
            "far": {"type": "any", "required": false, "note": "Unresolved reference: https://example.org/schema.json"}
        })
    );
}

#[test]
fn i4_schemas_without_properties_are_summarized() {
    let open = json!({"note": wording::OPEN});
    for (schema, expected) in [
        (json!(true), open.clone()),
        (json!({}), open.clone()),
        (json!({"type": "object"}), json!({"type": "object", "note": wording::OPEN})),
        (json!({"type": "object", "properties": {}}), json!({"type": "object"})),
        (json!({"type": "object", "additionalProperties": false}), json!({"type": "object"})),
        (json!(false), open),
        (json!({"properties": {"never": false}}), json!({"type": "object"})),
        (
            json!({"additionalProperties": {"type": "string"}, "patternProperties": {"^x-": {"type": "integer"}}}),
            json!({"properties": {
                "(names matching ^x-)": {"type": "integer"}, "(any other name)": {"type": "string"}
            }}),
        ),
        (
            json!({"type": "object", "required": ["unknown", "unknown"]}),
            json!({"type": "object", "requires": ["unknown"], "note": wording::OPEN}),
        ),
    ] {
        assert_eq!(Value::from(summary(&schema)), expected, "{schema}");
    }
}

#[test]
fn returns_are_summarized_as_phrases() {
    let schema = json!({
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}, "description": "The names"},
            "page": {"type": "object", "properties": {"id": {}, "url": {}}},
            "state": {"enum": ["on", "off"]},
            "which": {"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "object", "properties": {"b": {}}}]},
            "any": {"description": "Whatever"}
        }
    });
    assert_eq!(
        returns(&schema.to_string()),
        Some(json!({
            "names": "array of string: The names",
            "page": "object with id, url",
            "state": "one of \"on\", \"off\"",
            "which": "either object with a; or object with b",
            "any": "Whatever"
        }))
    );
    assert_eq!(returns(r#"{"type":"array","items":{"type":"integer"}}"#), Some(json!("array of integer")));
    for nothing in ["true", "{}", r#"{"type":"object"}"#, "{", "7"] {
        assert_eq!(returns(nothing), None, "{nothing}");
    }
}
