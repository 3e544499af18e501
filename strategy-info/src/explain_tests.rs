//! Explanations of all kinds of schemas (docs/CONTRACT.md I4).

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// One parameter, without `required`.
fn of(schema: &Value) -> Value {
    let mut answer = parameters(&json!({"type": "object", "properties": {"p": schema}}).to_string());
    let mut parameter = answer["parameters"]["p"].take();
    assert_eq!(parameter.as_object_mut().unwrap().shift_remove("required"), Some(json!(false)));
    parameter
}

#[test]
fn i4_a_parameter_is_explained_in_the_documents_form() {
    for (schema, expected) in [
        (json!(true), json!({"type": "any"})),
        (json!({}), json!({"type": "any"})),
        (json!({"type": ["string", "array"]}), json!({"type": "string or array"})),
        (
            json!({"type": "string", "enum": ["a", "b"], "default": "a", "examples": ["b"], "deprecated": true}),
            json!({"type": "string", "default": "a", "options": ["a", "b"], "examples": ["b"], "deprecated": true}),
        ),
        (json!({"const": 7, "title": "Seven"}), json!({"type": "integer", "options": [7], "title": "Seven"})),
        (json!({"enum": ["a", null]}), json!({"type": "string or null", "options": ["a", null]})),
        (
            json!({"type": "integer", "minimum": 1, "maximum": 5, "example": 2}),
            json!({"type": "integer", "examples": [2], "minimum": 1, "maximum": 5}),
        ),
        // Alternatives of types alone, and of one and null.
        (json!({"anyOf": [{"type": "string"}, {"type": "array"}]}), json!({"type": "string or array"})),
        (
            json!({"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "description": "D", "default": null}),
            json!({"type": "string or null", "description": "D", "default": null, "maxLength": 5}),
        ),
        // What is nested is given as its schema.
        (
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
            json!({"type": "array or null", "schema": {"items": {"type": "string"}}}),
        ),
        (
            json!({"type": "object", "description": "D", "properties": {"a": {"type": "string", "title": "A"}}, "required": ["a"]}),
            json!({"type": "object", "description": "D", "schema": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}),
        ),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {}}]}),
            json!({"type": "string or array", "schema": {"oneOf": [{"type": "string"}, {"type": "array", "items": {}}]}}),
        ),
        (
            json!({"type": 7, "enum": {}, "description": []}),
            json!({"type": "any", "description": [], "options": {}}),
        ),
        (json!("no schema"), json!({"type": "any"})),
    ] {
        assert_eq!(of(&schema), expected, "{schema}");
    }
}

#[test]
fn i4_references_are_resolved_and_what_nested_ones_need_is_given() {
    let schema = json!({
        "type": "object", "required": ["named"],
        "$defs": {
            "a/b": {"type": "object", "properties": {"name": {"$ref": "#/$defs/name"}}},
            "name": {"type": "string"}, "mode": {"enum": ["x", "y"]}, "unused": {"type": "null"},
            "loop": {"$ref": "#/$defs/loop"},
        },
        "properties": {
            "named": {"$ref": "#/$defs/a~1b"}, "mode": {"allOf": [{"$ref": "#/$defs/mode"}], "default": "x"},
            "loop": {"$ref": "#/$defs/loop"}, "far": {"$ref": "https://example.org/schema.json"},
        },
    });
    assert_eq!(
        Value::from(parameters(&schema.to_string())),
        json!({
            "parameters": {
                "named": {"type": "object", "required": true, "schema": {"properties": {"name": {"$ref": "#/$defs/name"}}}},
                "mode": {"type": "string", "required": false, "default": "x", "options": ["x", "y"]},
                "loop": {"type": "any", "required": false, "$ref": "#/$defs/loop"},
                "far": {"type": "any", "required": false, "$ref": "https://example.org/schema.json"},
            },
            "$defs": {"name": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}},
        })
    );
}

/// A type that leaves out what an alternative refers to would be a wrong one.
#[test]
fn i4_types_of_alternatives_that_are_references_are_named() {
    let definitions = json!({
        "parent": {"oneOf": [{"properties": {"id": {}}}, {"$ref": "#/$defs/ids"}]}, "ids": {"type": "array"},
        "loop": {"anyOf": [{"$ref": "#/$defs/loop"}, {"$ref": "#/$defs/loop"}, {"type": "boolean"}]},
    });
    for (alternatives, words) in [
        (json!([{"$ref": "#/$defs/parent"}, {"type": "string"}]), "object or array or string"),
        (json!([{"$ref": "#/$defs/parent"}, {"type": "null"}]), "object or array or null"),
        (json!([{"$ref": "#/$defs/loop"}, {"type": "string"}]), "boolean or string"),
    ] {
        let schema = json!({"$defs": definitions, "properties": {"a": {"anyOf": alternatives}}});
        assert_eq!(parameters(&schema.to_string())["parameters"]["a"]["type"], words, "{alternatives}");
    }
}

