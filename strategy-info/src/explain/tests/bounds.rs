//! Whatever a schema is, its summary is bounded in length and time.

use std::time::{Duration, Instant};

use proptest::{collection, prelude::*};
use serde_json::json;

use super::*;

/// A summary, its length as text, and how long it took.
fn measured(schema: &str) -> (Map<String, Value>, usize, Duration) {
    let start = Instant::now();
    let summary = parameters(schema).members();
    let took = start.elapsed();
    let length = json!(summary).to_string().len();
    (summary, length, took)
}

/// For a debug build on a loaded machine; the release build needs a tenth of that.
const SOON: Duration = Duration::from_secs(5);
/// The maximum length of any summary, in bytes.
const LONGEST: usize = 48_000;

#[test]
fn i4_summaries_of_deep_wide_or_long_schemas_are_bounded_in_length_and_time() {
    let nested = |levels: usize| {
        let (open, close) = (r#"{"type":"object","properties":{"p":"#.repeat(levels), "}}".repeat(levels));
        format!("{open}true{close}")
    };
    let wide = |count: usize, text: &str| {
        let all: Vec<String> =
            (0..count).map(|at| format!(r#""p{at}":{{"type":"string","description":"{text}"}}"#)).collect();
        format!(r#"{{"type":"object","properties":{{{}}},"required":["p{}"]}}"#, all.join(","), count - 1)
    };
    let definition = |at: usize| {
        let members: Vec<String> =
            (0..20).map(|p| format!(r##""p{p}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
        format!(r#""d{at}":{{"properties":{{{}}}}}"#, members.join(","))
    };
    let definitions: Vec<String> = (0..40).map(definition).collect();
    let chain: Vec<String> =
        (0..20_000).map(|at| format!(r##""d{at}":{{"items":{{"$ref":"#/$defs/d{}"}}}}"##, at + 1)).collect();
    for (case, schema) in [
        ("500 levels", nested(500)),
        ("50,000 levels", nested(50_000)),
        ("1 MB of parameters", wide(16_000, "What it means, more or less.")),
        ("1 MB of text", wide(1, &"words ".repeat(170_000))),
        ("one long name", wide(1, "x").replace("p0", &"n".repeat(1 << 20))),
        (
            "20 to the 40th members",
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, definitions.join(",")),
        ),
        (
            "a chain of 20,000 references",
            format!(r##"{{"properties":{{"p":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##, chain.join(",")),
        ),
        (
            "1 MB of values",
            format!(r#"{{"properties":{{"p":{{"enum":[{}0]}}}}}}"#, r#""value","#.repeat(130_000)),
        ),
        (
            "a default of 1 MB, everywhere",
            format!(
                r##"{{"properties":{{{}}},"$defs":{{"d":{{"default":"{}"}}}}}}"##,
                (0..200)
                    .map(|at| format!(r##""p{at}":{{"$ref":"#/$defs/d"}}"##))
                    .collect::<Vec<_>>()
                    .join(","),
                "x".repeat(1 << 20)
            ),
        ),
        (
            "alternatives without end",
            format!(r#"{{"anyOf":[{}true]}}"#, r#"{"properties":{"a":{"type":"string"}}},"#.repeat(30_000)),
        ),
    ] {
        let (summary, length, took) = measured(&schema);
        assert!(length < LONGEST, "{case}: {length}");
        assert!(took < SOON, "{case}: {took:?}");
        assert!(!summary.is_empty(), "{case}");
    }
    let (summary, ..) = measured(&wide(16_000, "What it means, more or less."));
    let parameters = summary["properties"].as_object().unwrap();
    assert_eq!(parameters.len(), MOST_PARAMETERS);
    assert_eq!(
        parameters.iter().next().unwrap(),
        (
            &"p15999".to_owned(),
            &json!({
                "type": "string", "description": "What it means, more or less.", "required": true
            })
        )
    );
    assert_eq!(summary["note"], "15900 more parameters are not shown.");
    let (summary, ..) = measured(&wide(60, &"Rather long. ".repeat(20)));
    assert_eq!(summary["properties"].as_object().unwrap().len(), 60, "an ordinary number is complete");
    let (summary, ..) = measured(&nested(500));
    assert!(json!(summary).to_string().contains("Members: p"));
}

/// Arbitrary JSON, with keywords of JSON Schema in valid and invalid places.
fn schema() -> impl Strategy<Value = Value> {
    let keyword = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "prefixItems",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "enum",
        "const",
        "default",
        "required",
        "description",
        "title",
        "examples",
        "format",
        "minimum",
        "maxItems",
        "exclusiveMinimum",
        "pattern",
        "additionalProperties",
        "patternProperties",
        "nullable",
        "$anchor",
        "a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "array",
            "string",
            "null",
            "#",
            "#/$defs/a",
            "#/properties/a",
            "#/anyOf/0",
            "a",
            "#a",
            "",
        ])
        .prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(8, 96, 6, move |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            collection::vec((keyword.clone().prop_map(str::to_owned), inner), 0..6)
                .prop_map(|members| members.into_iter().collect::<Map<String, Value>>().into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn i4_every_schema_has_a_bounded_summary(schema in schema()) {
        let text = schema.to_string();
        prop_assert!(json!(parameters(&text).members()).to_string().len() < LONGEST);
        prop_assert!(json!(returns(&text)).to_string().len() < LONGEST);
    }

    #[test]
    fn i4_each_parameter_has_type_and_required(
        parameters in collection::btree_map("[a-z]{1,8}", schema(), 0..6), required in collection::vec("[a-z]{1,8}", 0..3)
    ) {
        let possible = |schema: &Value| *schema != Value::Bool(false);
        let names: Vec<&String> = parameters.iter().filter(|(_, schema)| possible(schema)).map(|(name, _)| name).collect();
        let summary = summary(&json!({"type": "object", "properties": &parameters, "required": &required}));
        let none = Map::new();
        let shown = summary.get("properties").and_then(Value::as_object).unwrap_or(&none);
        prop_assert_eq!(shown.keys().collect::<Vec<_>>(), names);
        for (name, parameter) in shown {
            prop_assert!(parameter["type"].as_str().is_some_and(|kind| !kind.is_empty()), "{}", parameter);
            prop_assert_eq!(&parameter["required"], &json!(required.contains(name)));
        }
    }
}
