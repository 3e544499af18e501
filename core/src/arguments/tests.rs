//! Tests of the check as a whole.

use serde_json::{Map, Value, json};

use super::*;

pub(super) fn check(schema: &Value) -> Schema {
    Schema::compile(&schema.to_string())
}

pub(super) fn apply(check: &Schema, given: &Value) -> Result<Checked, Vec<ArgumentProblem>> {
    check.apply(&given.to_string())
}

pub(super) fn problems(check: &Schema, given: &Value) -> Vec<ArgumentProblem> {
    apply(check, given).unwrap_err()
}

fn is_judged(check: &Schema, given: &Value) -> bool {
    apply(check, given).unwrap().is_judged
}

/// Each problem in a line.
pub(super) fn lines(schema: &Value, given: &Value) -> Vec<String> {
    let line =
        |problem: ArgumentProblem| format!("{}: {} / {}", problem.argument, problem.given, problem.expected);
    problems(&check(schema), given).into_iter().map(line).collect()
}

#[test]
fn f5_says_which_argument_what_was_given_and_what_was_expected() {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {}, "limit": {"type": "integer", "maximum": 5}, "sort": {"enum": ["asc", "desc"]},
            "filters": {"properties": {"name": {"type": ["string", "null"], "minLength": 2}}},
            "ids": {"type": "array", "items": {"pattern": "^[a-z]+$"}, "uniqueItems": true, "minItems": 2}
        },
        "required": ["query"],
        "additionalProperties": false
    });
    let given = json!({"limit": "x", "sort": "up", "more": 1, "filters": {"name": 7}, "ids": ["A"]});
    assert_eq!(
        lines(&schema, &given),
        [
            r#"limit: "x" / a value of type integer"#,
            r#"sort: "up" / one of ["asc","desc"]"#,
            "filters.name: 7 / a value of type string or null",
            r#"ids.0: "A" / text that matches ^[a-z]+$"#,
            r#"ids: ["A"] / at least 2 items"#,
            "query: nothing / a value: it is required",
            "more: an argument of that name / only the arguments that the description names",
        ]
    );
    let given = json!({"query": 1, "limit": 9, "filters": {"name": "x"}, "ids": ["a", "a"]});
    assert_eq!(
        lines(&schema, &given),
        [
            "limit: 9 / a number of at most 5",
            r#"filters.name: "x" / text of at least 2 characters"#,
            r#"ids: ["a","a"] / items that all differ"#,
        ]
    );
}

#[test]
fn f5_names_that_were_probably_meant_are_suggested() {
    let schema = json!({
        "properties": {"where": {
            "properties": {"max_steps": {}, "equation": {}}, "required": ["max_steps"], "additionalProperties": false
        }}
    });
    assert_eq!(
        lines(&schema, &json!({"where": {"maxSteps": 1, "equations": 2, "other": 3}})),
        [
            "where.max_steps: nothing / a value: it is required; did you mean it by 'maxSteps'?",
            "where.maxSteps: an argument of that name / only the arguments that the description names; did you mean 'max_steps'?",
            "where.equations: an argument of that name / only the arguments that the description names; did you mean 'equation'?",
            "where.other: an argument of that name / only the arguments that the description names",
        ]
    );
}

