//! Schemas that are odd, circular, deep or large: they are listed, described and called, and delay no one.

use std::time::{Duration, Instant};

use kit::{Bench, Options, Scenario, Setup};
use mcp_disclosure_client::Host;
use serde_json::json;

use super::{calls_forwarded, host};
use crate::UPSTREAM;

/// For one step, in a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(60);

/// 60 objects, each in the one before: with the list around them nearly as deep as a message may be.
fn deep() -> String {
    let levels = 60;
    let (open, close) = (r#"{"type":"object","properties":{"p":"#.repeat(levels), "}}".repeat(levels));
    format!("{open}true{close}")
}

/// 1 MB of parameters.
fn large() -> String {
    let parameters: Vec<String> = (0..16_000)
        .map(|at| format!(r#""p{at}":{{"type":"string","description":"What it means, more or less."}}"#))
        .collect();
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, parameters.join(","))
}

/// Each with a part of it that says that it came whole.
fn schemas() -> Vec<(&'static str, String, &'static str)> {
    let tree = r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["name"],"properties":{"name":{"type":"string","description":"So long that the schema costs more than asking for it would"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}"##;
    let circle = r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##;
    vec![
        ("anything", "true".to_owned(), ""),
        ("tree", tree.to_owned(), "children"),
        ("circle", circle.to_owned(), ""),
        ("deep", deep(), ""),
        ("large", large(), "p99"),
    ]
}

/// A gateway before tools with these schemas.
async fn with_schemas(setup: Setup) -> (Bench, Host) {
    let tools = schemas().into_iter().map(|(name, schema, _)| {
        format!(r#"{{"name":"{name}","description":"Does {name}.","inputSchema":{schema}}}"#)
    });
    let bench = Bench::start(Options::new(UPSTREAM, Scenario::with_tools(tools))).await;
    let host = host(&bench, setup).await;
    (bench, host)
}

async fn i4_d3_hard_schemas_are_described_and_called_at_once(setup: Setup) {
    let (_bench, host) = with_schemas(setup).await;
    let mut start = Instant::now();
    assert!(host.list().await.unwrap().len() >= schemas().len());
    for (name, _, part) in schemas() {
        let definition = host.describe(&[name]).await.unwrap().remove(0);
        assert!(definition.object().text().contains(part), "{name}");
        let result = host.call(name, &json!({"name": "x"})).await.unwrap();
        assert_eq!(result.member("isError"), None, "{name}: {result:?}");
        assert!(start.elapsed() < SOON, "{name}: {:?}", start.elapsed());
        start = Instant::now();
    }
    assert_eq!(calls_forwarded(&host).await.len(), schemas().len());
}
// Under `search` a schema of 1 MB is never part of an answer.
where_tools_are_listed!(i4_d3_hard_schemas_are_described_and_called_at_once);
