//! Slim schemas: what goes, what stays, and that nothing else changes (docs/CONTRACT.md B9).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::slim;
use crate::{
    Definitions, RawObject, Schema, Snapshot, UpstreamLists, UpstreamName, Verdict,
    arguments::oracle_tests::schema,
};

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
    // A schema that does not compile says nothing.
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
    fn b9_slim_and_exact_schemas_accept_the_same(exact in schema(), seed: u64) {
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
