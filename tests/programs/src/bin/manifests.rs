//! Prints what manifests cost on the wire over the recorded servers, as the tables of `docs/drafts.md`: see
//! `tests/recordings/run.sh`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program of measurements, whose tables are its output"
)]

use kit::{
    Bench, Options, Scenario, Setup, Transport,
    manifests::{cost, cost_of_manifest, disputed_keys, sizes, tools},
    recordings::{FOLDER, recorded},
    setup::Era,
};
use mcp_disclosure_core::RawObject;
use serde_json::value::RawValue;

const SETUP: Setup = Setup { strategy: "full", transport: Transport::Stdio, era: Era::Session };

#[tokio::main]
async fn main() {
    let Some(servers) = recorded() else { panic!("{FOLDER} names no folder of recordings") };
    let recorded: Vec<Box<RawValue>> = servers.into_iter().flat_map(|(_, server)| server.tools).collect();
    let mut names: Vec<Box<RawValue>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for tool in recorded {
        if seen.insert(RawObject::parse(tool.get()).unwrap().string("name")) {
            names.push(tool);
        }
    }
    distribution(&names);
    println!(
        "\n| tools | cold: `tools/list` | unchanged, by the draft | unchanged, digest stated | 1 changed | 10 changed | 100 changed |"
    );
    println!("|---|---|---|---|---|---|---|");
    for count in [names.len(), 1_000] {
        row(&names, count).await;
    }
}

fn distribution(tools: &[Box<RawValue>]) {
    let (definitions, entries) = sizes(tools);
    let median = |sizes: &[usize]| sizes[(sizes.len() - 1) / 2];
    let disputed = |tool: &RawValue| disputed_keys(&serde_json::from_str(tool.get()).unwrap());
    println!(
        "A definition has {} bytes in the median, its entry {}. Keys whose order is disputed: {}.",
        median(&definitions),
        median(&entries),
        tools.iter().map(|tool| disputed(tool)).sum::<usize>()
    );
}

async fn row(recorded: &[Box<RawValue>], count: usize) {
    let bench = before(tools(recorded, count, 0)).await;
    let (cold, listed) = cost(&bench, SETUP, Vec::new()).await;
    let manifest = cost_of_manifest(&bench, SETUP).await;
    let (warm, _) = cost(&bench, SETUP, listed.clone()).await;
    let mut cells = vec![manifest.bytes(), warm.bytes()];
    for changed in [1, 10, 100] {
        let bench = before(tools(recorded, count, changed)).await;
        cells.push(cost(&bench, SETUP, listed.clone()).await.0.bytes());
    }
    let percent = |bytes: &u64| format!("{bytes} ({:.1} %)", 100.0 * *bytes as f64 / cold.bytes() as f64);
    println!(
        "| {count} | {} | {} |",
        cold.bytes(),
        cells.iter().map(percent).collect::<Vec<_>>().join(" | ")
    );
}

async fn before(tools: Vec<Box<RawValue>>) -> Bench {
    // It is built beside this program.
    let upstream = std::env::current_exe().unwrap().with_file_name("kit-upstream");
    Bench::start(Options::new(upstream.to_str().unwrap(), Scenario { tools, ..Scenario::odd() })).await
}
