//! Whatever a file says: nothing makes the reader panic, and no entry is lost.

use std::path::Path;

use proptest::prelude::*;

use super::{
    super::{FileContext, SHAPES, parse},
    environment,
};

/// Any value, with the keys of hosts among its names.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let keys = SHAPES.iter().flat_map(|shape| shape.keys.iter().map(|(key, _)| (*key).to_owned()));
    let keys: Vec<String> = keys.chain(["projects".into(), "/now".into(), "mcpServers".into()]).collect();
    let texts =
        ["npx", "https://a.example/mcp", "sse", "${TOKEN}", "${", "$TOKEN", "{env:MODE}", "~", "${input:x}"];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        proptest::sample::select(texts.to_vec()).prop_map(Into::into),
        ".{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        let key = prop_oneof![4 => proptest::sample::select(keys.clone()), 1 => ".{0,4}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::vec((key, inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

const ROOTS: &[(&str, &str)] = &[
    ("mcp.json", "mcpServers"),
    (".gemini/settings.json", "mcpServers"),
    ("mcp.json", "servers"),
    ("settings.json", "context_servers"),
    ("opencode.json", "mcp"),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-\\[\\]{}:,\"'a \n#&*$=<|]{0,60}", path in 0..3usize) {
        let path = Path::new(["mcp.json", "config.yaml", "config.toml"][path]);
        let _any_result = parse(path, &text, &FileContext::new(path, "/now".into(), &environment));
    }

    #[test]
    fn every_entry_is_used_or_named(
        servers in proptest::collection::btree_map("[a-z]{1,3}", json(), 0..5),
        root in 0..ROOTS.len(),
    ) {
        let (path, key) = ROOTS[root];
        // These would make another shape of it.
        prop_assume!(key != "mcp" || !["servers", "allowed", "excluded"].iter().any(|name| servers.contains_key(*name)));
        let text = serde_json::json!({key: servers.clone()}).to_string();
        let file = parse(Path::new(path), &text, &FileContext::new(Path::new(path), "/".into(), &environment)).unwrap();
        let mut named: Vec<String> = file.upstreams.iter().map(|named| named.name.as_ref().unwrap().to_string()).collect();
        for problem in file.left_out.iter().chain(&file.switched_off) {
            let name = problem.message().split('\'').nth(1).unwrap();
            named.push(name.to_owned());
        }
        named.sort();
        named.dedup();
        prop_assert_eq!(named, servers.into_keys().collect::<Vec<_>>());
    }
}
