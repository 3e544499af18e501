//! Slim schemas: what goes, what stays, and that nothing else changes (docs/CONTRACT.md B9).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::slim;
use crate::{Definitions, RawObject, Schema, Snapshot, UpstreamLists, UpstreamName, Verdict};

/// What real servers listed, by the server's name: the files in the folder that `RECORDINGS` names, as in `.ci/full recordings`; none
/// without it, since their texts are other people's.
fn recorded() -> Vec<(String, Snapshot)> {
    let Some(folder) = std::env::var_os("RECORDINGS") else { return Vec::new() };
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let read = files.map(|path| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let catalogue = RawObject::parse(std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut lists = UpstreamLists::empty(UpstreamName::parse(&name).unwrap());
        lists.tools = serde_json::from_str(catalogue.member("tools").unwrap()).unwrap();
        (name, Snapshot::build(&[lists], &[]))
    });
    read.collect()
}

#[test]
fn b9_what_no_call_needs_goes_and_the_rest_stays_to_the_letter() {
    for (schema, expected) in [
        // Text and order are the upstream's.
        (r#"{ "b" : 1.0E2, "type":"object" }"#, r#"{"b":1.0E2,"type":"object"}"#),
        (r#"{"$defs":{"a":{}},"type":"object"}"#, r#"{"type":"object"}"#),
        (
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{},"c":{"$ref":"#/$defs/c"}},"items":{"$ref":"#/$defs/a"}}"##,
            r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{}},"items":{"$ref":"#/$defs/a"}}"##,
        ),
        (
            r##"{"$defs":{"a":{"properties":{"p":{}}},"b":{}},"not":{"$ref":"#/$defs/a/properties/p"}}"##,
            r##"{"$defs":{"a":{"properties":{"p":{}}}},"not":{"$ref":"#/$defs/a/properties/p"}}"##,
        ),
        // The dialect of the whole, and titles that repeat the name of their property.
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"$schema":"x","format":"date"}}"#,
            r#"{"items":{"$schema":"x","format":"date"}}"#,
        ),
        (
            r#"{"title":"add","properties":{"time_zone":{"title":"Time Zone"},"b":{"title":"The b"}},"items":{"title":"a"}}"#,
            r#"{"properties":{"time_zone":{},"b":{"title":"The b"}},"items":{"title":"a"}}"#,
        ),
        (
            r#"{"properties":{"title":{"title":"Title"},"$comment":{"$comment":"c"},"$schema":{}}}"#,
            r#"{"properties":{"title":{},"$comment":{"$comment":"c"},"$schema":{}}}"#,
        ),
        (
            r#"{"anyOf":[{"properties":{"a":{"items":[{"properties":{"b":{"title":"b"}}}]}}}]}"#,
            r#"{"anyOf":[{"properties":{"a":{"items":[{"properties":{"b":{}}}]}}}]}"#,
        ),
    ] {
        assert_eq!(slim(schema), expected);
        assert_eq!(slim(expected), expected, "slim schemas stay as they are");
    }
    for kept in [
        r##"{"$defs":{"a":{}},"definitions":{"b":{"$ref":"#/$defs/a"}},"not":{"$ref":"#/definitions/b"}}"##,
        // Where one may be meant in another way than by its place, all stay.
        r##"{"definitions":{"a/b~":{},"ü":{},"x":{}},"allOf":[{"$ref":"#/definitions/a~1b~0"},{"$ref":"\u0023/definitions/%C3%BC"}]}"##,
        r##"{"$defs":{"a":{"$anchor":"x"},"b":{}},"not":{"$ref":"#x"}}"##,
        r##"{"$defs":{"a":{"$id":"x:a"},"b":{}},"not":{"$ref":"x:a"}}"##,
        r##"{"$defs":{"a":{}},"not":{"$ref":"#/$defs"}}"##,
        // What looks like a title and is data.
        r#"{"properties":{"a":{"default":{"title":"a"},"const":{"properties":{"a":{"title":"a"}}}}}}"#,
        "true",
        "7",
    ] {
        assert_eq!(slim(kept), kept);
    }
}

