//! Slim schemas: what goes, what stays, and that nothing else changes (docs/CONTRACT.md B9).

use proptest::{collection::vec, prelude::*};
use serde_json::Value;

use super::slim;
use crate::{
    Definitions, RawObject, Schema, Snapshot, UpstreamLists, UpstreamName,
    arguments::oracle_tests::{schema, value},
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn b9_slim_and_exact_schemas_accept_the_same(exact in schema(), values in vec(value(), 12)) {
        let text = exact.to_string();
        let slimmed = slim(&text);
        prop_assert!(slimmed.len() <= text.len());
        prop_assert_eq!(slim(&slimmed), &*slimmed);
        let compiled = |schema: &Value| jsonschema::options().offline().build(schema);
        // A schema that does not compile says nothing.
        let Ok(by_exact) = compiled(&exact) else { return Ok(()) };
        // A model is not told the dialect; a validator is.
        let mut told: Value = serde_json::from_str(&slimmed).unwrap();
        if let (Some(named), Some(slim)) = (exact.get("$schema"), told.as_object_mut()) {
            slim.insert("$schema".to_owned(), named.clone());
        }
        let by_slim = compiled(&told).unwrap_or_else(|error| panic!("{error}: {exact} as {told}"));
        for value in values {
            prop_assert_eq!(by_exact.is_valid(&value), by_slim.is_valid(&value), "{} by {} as {}", value, exact, told);
        }
    }
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
fn f5_every_recorded_schema_is_judged() {
    for (server, snapshot) in recorded() {
        for tool in snapshot.tools() {
            let schema = Schema::compile(tool.definition().member("inputSchema").unwrap());
            assert!(schema.unjudged().is_empty(), "{server} {}: {:?}", tool.key(), schema.unjudged());
        }
    }
}