#[test]
fn i4_what_concerns_all_parameters_stands_beside_them() {
    let open = json!({"parameters": {}, "note": wording::OPEN});
    for (schema, expected) in [
        (json!(true), open.clone()),
        (json!({"type": "object"}), open.clone()),
        (json!("{"), open),
        (json!({"type": "object", "properties": {}}), json!({"parameters": {}})),
        (json!({"type": "object", "additionalProperties": false}), json!({"parameters": {}})),
        (json!({"properties": {"never": false}}), json!({"parameters": {}})),
        (
            json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({
                "parameters": {"a": {"type": "any", "required": false}},
                "schema": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            }),
        ),
        (
            json!({"additionalProperties": {"type": "string"}, "required": ["unknown"]}),
            json!({"parameters": {}, "schema": {"additionalProperties": {"type": "string"}, "required": ["unknown"]}}),
        ),
    ] {
        assert_eq!(Value::from(parameters(&schema.to_string())), expected, "{schema}");
    }
}

#[test]
fn b12_small_schemas_are_phrases() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": "integer", "minimum": 1, "description": "How many"},
        "mode": {"enum": ["x", "y"], "default": "x"}, "any": {"description": "Whatever"},
        "names": {"type": "array", "items": {"type": "string"}},
        "tree": {"type": "array", "items": {"type": "array", "items": {}}},
    }});
    assert_eq!(
        in_short(&schema.to_string()),
        Some(json!({
            "n": "integer, required, minimum 1: How many", "mode": "string, default \"x\", one of \"x\", \"y\"",
            "any": "Whatever",
            "names": "array of string",
            "tree": {"type": "array", "required": false, "schema": {"items": {"type": "array", "items": {}}}},
        }))
    );
    for (schema, short) in [
        (r#"{"type":"object","properties":{}}"#, Some(json!("none"))),
        (r#"{"type":"object"}"#, Some(json!("any"))),
        (r#"{"properties":{"a":{}},"anyOf":[{"required":["a"]},{}]}"#, None),
    ] {
        assert_eq!(in_short(schema), short, "{schema}");
    }
}

#[test]
fn i4_results_are_phrases() {
    let schema = json!({"type": "object", "properties": {
        "names": {"type": "array", "items": {"type": "string"}, "description": "The names"},
        "page": {"type": "object", "properties": {"id": {}}}, "any": {"description": "Whatever"},
    }});
    let expected = json!({"names": "array of string: The names", "page": "object", "any": "Whatever"});
    assert_eq!(returns(&schema.to_string()), Some(expected));
    assert_eq!(returns(r#"{"type":"array","items":{"type":"integer"}}"#), Some(json!("array of integer")));
    for nothing in ["true", "{}", r#"{"type":"object"}"#, "{", "7"] {
        assert_eq!(returns(nothing), None, "{nothing}");
    }
}

#[test]
fn i4_deep_and_wide_schemas_take_no_long_time_and_no_stack() {
    for keyword in ["items", "not"] {
        let deep = format!(
            r#"{{"properties":{{"a":{}1{}}}}}"#,
            format!(r#"{{"{keyword}":"#).repeat(50_000),
            "}".repeat(50_000)
        );
        assert!(parameters(&deep).contains_key("parameters"));
    }
    let nested =
        format!(r#"{{"properties":{{"a":{}1{}}}}}"#, r#"{"anyOf":["#.repeat(5_000), "]}".repeat(5_000));
    assert!(parameters(&nested).contains_key("parameters"));
    let definitions: Vec<String> =
        (0..5_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
    let chain = format!(
        r##"{{"properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
        definitions.join(",")
    );
    assert!(parameters(&chain).contains_key("parameters"));
}

proptest! {
    #[test]
    fn i4_nothing_breaks_an_explanation(schema in "[{}\\[\\]\":,a$#/0-9 ]{0,80}|\\{\"properties\":\\{\"a\":\\{\"(type|enum|anyOf|\\$ref|required)\":[\\[\\]{}\"0-9,]{0,9}\\}\\}\\}") {
        let _ = (parameters(&schema), in_short(&schema), returns(&schema));
    }
}

#[test]
fn i4_what_two_parts_of_a_schema_demand_is_kept() {
    let minimum = json!({"type": "integer", "minimum": 1, "allOf": [{"minimum": 5}]});
    let explained = parameters(&json!({"type": "object", "properties": {"n": minimum}}).to_string());
    let n = &explained["parameters"]["n"];
    assert_eq!((&n["minimum"], &n["schema"]["allOf"][0]["minimum"]), (&json!(1), &json!(5)), "{n}");
    let described = json!({"description": "How many", "allOf": [{"type": "integer", "description": "A number", "minimum": 5}]});
    let explained = parameters(&json!({"type": "object", "properties": {"n": described}}).to_string());
    let n = &explained["parameters"]["n"];
    assert_eq!(
        (&n["minimum"], &n["description"], &n["schema"]),
        (&json!(5), &json!("How many"), &Value::Null),
        "{n}"
    );
}
