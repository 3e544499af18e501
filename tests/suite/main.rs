//! The wire conformance suite: rules written once, tried for each strategy, transport and era, named by the
//! ids of the contract.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

#[macro_use]
mod cases;
mod access;
mod adaptive;
mod admitted;
mod apps;
mod briefs;
mod budget;
mod cache_hints;
mod callable;
mod calls;
mod cheap;
mod choose_concerns;
mod choosing;
mod clashing_uris;
mod client;
mod command_line;
mod compare;
mod concern_addresses;
mod concerns;
mod cost;
mod cross_origin;
mod custom_strategies;
mod delta;
mod describe;
mod disclose;
mod disclosing;
mod docs;
mod failures;
mod filtering;
mod groups;
mod hidden_links;
mod hidden_resources;
mod hiding;
mod hostile;
mod http_errors;
mod info;
mod isolation;
mod limits;
mod listen;
mod manifest;
mod messages;
mod negotiation;
mod news;
mod operating;
mod own_info;
mod passed_on;
mod pins;
mod polling;
mod portable;
mod properties;
mod protocol_errors;
mod questions;
mod receipts;
mod refusals;
mod replicas;
mod resolving;
mod resource;
mod resumption;
mod revisions;
mod search;
mod secrets;
mod sign_in;
mod skills;
mod snapshots;
mod sse;
mod tasks;
mod transcript_docs;
mod transcripts;
mod transparency;
mod two_worlds;
mod unprocessed;
mod variants;
mod waiting;

use kit::{Bench, Client, Identity, Options, Scenario, Setup};
use tempfile::TempDir;

/// The program of the upstream.
const UPSTREAM: &str = env!("CARGO_BIN_EXE_kit-upstream");

/// A gateway before an upstream that plays this.
fn playing(scenario: Scenario) -> Options {
    Options::new(UPSTREAM, scenario)
}

/// A gateway before upstreams of these names.
fn several<const N: usize>(upstreams: [(&'static str, Scenario); N]) -> Options {
    let upstreams = upstreams.map(|(name, scenario)| (UPSTREAM.into(), name, scenario)).into();
    Options { upstreams, ..Options::without_upstream() }
}

/// A gateway before the odd upstream.
fn odd() -> Options {
    playing(Scenario::odd())
}

/// A gateway before an upstream with tools of these names.
fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Options {
    playing(Scenario::named(names))
}

/// A gateway, and a client of this setup.
async fn connect(options: Options, setup: Setup) -> (Bench, Client) {
    let bench = Bench::start(options).await;
    let client = Client::connect(&bench, setup).await;
    (bench, client)
}

/// The same with a client that declares nothing.
async fn connect_plain(options: Options, setup: Setup) -> (Bench, Client) {
    let bench = Bench::start(options).await;
    let client = Client::connect_as(&bench, setup, Identity::default()).await;
    (bench, client)
}

/// A gateway before the odd upstream, and a client of this setup.
async fn connected(setup: Setup) -> (Bench, Client) {
    connect(odd(), setup).await
}

/// A configuration file with this text, in a folder of its own.
fn configuration(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disclosure.toml");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}
