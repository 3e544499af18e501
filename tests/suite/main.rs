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
mod permits;
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
mod tracing;
mod transcript_docs;
mod transcripts;
mod transparency;
mod two_worlds;
mod unprocessed;
mod variants;

use kit::{Bench, Client, Options, Scenario, Setup};

/// The program of the upstream.
const UPSTREAM: &str = env!("CARGO_BIN_EXE_kit-upstream");

/// A gateway before the odd upstream.
fn odd() -> Options {
    Options::new(UPSTREAM, Scenario::odd())
}

/// A gateway before an upstream with tools of these names.
fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Options {
    Options::new(UPSTREAM, Scenario::named(names))
}

/// A gateway before the odd upstream, and a client of this setup.
async fn connected(setup: Setup) -> (Bench, Client) {
    let bench = Bench::start(odd()).await;
    let client = Client::connect(&bench, setup).await;
    (bench, client)
}
