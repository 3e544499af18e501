//! What a list costs on the wire, with and without a manifest (SEP-2636), and how large definitions are.

use mcp_disclosure_client::{Host, Link, Preferences, Traffic};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_drafts::ManifestEntry;
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use crate::{Bench, Setup};

/// Connects, and has the list of tools; what was known of it before is not fetched again. What that costs, and the list.
pub async fn cost(bench: &Bench, setup: Setup, known: Vec<RawObject>) -> (Traffic, Vec<RawObject>) {
    let host = host(bench, setup, known).await;
    let listed = host.list().await.unwrap();
    let traffic = host.traffic();
    host.close().await;
    (traffic, listed)
}

/// Connects, and has the manifest as the draft has it: whole, whether anything changed or not.
pub async fn cost_of_manifest(bench: &Bench, setup: Setup) -> Traffic {
    let host = host(bench, setup, Vec::new()).await;
    host.request("tools/manifest", &json!({})).await.unwrap();
    let traffic = host.traffic();
    host.close().await;
    traffic
}

async fn host(bench: &Bench, setup: Setup, known: Vec<RawObject>) -> Host {
    let link = match setup.is_http() {
        true => Link::url(&format!("http://{}/mcp", bench.address)).unwrap(),
        false => {
            let (input, output) = tokio::io::split(bench.pipe());
            Link::streams(input, output)
        }
    };
    let preferences = Preferences { eras: vec![setup.era], listens: false, ..Preferences::of(["full"]) };
    Host::connect(link, preferences.knowing(known)).await.unwrap()
}

/// As many tools as are wanted: those that were recorded, again and again under other names; the first ones changed.
pub fn tools(recorded: &[Box<RawValue>], count: usize, changed: usize) -> Vec<Box<RawValue>> {
    let tool = |(at, tool): (usize, &RawValue)| {
        let tool = RawObject::parse(tool.get()).unwrap();
        let (name, description) =
            (tool.string("name").unwrap(), tool.string("description").unwrap_or_default());
        let name = if at < recorded.len() { name } else { format!("{name}_{}", at / recorded.len()) };
        let tool = tool.with_value("name", &name);
        let is_changed = at < changed;
        let tool = if is_changed {
            tool.with_value("description", &format!("{description} (changed)"))
        } else {
            tool
        };
        to_raw_value(&tool).unwrap()
    };
    recorded.iter().map(|tool| &**tool).cycle().take(count).enumerate().map(tool).collect()
}

/// The sizes of definitions in canonical form, and of their entries in a manifest, smallest first, in bytes.
pub fn sizes(tools: &[Box<RawValue>]) -> (Vec<usize>, Vec<usize>) {
    let entries: Vec<ManifestEntry> =
        tools.iter().map(|tool| ManifestEntry::of(&RawObject::parse(tool.get()).unwrap())).collect();
    let mut definitions: Vec<usize> = entries.iter().map(ManifestEntry::size).collect();
    let mut entries: Vec<usize> = entries.iter().map(|entry| entry.text().text().len()).collect();
    definitions.sort_unstable();
    entries.sort_unstable();
    (definitions, entries)
}

/// How many keys of objects sort differently by code points than by UTF-16 code units: those with a character beyond U+D7FF.
pub fn disputed_keys(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            let disputed =
                members.keys().filter(|key| key.chars().any(|character| character > '\u{D7FF}')).count();
            disputed + members.values().map(disputed_keys).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(disputed_keys).sum(),
        _ => 0,
    }
}