#[test]
fn b9_deep_and_wide_schemas_take_no_long_time_and_no_stack() {
    let deep = format!(r#"{{"items":{}1{}}}"#, r#"{"not":"#.repeat(50_000), "}".repeat(50_000));
    assert_eq!(slim(&deep), deep);
    let definitions: Vec<String> =
        (0..5_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect();
    let chain = format!(r##"{{"not":{{"$ref":"#/$defs/d0"}},"$defs":{{{}}}}}"##, definitions.join(","));
    assert_eq!(slim(&chain), chain);
}

/// Names of properties and definitions: few, so that they meet.
const NAMES: [&str; 5] = ["a", "b", "title", "$ref", "$defs"];

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&NAMES[..])
}

fn leaf() -> impl Strategy<Value = Value> {
    proptest::sample::select(vec![
        json!(true),
        json!({"type": "string"}),
        json!({"type": "string", "format": "date", "title": "a"}),
        json!({"type": "integer", "minimum": 2, "$comment": "small"}),
        json!({"enum": ["a", 3, {"title": "a"}]}),
        json!({"const": {"$ref": "#/$defs/b"}}),
        json!({"$ref": "#/$defs/a"}),
        json!({"$ref": "#/$defs/a", "type": "object"}),
        json!({"$ref": "#/definitions/b"}),
        json!({"$ref": "#/$defs/b/properties/a"}),
        json!({"$ref": "#anchor"}),
        json!({"$dynamicRef": "#dynamic"}),
        json!({"$ref": "#"}),
        json!({"type": "array", "items": [{"type": "string"}], "additionalItems": false}),
        json!({"type": "array", "prefixItems": [{"type": "string"}]}),
    ])
}

fn map(schema: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let pairs = proptest::collection::vec((name(), schema), 0..3);
    pairs.prop_map(|pairs| {
        pairs.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect::<Map<_, _>>().into()
    })
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let list = proptest::collection::vec(inner.clone(), 1..3);
        let title = prop_oneof![Just("A"), Just("B"), Just("Another")];
        prop_oneof![
            (map(inner.clone()), proptest::collection::vec(name(), 0..2), any::<bool>(), title).prop_map(
                |(properties, required, open, title)| json!({
                    "title": title, "type": "object", "properties": properties, "required": required,
                    "additionalProperties": open,
                })
            ),
            (proptest::sample::select(vec!["allOf", "anyOf", "oneOf"]), list)
                .prop_map(|(key, list)| json!({key: list})),
            (proptest::sample::select(vec!["items", "not", "additionalProperties"]), inner)
                .prop_map(|(key, schema)| json!({key: schema, "title": "a"})),
        ]
    })
}

fn document() -> impl Strategy<Value = Value> {
    let dialect = proptest::sample::select(vec![
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://json-schema.org/draft/2019-09/schema"),
        Some("http://json-schema.org/draft-07/schema#"),
        Some("http://json-schema.org/draft-06/schema#"),
        Some("http://json-schema.org/draft-04/schema#"),
    ]);
    let anchor = proptest::sample::select(vec![None, Some("$anchor"), Some("$dynamicAnchor")]);
    (dialect, map(schema()), map(schema()), map(schema()), anchor).prop_map(
        |(dialect, properties, mut defs, definitions, anchor)| {
            let named = anchor.filter(|_| defs["a"].is_object());
            if let Some(anchor) = named {
                defs["a"][anchor] = if anchor == "$anchor" { "anchor" } else { "dynamic" }.into();
            }
            let mut document = json!({
                "type": "object", "properties": properties, "$defs": defs, "definitions": definitions,
            });
            if let Some(dialect) = dialect {
                document["$schema"] = dialect.into();
            }
            document
        },
    )
}

