//! Tests of arguments that are mended, where nothing else fits.

use serde_json::{Value, json};

use super::tests::{apply, check, lines, problems};

#[test]
fn f5_json_in_a_string_is_understood_only_where_nothing_else_fits() {
    let check = check(&json!({"properties": {
        "only": {"type": ["array", "null"]}, "either": {"type": ["string", "array"]}, "any": {}
    }}));
    let repaired = |given: &Value| -> Value {
        serde_json::from_str(apply(&check, given).unwrap().repaired.unwrap().get()).unwrap()
    };
    let given = json!({"only": "[1]", "either": "[1]", "any": "{}"});
    assert_eq!(repaired(&given), json!({"only": [1], "either": "[1]", "any": "{}"}));
    assert_eq!(repaired(&Value::String(given.to_string()))["only"], json!([1]));
    assert_eq!(problems(&check, &json!("no"))[0].expected, "a JSON object");
    assert!(apply(&check, &json!({"only": [1]})).unwrap().repaired.is_none());
    let exact = |given: &str| check.apply(given).unwrap().repaired.unwrap().get().to_owned();
    assert_eq!(
        exact(r#"{"any":18446744073709551617,"only":" [1.0, 18446744073709551617]"}"#),
        r#"{"any":18446744073709551617,"only":[1.0, 18446744073709551617]}"#
    );
    assert_eq!(exact(r#""{\"any\": 1e2, \"only\": null}""#), r#"{"any": 1e2, "only": null}"#);
    let own = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/o",
        "properties": {"a": {"type": "object"}}, "required": ["b"],
        "definitions": {"o": {"properties": {"a": {"type": "string"}}}}});
    assert!(
        self::check(&own).apply(r#"{"a":"{}"}"#).unwrap().repaired.is_none(),
        "draft-07 has nothing beside $ref"
    );
}

/// What is sent of an argument `a` of this schema, if anything else than what was given.
fn sent(schema: &Value, given: &str) -> Option<String> {
    let definitions =
        json!({"list": {"type": "array"}, "loop": {"$ref": "#/$defs/loop"}, "auto": {"const": "auto"}});
    let check =
        check(&json!({"properties": {"a": schema}, "$defs": definitions, "additionalProperties": false}));
    Some(check.apply(&format!(r#"{{"a":{given}}}"#)).ok()?.repaired?.get()[5..].to_owned())
}

#[test]
fn f5_json_in_a_string_is_understood_however_the_schema_says_it() {
    for schema in [
        json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}),
        json!({"oneOf": [{"$ref": "#/$defs/list"}, {"type": "null"}]}),
        json!({"allOf": [{"$ref": "#/$defs/list"}]}),
        json!({"allOf": [{"type": "array"}, {"type": ["array", "object"]}]}),
        json!({"anyOf": [{"anyOf": [{"not": {}}, {"type": "array"}]}, {"type": "null"}]}),
        json!({"anyOf": [{"type": "array"}, false, {"const": null}, {"enum": [null, 1]}]}),
        json!({"anyOf": [{"$ref": "#/$defs/auto"}, {"type": "array"}]}),
        json!({"anyOf": [{"enum": ["x", "y"]}, {"type": "array"}]}),
        json!({"if": {"type": "string"}, "then": false}),
    ] {
        assert_eq!(sent(&schema, r#""[1.0]""#).as_deref(), Some("[1.0]}"), "{schema}");
    }
    // A string fits, or its content does not either.
    for schema in [
        json!({"anyOf": [{"type": "array"}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "object"}, {"const": "[1.0]"}]}),
        json!({"$ref": "#/$defs/loop"}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"enum": ["x"]}),
    ] {
        assert_eq!(sent(&schema, r#""[1.0]""#), None, "{schema}");
    }
}

#[test]
fn f5_numbers_and_booleans_in_strings_are_understood_where_nothing_else_fits() {
    let nullable = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    for (schema, given, left) in [
        (json!({"type": "integer"}), r#""5""#, Some("5")),
        (nullable.clone(), r#"" -5e0""#, Some("-5e0")),
        (json!({"type": ["number", "null"]}), r#""18446744073709551617""#, Some("18446744073709551617")),
        (json!({"type": "boolean"}), r#""true""#, Some("true")),
        (json!({"items": {"type": "integer"}}), r#"["1",2,"3"]"#, Some("[1,2,3]")),
        (json!({"type": "array", "items": {"type": "integer"}}), r#""[\"1\"]""#, Some("[1]")),
        (json!({"enum": [1, 2]}), r#""2""#, Some("2")),
        (json!({"anyOf": [{"type": "integer"}, {"const": "auto"}]}), r#""2""#, Some("2")),
        (json!({"enum": ["1", "2"]}), r#""3""#, None),
        (nullable, r#""null""#, None),
        (json!({"type": "integer"}), r#""5.5""#, None),
        (json!({"type": "boolean"}), r#""1""#, None),
        (json!({"type": ["integer", "string"]}), r#""5""#, None),
        // What says something of strings alone says nothing for numbers.
        (json!({"pattern": "^[a-z]$"}), r#""5""#, None),
    ] {
        assert_eq!(sent(&schema, given), left.map(|left| format!("{left}}}")), "{schema} {given}");
    }
}

#[test]
fn f5_arguments_are_mended_wherever_they_do_not_fit() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let parts = json!({"properties": {"n": {"type": "integer"}, "l": list}, "required": ["l"]});
    for (schema, given, left) in [
        (
            json!({"type": "array", "items": parts}),
            r#"[{"l":"[1]"}, {"n":1e0,"l":[2]}]"#,
            r#"[{"l":[1]}, {"n":1e0,"l":[2]}]}"#,
        ),
        (json!({"type": "array", "items": parts}), r#""[{\"l\":\"[1]\"}]""#, r#"[{"l":[1]}]}"#),
        (json!({"additionalProperties": list}), r#"{"k":[1],"k":"[2]"}"#, r#"{"k":[1],"k":[2]}}"#),
        (json!({"prefixItems": [{}, list]}), r#"["[1]", "[2]"]"#, r#"["[1]", [2]]}"#),
        (
            json!({"items": list}),
            &format!("[{}]", [r#""[1]""#; 25].join(",")),
            &format!("[{}]}}", ["[1]"; 25].join(",")),
        ),
    ] {
        assert_eq!(sent(&schema, given).as_deref(), Some(left), "{schema} {given}");
    }
    // Within an argument null may be a value.
    assert_eq!(sent(&parts, r#"{"l":[1],"n":null}"#), None);
    // Parameters that only a part of the schema names.
    let part = json!({"properties": {"a": list}});
    for schema in [
        json!({"$ref": "#/$defs/p", "$defs": {"p": part}}),
        json!({"allOf": [part]}),
        json!({"additionalProperties": list}),
    ] {
        let left = check(&schema).apply(r#"{"a":[2],"a":"[1]"}"#).unwrap().repaired;
        assert_eq!(left.unwrap().get(), r#"{"a":[2],"a":[1]}"#, "{schema}");
    }
}

#[test]
fn f5_what_cannot_be_mended_is_refused() {
    let (list, integer) = (json!({"type": "array"}), json!({"type": "integer"}));
    let schema = json!({"properties": {"a": list, "b": integer}, "additionalProperties": false});
    for held in [
        "[1e400]",
        r#"["\ud800"]"#,
        "[1",
        "[1],[2]",
        "[1] x",
        "\u{a0}[1]",
        "7",
        "",
        &format!("{}{}", "[".repeat(126), "]".repeat(126)),
    ] {
        assert_eq!(problems(&check(&schema), &json!({"a": held})).len(), 1, "{held}");
    }
    let deep = format!("{}{}", "[".repeat(125), "]".repeat(125));
    assert!(apply(&check(&schema), &json!({"a": deep})).unwrap().repaired.is_some());
    // What is still wrong is reported as it was given.
    let schema = json!({"properties": {"a": {"type": "array", "items": integer}, "b": integer, "c": {"enum": ["x"]}}, "required": ["c"]});
    for (given, told) in [
        (json!({"a": "[1]", "b": "bad", "c": "x"}), r#"b: "bad" / a value of type integer"#),
        (json!({"a": "[1]", "b": "[1]", "c": "x"}), r#"b: "[1]" / a value of type integer"#),
        (json!({"a": "[1,\"x\"]", "b": null, "c": "x"}), r#"a.1: "x" / a value of type integer"#),
        (json!({"a": "[1]", "c": "[]"}), r#"c: "[]" / one of ["x"]"#),
        (json!({"a": "[1]", "c": null}), r#"c: null / one of ["x"]"#),
    ] {
        assert_eq!(lines(&schema, &given), [told]);
    }
    // A part that is not judged, for it refers to nothing but itself, does not keep the rest from being judged.
    let own = json!({"properties": {"a": {"$ref": "#/$defs/a"}, "b": integer}, "$defs": {"a": {"$ref": "#/$defs/a"}}});
    assert_eq!(lines(&own, &json!({"a": "[1]", "b": "bad"})), [r#"b: "bad" / a value of type integer"#]);
}

#[test]
fn f5_null_for_what_can_be_left_out_is_left_out() {
    let schema = json!({"properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"contains": {}}}, "required": ["b"]});
    let check = check(&schema);
    let apply = |given: &str| {
        check.apply(given).map(|checked| (checked.repaired.unwrap().get().to_owned(), checked.is_judged))
    };
    assert_eq!(apply(r#"{"a":null,"b":"x","d":1.0}"#).unwrap(), (r#"{"b":"x","d":1.0}"#.to_owned(), true));
    assert_eq!(apply(r#"{"a":null,"b":"x","c":[1]}"#).unwrap(), (r#"{"b":"x","c":[1]}"#.to_owned(), false));
    for refused in [r#"{"a":null,"b":null}"#, r#"{"a":null,"b":7}"#, r#"{"b":null}"#] {
        assert!(apply(refused).is_err(), "{refused}");
    }
    // A null that can be one says something.
    let cleared = json!({"properties": {"who": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "n": {"type": "integer"}}});
    let left = self::check(&cleared).apply(r#"{"who":null,"n":null,"else":null}"#).unwrap().repaired;
    assert_eq!(left.unwrap().get(), r#"{"who":null,"else":null}"#);
    // The argument may be named by a part of the schema only.
    let own = json!({"properties": {"n": {"type": "integer"}}, "additionalProperties": false});
    let part = self::check(&json!({"$ref": "#/$defs/o", "$defs": {"o": own}}));
    assert_eq!(part.apply(r#"{"n":null}"#).unwrap().repaired.unwrap().get(), "{}");
    assert!(part.apply(r#"{"n":null,"else":null}"#).is_err());
}

#[test]
fn p1_what_is_mended_costs_steps() {
    let check = check(&json!({"properties": {"a": {"items": {"type": "array"}}}}));
    let strings =
        |count: usize, length: usize| json!({"a": vec![format!("[\"{}\"]", "x".repeat(length)); count]});
    assert!(apply(&check, &strings(100, 10)).unwrap().is_judged);
    for (count, length) in [(2_000, 10), (10, 40_000)] {
        let left = apply(&check, &strings(count, length));
        assert!(left.is_err() || !left.unwrap().is_judged, "{count} {length}");
    }
    // What would take too much memory stays a string.
    assert_eq!(problems(&check, &json!({"a": [format!("[{}0]", "[0],".repeat(90_000))]})).len(), 1);
}
