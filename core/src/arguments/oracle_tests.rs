//! The official test suite of JSON Schema, and generated schemas, with `jsonschema` as oracle: what is said here is what is
//! so, or it is not judged.

use jsonschema::Validator;
use proptest::{
    collection::{btree_set, vec},
    prelude::*,
    strategy::ValueTree,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Schema, Verdict};

#[derive(Deserialize)]
struct Group {
    file: String,
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

/// The suite's required tests of a draft: see the README beside them.
fn suite(draft: &str) -> Vec<Group> {
    let path = format!("{}/../tests/data/json-schema-test-suite/{draft}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn f5_the_official_suite_is_judged_rightly_or_not_at_all() {
    for (draft, uri, least) in [
        ("draft7", "http://json-schema.org/draft-07/schema#", 670),
        ("draft2020-12", "https://json-schema.org/draft/2020-12/schema", 730),
    ] {
        let (mut count, mut of) = (0, 0);
        for mut group in suite(draft) {
            if let Value::Object(members) = &mut group.schema {
                members.entry("$schema").or_insert_with(|| uri.into());
            }
            let schema = Schema::compile(&group.schema.to_string());
            for case in group.tests {
                of += 1;
                let right = match schema.check(&case.data) {
                    Verdict::Fits => case.valid,
                    Verdict::DoesNotFit(_) => !case.valid,
                    Verdict::NotJudged => continue,
                };
                assert!(right, "{}: {}: {}", group.file, group.description, case.description);
                count += 1;
            }
        }
        println!("{draft}: {count} of {of} are judged");
        assert!(count >= least, "{draft}: {count} of {of}");
    }
}

/// Whether the oracle says that a value fits; `None` where it does not take the schema.
fn oracle(schema: &Value) -> Option<Validator> {
    jsonschema::options().offline().should_validate_formats(false).build(schema).ok()
}

fn number() -> impl Strategy<Value = Value> {
    let odd: Vec<Value> = serde_json::from_str(
        "[0.5, 2.0, -0.1, 0.3, 1e300, 9007199254740993, 18446744073709551615, -9223372036854775808, 1e-7, 123456789.25, \
         0.30000000000000004, 1.5e15]",
    )
    .unwrap();
    prop_oneof![3 => (-3..4_i64).prop_map(Value::from), 1 => proptest::sample::select(odd)]
}

fn text() -> impl Strategy<Value = String> {
    let texts = ["", "a", "b", "ab", "abc", "a-b", "2020-01-01", "é", "😀a", "a\n", "{}", "A B"];
    proptest::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["a", "b", "c", "ab", "é"]).prop_map(str::to_owned)
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn pattern() -> impl Strategy<Value = String> {
    let plain =
        [r"^a", r"b$", r"^[a-c]+$", r"a|b", r"^(?:a|bc?)*$", r"[^a]", r"\d{4}-\d\d", r"^.{2}$", r"\S"];
    let odd = [r"^\w+$", r"^(?!a)", r"(?<x>a)", r"^$", r"^[A-Z\d_.-]{1,3}$", r"^(?=.*b)a", r"\bA"];
    proptest::sample::select([&plain[..], &odd].concat()).prop_map(str::to_owned)
}

fn kind() -> impl Strategy<Value = Value> {
    let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"];
    proptest::sample::select(kinds.to_vec()).prop_map(Value::from)
}

/// Keywords without subschemas.
fn plain() -> impl Strategy<Value = (&'static str, Value)> {
    let of = |names: &'static [&'static str], value: BoxedStrategy<Value>| {
        (proptest::sample::select(names.to_vec()), value).boxed()
    };
    let count = || (0..4_u64).prop_map(Value::from).boxed();
    let names = || btree_set(name(), 0..3).prop_map(|names| json!(names));
    prop_oneof![
        6 => of(&["type"], kind().boxed()),
        1 => of(&["type"], proptest::sample::subsequence(vec!["null", "integer", "string", "array", "object"], 1..3).prop_map(Value::from).boxed()),
        2 => of(&["enum"], vec(value(), 1..4).prop_map(Value::from).boxed()),
        1 => of(&["const"], value().boxed()),
        2 => of(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], number().boxed()),
        1 => of(&["multipleOf"], proptest::sample::select(vec![json!(1), json!(2), json!(0.1), json!(0.5), json!(3.0), json!(1e-8), json!(0.25)]).boxed()),
        2 => of(&["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"], count()),
        2 => of(&["pattern"], pattern().prop_map(Value::from).boxed()),
        1 => of(&["uniqueItems"], any::<bool>().prop_map(Value::from).boxed()),
        3 => of(&["required"], names().boxed()),
        1 => of(&["dependentRequired"], (name(), names()).prop_map(|(name, names)| json!({name: names})).boxed()),
        1 => of(&["format"], Just(json!("date")).boxed()),
        1 => of(&["title", "$comment"], name().prop_map(Value::from).boxed()),
    ]
}