/// A source of decisions.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// A value that has a good chance to fit the schema, and a fair one not to.
fn sample(schema: &Value, root: &Value, dice: &mut Dice, depth: usize) -> Value {
    let anything =
        [json!("x"), json!("2026-11-22"), json!(3), json!(1), json!(null), json!({"a": "x"}), json!(["x"])];
    let Some(members) = schema.as_object().filter(|_| depth < 6 && dice.roll(12) > 0) else {
        return anything[dice.roll(anything.len())].clone();
    };
    let pointer = members.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    if let Some(target) = pointer.and_then(|pointer| root.pointer(pointer)) {
        return sample(target, root, dice, depth + 1);
    }
    if let Some(fixed) = members.get("const") {
        return fixed.clone();
    }
    for list in ["enum", "anyOf", "oneOf", "allOf"] {
        if let Some(all) = members.get(list).and_then(Value::as_array).filter(|all| !all.is_empty()) {
            let one = &all[dice.roll(all.len())];
            return if list == "enum" { one.clone() } else { sample(one, root, dice, depth + 1) };
        }
    }
    let kinds = [json!("object")];
    let kind = match &members.get("type") {
        Some(Value::Array(kinds)) => &kinds[dice.roll(kinds.len())],
        Some(kind) => *kind,
        None if members.contains_key("properties") => &kinds[0],
        None => &Value::Null,
    };
    match kind.as_str() {
        Some("object") => {
            let required = members.get("required").and_then(Value::as_array);
            let is_required =
                |name: &str| required.is_some_and(|required| required.iter().any(|other| other == name));
            let mut object = Map::new();
            for (name, schema) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if dice.roll(2) == 0 || (is_required(name) && dice.roll(16) > 0) {
                    object.insert(name.clone(), sample(schema, root, dice, depth + 1));
                }
            }
            object.into()
        }
        Some("array") => {
            let items = members.get("items").unwrap_or(&Value::Null);
            (0..dice.roll(3)).map(|_| sample(items, root, dice, depth + 1)).collect()
        }
        Some("string") => anything[dice.roll(2)].clone(),
        Some("integer" | "number") => anything[2 + dice.roll(2)].clone(),
        Some("boolean") => true.into(),
        _ => anything[dice.roll(anything.len())].clone(),
    }
}