#[test]
fn f5_of_alternatives_the_nearest_is_told_or_all_that_are_as_near() {
    let optional = json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}});
    assert_eq!(
        lines(&optional, &json!({"a": "x"})),
        [r#"a: "x" / a value of type integer, or a value of type null"#]
    );
    let block = |kind: &str| {
        json!({
            "properties": {"type": {"const": kind}, kind: {"properties": {"size": {"type": "integer"}}}},
            "required": ["type", kind]
        })
    };
    let blocks = json!({"properties": {"blocks": {"items": {"oneOf": [{"type": "string"}, block("image"), block("text")]}}}});
    for (schema, told) in [
        (
            json!({"anyOf": [{"anyOf": [{"not": {}}, {"type": "array"}]}, {"type": "null"}]}),
            "a value of type array, or a value of type null",
        ),
        (json!({"anyOf": [{"const": null}, {"type": "array"}]}), "exactly null, or a value of type array"),
        (json!({"anyOf": [{"enum": ["x"]}, {"type": "array"}]}), "one of [\"x\"], or a value of type array"),
        (json!({"anyOf": [{"type": "array"}, false]}), "a value of type array"),
        (json!({"allOf": [{"type": "array"}, {"type": "array", "items": {}}]}), "a value of type array"),
    ] {
        let told_of = lines(&json!({"properties": {"a": schema}}), &json!({"a": 5}));
        assert_eq!(told_of, [format!("a: 5 / {told}")], "{schema}");
    }
    let given = json!({"blocks": [{"type": "text", "text": {"size": "x"}}]});
    assert_eq!(lines(&blocks, &given), [r#"blocks.0.text.size: "x" / a value of type integer"#]);
    assert_eq!(
        lines(&json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), &json!({})),
        ["arguments: {} / 'a': a value: it is required, or 'b': a value: it is required"]
    );
}

/// Many schemas say `oneOf` where they mean `anyOf`.
#[test]
fn f5_what_fits_several_alternatives_is_not_refused() {
    let kinds = json!({"oneOf": [{"type": "string"}, {"type": "string", "format": "uri"}, {"const": "x"}]});
    let times = json!({"oneOf": [{"properties": {"repeat": {"type": "string"}}}, {"properties": {"start": {"type": "string"}}}]});
    let schema = json!({"properties": {"kind": kinds, "time": times, "n": {"type": "integer"}}});
    let check = check(&schema);
    for given in [json!({"kind": "x"}), json!({"kind": "y", "time": {"start": "now"}})] {
        assert_eq!(check.check(&given), Verdict::NotJudged, "{given}");
        assert!(!apply(&check, &given).unwrap().is_judged);
    }
    assert_eq!(check.check(&json!({"time": {"start": "now", "repeat": 7}})), Verdict::Fits);
    // The rest is judged as ever.
    assert_eq!(lines(&schema, &json!({"kind": "x", "n": "y"})), [r#"n: "y" / a value of type integer"#]);
    assert_eq!(lines(&schema, &json!({"kind": 7})).len(), 1);
}

#[test]
fn f5_what_is_not_judged_refuses_nothing_and_the_rest_of_the_schema_still_does() {
    for (unjudged, what) in [
        (json!({"$ref": "https://example.org/s.json"}), "$ref https://example.org/s.json"),
        (json!({"$ref": "file:///etc/passwd"}), "$ref file:///etc/passwd"),
        (json!({"$ref": "#anchor"}), "$ref #anchor"),
        (json!({"$dynamicRef": "#x"}), "$dynamicRef"),
        (json!({"$id": "a", "$ref": "#/$defs/a"}), "$ref #/$defs/a"),
        (json!({"$schema": "x", "type": "string"}), "$schema"),
        (json!({"type": 7}), "type"),
        (json!({"type": ["x", "null"]}), "type"),
        (json!({"minimum": true}), ""),
        (json!({"patternProperties": {"a": {}}}), "patternProperties"),
        (json!({"unevaluatedProperties": false}), "unevaluatedProperties"),
        (json!({"dependencies": {"b": ["c"]}}), "dependencies"),
        (json!({"contains": {}}), "contains"),
        (json!(7), ""),
    ] {
        let schema = json!({"properties": {"a": unjudged, "b": {"type": "integer"}}});
        // A keyword in a wrong form is found when it is met.
        let check = check(&schema);
        assert_eq!(check.unjudged().join(""), what);
        assert!(is_judged(&check, &json!({"b": 1})), "what is not given is not judged");
        assert!(!is_judged(&check, &json!({"a": 1, "b": 1})));
        assert_eq!(problems(&check, &json!({"a": 1, "b": "x"}))[0].argument, "b");
        // Beside it, what decides anyhow is judged; which verdicts depend on it is shown by generated schemas.
        for schema in [
            json!({"anyOf": [unjudged, {"required": ["b"]}]}),
            json!({"if": {"required": ["a"]}, "then": unjudged}),
        ] {
            assert!(is_judged(&self::check(&schema), &json!({"b": 1})), "{schema}");
        }
        let either = json!({"properties": {"a": {"if": unjudged, "then": {"type": "string"}, "else": {"minimum": 2}}}});
        assert_eq!(problems(&self::check(&either), &json!({"a": 1})).len(), 1, "{either}");
    }
}

#[test]
fn f5_patterns_and_values_in_which_engines_differ_are_not_judged() {
    for (schema, given, named) in [
        (json!({"pattern": "("}), json!("a"), false),
        (json!({"pattern": "(?<=a)b"}), json!("ab"), true),
        (json!({"pattern": "a++"}), json!("a"), true),
        (json!({"pattern": "^a{,2}$"}), json!("a{,2}"), true),
        (json!({"type": "string", "enum": ["a"], "nullable": true}), json!(null), false),
        (json!({"pattern": "[[:alpha:]]"}), json!("a"), true),
        (json!({"pattern": "^[--9]+$"}), json!("5"), true),
        (json!({"pattern": "\\p{L}"}), json!("a"), true),
        (json!({"pattern": "a{1,9999999999}"}), json!("a"), true),
        (json!({"pattern": "^(?!a)b|c"}), json!("b"), true),
        (json!({"required": true}), json!({}), false),
        (json!({"enum": [[1], "b"]}), json!([1.0]), false),
    ] {
        let check = check(&json!({"properties": {"a": schema}}));
        assert_eq!(!check.unjudged().is_empty(), named, "{schema}");
        assert!(!is_judged(&check, &json!({"a": given})), "{schema}");
    }
}

#[test]
fn f5_what_cannot_be_read_goes_on() {
    for draft in
        ["http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema", "x"]
    {
        let check = check(&json!({"$schema": draft, "type": "array"}));
        assert!(!is_judged(&check, &json!({})), "{draft}");
    }
    let check = check(&json!({"properties": {"a": {"type": "string"}}}));
    for text in
        [r#"{"a":"\ud800"}"#, r#"{"a":1e400}"#, &format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200))]
    {
        assert!(!check.apply(text).unwrap().is_judged, "{text}");
    }
}

/// `{"and": [..]}`, `{"or": [..]}`, `{"not": ..}` or a condition, as filters of databases are.
fn filter() -> Value {
    let list =
        |name: &str| json!({"properties": {name: {"items": {"$ref": "#/$defs/filter"}}}, "required": [name]});
    json!({
        "properties": {"filter": {"$ref": "#/$defs/filter"}},
        "$defs": {"filter": {"anyOf": [
            list("and"),
            list("or"),
            {"properties": {"not": {"$ref": "#/$defs/filter"}}, "required": ["not"]},
            {"properties": {"field": {"type": "string"}, "value": {"type": "string"}}, "required": ["field", "value"]}
        ]}}
    })
}

/// A filter this deep, with one wrong leaf, whose branches all look alike until the leaf.
fn nested_filter(levels: usize) -> Value {
    let wrong = json!({"field": "a", "value": 1});
    let wrap = |inner: Value, _| json!({"and": [inner.clone()], "or": [inner.clone()], "not": inner});
    json!({"filter": (0..levels).fold(wrong, wrap)})
}

#[test]
fn f5_an_ordinary_recursive_union_is_enforced_and_its_problems_are_shown() {
    let check = check(&filter());
    let fits =
        json!({"filter": {"and": [{"field": "a", "value": "x"}, {"not": {"field": "b", "value": "y"}}]}});
    assert!(is_judged(&check, &fits));
    let problem = &problems(&check, &json!({"filter": {"and": [{"not": {"field": "b", "value": 1}}]}}))[0];
    assert_eq!((&*problem.argument, &*problem.given), ("filter.and.0.not.value", "1"));
}

#[test]
fn p1_a_recursive_union_costs_no_more_than_its_steps_however_deep_it_is_nested() {
    let check = check(&filter());
    for levels in 2..5 {
        assert!(apply(&check, &nested_filter(levels)).is_err());
    }
    // All ways through it are more than the steps.
    assert!(!is_judged(&check, &nested_filter(8)));
}

#[test]
fn p1_of_many_problems_at_most_ten_are_shown() {
    let check = check(&json!({"properties": {"paths": {"items": {"type": "string"}}}}));
    assert_eq!(problems(&check, &json!({"paths": vec![1; 9]})).len(), 9);
    let ten = problems(&check, &json!({"paths": vec![1; 1_000]}));
    assert_eq!((ten.len(), &*ten[9].argument, &*ten[9].given), (10, "paths.9", "1"));
}

#[test]
fn p1_problems_do_not_copy_values_names_or_schemas() {
    let large = "x".repeat(100_000);
    let branches: Vec<Value> = (0..500).map(|at| json!({"const": at})).collect();
    let union =
        json!({"properties": {"a": {"anyOf": branches}, large.as_str(): {"items": {"type": "string"}}}});
    let check = check(&union);
    assert_eq!(problems(&check, &json!({"a": large}))[0].given.chars().count(), 120);
    let first = &problems(&check, &json!({large.as_str(): vec![1; 1_000]}))[0];
    assert!(first.argument.len() < 600, "{}", first.argument.len());
    let not = json!({"properties": {"a": {"not": {"enum": vec!["yyyyyyyyyy"; 10_000]}}}});
    assert!(problems(&self::check(&not), &json!({"a": "yyyyyyyyyy"}))[0].expected.len() < 600);
}

#[test]
fn p1_what_is_too_large_or_costs_too_many_steps_is_not_judged() {
    let doubling = |keyword: &str| {
        let mut definitions = Map::new();
        for level in 0..34 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({keyword: [next, next]}));
        }
        definitions.insert("d34".to_owned(), json!({"required": ["a"]}));
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    };
    let numbers = json!({"a": (0..20_000).collect::<Vec<_>>()});
    let late = json!({"items": {"enum": (0..5_000).collect::<Vec<_>>()}});
    for (schema, given) in [
        (doubling("allOf"), json!({"a": 1})),
        (doubling("oneOf"), json!({"a": 1})),
        (json!({"$ref": "#"}), json!({})),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}), json!({})),
        (json!({"properties": {"a": {"uniqueItems": true}}}), numbers),
        (json!({"properties": {"a": late}}), json!({"a": vec![4_999; 100]})),
        (json!({"properties": {"a": {"type": "string"}}}), json!({"a": "x".repeat(600_000)})),
        (json!({"properties": {"a": {}}}), json!({"a": vec![json!([0]); 90_000]})),
        (json!({"properties": {"a": {"pattern": "^(?:a?){400}a{400}$"}}}), json!({"a": "a".repeat(400)})),
        (json!({"enum": vec!["x"; 300_000]}), json!({})),
    ] {
        assert!(
            !is_judged(&check(&schema), &given),
            "{}",
            &schema.to_string()[..60.min(schema.to_string().len())]
        );
    }
}