fn object(keywords: Vec<(&'static str, Value)>) -> Value {
    Value::Object(keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect())
}

/// Schemas without references in place, which the oracle follows without end.
fn subschema() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![8 => vec(plain(), 0..3).prop_map(object), 1 => any::<bool>().prop_map(Value::from)];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let below = prop_oneof![
            6 => inner.clone(),
            1 => Just(json!({"$ref": "#"})),
            2 => Just(json!({"$ref": "#/$defs/d", "type": "string"}))
        ];
        let of = |names: &'static [&'static str], value: BoxedStrategy<Value>| {
            (proptest::sample::select(names.to_vec()), value).boxed()
        };
        let map = |names: BoxedStrategy<String>| {
            vec((names, below.clone()), 0..4).prop_map(|members| Value::Object(members.into_iter().collect()))
        };
        let list = |one: BoxedStrategy<Value>| vec(one, 1..4).prop_map(Value::from).boxed();
        let applied = prop_oneof![
            4 => of(&["properties"], map(name().boxed()).boxed()),
            1 => of(&["patternProperties"], map(pattern().boxed()).boxed()),
            1 => of(&["dependentSchemas"], vec((name(), inner.clone()), 0..3).prop_map(|members| Value::Object(members.into_iter().collect())).boxed()),
            4 => of(&["items", "additionalProperties", "contains"], below.clone().boxed()),
            1 => of(&["items", "prefixItems"], list(below.clone().boxed())),
            1 => of(&["additionalItems"], below.boxed()),
            1 => of(&["propertyNames"], inner.clone().boxed()),
            5 => of(&["allOf", "anyOf", "oneOf"], list(inner.clone().boxed())),
            4 => of(&["not", "if", "then", "else"], inner.clone().boxed()),
            1 => of(&["unevaluatedProperties", "unevaluatedItems"], inner.boxed()),
        ];
        (vec(plain(), 0..3), vec(applied, 1..4))
            .prop_map(|(plain, applied)| object(plain.into_iter().chain(applied).collect()))
    })
}

pub(crate) fn schema() -> impl Strategy<Value = Value> {
    let drafts = [
        None,
        Some("http://json-schema.org/draft-07/schema#"),
        Some("https://json-schema.org/draft/2020-12/schema"),
    ];
    let definition = vec(plain(), 0..3).prop_map(object);
    (subschema(), definition, proptest::sample::select(drafts.to_vec())).prop_map(
        |(mut schema, definition, draft)| {
            if let Value::Object(members) = &mut schema {
                members.insert("$defs".to_owned(), json!({"d": definition}));
                members.extend(draft.map(|uri| ("$schema".to_owned(), uri.into())));
            }
            schema
        },
    )
}

#[test]
fn f5_what_is_judged_of_generated_schemas_is_what_the_oracle_says() {
    let mut counts = [0_usize; 3];
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(400);
    let generated = (schema(), vec(value(), 8));
    for _ in 0..cases {
        let (schema, values) = generated.new_tree(&mut runner).unwrap().current();
        let Some(oracle) = oracle(&schema) else { continue };
        let ours = Schema::compile(&schema.to_string());
        for value in values {
            let (at, fits) = match ours.check(&value) {
                Verdict::Fits => (0, true),
                Verdict::DoesNotFit(problems) => {
                    assert!((1..=10).contains(&problems.len()));
                    (1, false)
                }
                Verdict::NotJudged => {
                    counts[2] += 1;
                    continue;
                }
            };
            counts[at] += 1;
            assert_eq!(oracle.is_valid(&value), fits, "{schema} {value}");
        }
    }
    println!("fits, does not, not judged: {counts:?}");
    // The schemas have what is not judged on purpose.
    assert!(counts[0] > cases && counts[1] > cases && counts[2] < (counts[0] + counts[1]) / 2, "{counts:?}");
}