/// Whether a schema in a document applies itself to the same value.
fn is_endless<'s>(schema: &'s Value, root: &'s Value, above: &mut Vec<&'s Value>) -> bool {
    if above.iter().any(|one| std::ptr::eq(*one, schema)) {
        return true;
    }
    above.push(schema);
    let text = schema.get("$ref").and_then(Value::as_str).unwrap_or_default();
    let target = text.strip_prefix('#').and_then(|pointer| match pointer {
        "anchor" | "dynamic" => root.pointer("/$defs/a"),
        pointer => root.pointer(pointer),
    });
    let lists =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let same: Vec<&Value> = target.into_iter().chain(lists).chain(schema.get("not")).collect();
    let mut found = same.into_iter().any(|part| is_endless(part, root, above));
    let same_value = std::mem::take(above);
    let below = match schema {
        Value::Array(items) => items.iter().collect::<Vec<_>>(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    // Each definition is reached from the document as well.
    found = found
        || same_value.len() == 1 && below.into_iter().any(|part| is_endless(part, root, &mut Vec::new()));
    *above = same_value;
    above.pop();
    found
}

/// How many of the samples both accept and both refuse; panics where they differ.
fn compare(exact: &Value, seed: u64, samples: usize) -> (usize, usize) {
    let slimmed = slim(&exact.to_string());
    // A model is not told the dialect; a validator is.
    let mut dialect: Value = serde_json::from_str(&slimmed).unwrap();
    if let (Some(named), Some(slim)) = (exact.get("$schema"), dialect.as_object_mut()) {
        slim.insert("$schema".to_owned(), named.clone());
    }
    let slimmed = dialect.to_string();
    let compiled = |text: &str| jsonschema::options().offline().build(&serde_json::from_str(text).unwrap());
    // The validator follows references to the same value without end; and a schema that does not compile says nothing.
    if is_endless(exact, exact, &mut Vec::new()) {
        return (0, 0);
    }
    let Ok(by_exact) = compiled(&exact.to_string()) else { return (0, 0) };
    let by_slim = compiled(&slimmed).unwrap_or_else(|error| panic!("{error}: {exact} as {slimmed}"));
    let (mut dice, mut accepted, mut refused) = (Dice(seed), 0, 0);
    for _ in 0..samples {
        let value = sample(exact, exact, &mut dice, 0);
        let (exactly, slimly) = (by_exact.is_valid(&value), by_slim.is_valid(&value));
        assert_eq!(exactly, slimly, "{value} by {exact} as {slimmed}");
        if exactly { accepted += 1 } else { refused += 1 }
    }
    (accepted, refused)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn b9_slim_and_exact_schemas_accept_the_same(exact in document(), seed: u64) {
        compare(&exact, seed, 12);
        let slimmed = slim(&exact.to_string());
        prop_assert!(slimmed.len() <= exact.to_string().len());
        prop_assert_eq!(slim(&slimmed), slimmed);
    }
}

#[test]
fn b9_recorded_schemas_accept_the_same_when_they_are_slim() {
    let servers = recorded();
    if servers.is_empty() {
        return;
    }
    let compared = servers.iter().flat_map(|(_, snapshot)| snapshot.tools()).map(|tool| {
        let schema = tool.definition().member("inputSchema").unwrap();
        (tool.key(), compare(&serde_json::from_str(schema).unwrap(), 7, 100))
    });
    let compared: Vec<_> = compared.collect();
    assert_eq!(compared.len(), 131);
    assert!(compared.iter().all(|(_, (accepted, refused))| accepted + refused == 100));
    let either = |of: fn(&(usize, usize)) -> usize| compared.iter().filter(|(_, both)| of(both) > 0).count();
    assert!(either(|both| both.0) > 120 && either(|both| both.1) > 120, "{compared:?}");
}

#[test]
fn b9_recorded_definitions_are_delivered_for_half_of_their_bytes() {
    let servers = recorded();
    let bytes = |server: &str| {
        let own = servers.iter().filter(|(name, _)| server.is_empty() || name == server);
        let of = |definitions| -> usize {
            let tools = own.clone().flat_map(|(_, snapshot)| snapshot.tools());
            tools.map(|tool| tool.delivered(definitions).text().len()).sum()
        };
        (of(Definitions::Slim), of(Definitions::Structured), of(Definitions::Exact))
    };
    let (slim, structured, exact) = bytes("");
    assert!(slim * 100 <= exact * 50, "{slim} of {exact}");
    assert!(slim <= structured && structured <= exact);
    let (notion, _, notion_exactly) = bytes("notion");
    assert!(notion * 100 <= notion_exactly * 29, "{notion} of {notion_exactly}");
}

#[test]
fn f5_recorded_schemas_are_judged_as_the_validator_judges_them() {
    let (mut unjudged, mut judged) = (Vec::new(), [0, 0]);
    for (server, snapshot) in recorded() {
        for tool in snapshot.tools() {
            let text = tool.definition().member("inputSchema").unwrap();
            let exact: Value = serde_json::from_str(text).unwrap();
            let (ours, theirs) = (
                Schema::compile(text),
                jsonschema::options().offline().should_validate_formats(false).build(&exact).unwrap(),
            );
            let (mut dice, mut is_judged) = (Dice(11), true);
            for _ in 0..200 {
                let value = sample(&exact, &exact, &mut dice, 0);
                let fits = match ours.check(&value) {
                    Verdict::Fits => true,
                    Verdict::DoesNotFit(_) => false,
                    Verdict::NotJudged => {
                        is_judged = false;
                        continue;
                    }
                };
                assert_eq!(theirs.is_valid(&value), fits, "{server} {}: {value}", tool.key());
                judged[usize::from(fits)] += 1;
            }
            if !is_judged || !ours.unjudged().is_empty() {
                unjudged.push(format!("{server}/{}", tool.key()));
            }
        }
    }
    println!("not judged: {unjudged:?}; do not fit and fit: {judged:?}");
    assert!(unjudged.is_empty(), "{unjudged:?}");
}