#[test]
fn p1_patterns_are_matched_within_bounds() {
    let check = check(&json!({"properties": {
        "word": {"pattern": "^[a-z]+$"},
        // What zod makes of an e-mail address.
        "email": {"pattern": r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"},
        "bad": {"pattern": "^(a+)+$"}
    }}));
    assert!(is_judged(
        &check,
        &json!({"word": "abc", "email": "somebody.else@mail.example.org", "bad": "aa"})
    ));
    assert_eq!(problems(&check, &json!({"word": "A"})).len(), 1);
    assert_eq!(problems(&check, &json!({"email": "some..body@example.org"})).len(), 1);
    assert_eq!(problems(&check, &json!({"bad": format!("{}!", "a".repeat(2_000))})).len(), 1);
    assert!(!is_judged(&check, &json!({"bad": "a".repeat(100_000)})));
    // Engines differ in what this has.
    assert!(!is_judged(&check, &json!({"word": "é"})));
}

#[test]
fn p1_deep_arguments_and_long_chains_fit_on_any_stack() {
    let mut definitions = Map::new();
    for level in 0..20 {
        definitions
            .insert(format!("d{level}"), json!({"allOf": [{"$ref": format!("#/$defs/d{}", level + 1)}]}));
    }
    definitions.insert("d20".to_owned(), json!({"items": {"$ref": "#/$defs/d0"}, "type": "array"}));
    let schema = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}).to_string();
    let deep =
        |levels: usize, leaf: &str| format!(r#"{{"a":{}{leaf}{}}}"#, "[".repeat(levels), "]".repeat(levels));
    // Half of what a thread of the runtime has.
    let thread = std::thread::Builder::new().stack_size(1_000_000).spawn(move || {
        let check = Schema::compile(&schema);
        assert!(check.apply(&deep(2, "1")).is_err());
        for leaf in ["[]", "1"] {
            assert!(!check.apply(&deep(110, leaf)).unwrap().is_judged);
        }
    });
    thread.unwrap().join().unwrap();
}
