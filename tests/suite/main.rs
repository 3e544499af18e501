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
use mcp_disclosure_core::ReceiptKey;
use mcp_disclosure_gateway::{
    Assembly, Gateway, builtin,
    negotiation::{Strategies, StrategyOptions},
    upstream::{Endpoint, EndpointKind, Target},
};
use serde_json::{Value, json};
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
    connect_as(options, setup, Identity::offering(setup.strategy)).await
}

/// The same with a client that declares nothing.
async fn connect_plain(options: Options, setup: Setup) -> (Bench, Client) {
    connect_as(options, setup, Identity::default()).await
}

/// The same with a client that is this one.
async fn connect_as(options: Options, setup: Setup, identity: Identity) -> (Bench, Client) {
    let bench = Bench::start(options).await;
    let client = Client::connect_as(&bench, setup, identity).await;
    (bench, client)
}

/// A server at this URL, which is sent a key with each request.
fn with_key(url: &str, kind: EndpointKind) -> Target {
    let headers = [("x-api-key".parse().unwrap(), "s3cret".parse().unwrap())].into_iter().collect();
    let url = url.parse().unwrap();
    Target::Url(Endpoint { url, kind, headers, authorization: None, forward: Vec::new() })
}

/// Why a gateway before this does not start.
async fn failure(target: Target) -> String {
    let strategies = Strategies::build(&builtin(), &StrategyOptions::default()).unwrap();
    let key = ReceiptKey::new(&[7; ReceiptKey::LEAST_BYTES]).unwrap();
    let assembly = Assembly { upstreams: vec![target.into()], ..Assembly::new(strategies, key) };
    format!("{:?}", Gateway::start(assembly).await.map(drop).unwrap_err())
}

/// Calls a tool that reports its progress: the steps, and the text of the result.
async fn with_progress(client: &Client, tool: &str) -> (Vec<Value>, Value) {
    let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": "mine"}});
    let reply = client.request("tools/call", params).await;
    let reports = reply.notifications.iter().filter(|message| message["method"] == "notifications/progress");
    let steps = reports.map(|report| {
        assert_eq!(report["params"]["progressToken"], "mine");
        report["params"]["progress"].clone()
    });
    (steps.collect(), reply.result()["content"][0]["text"].clone())
}

/// A gateway before the odd upstream, and a client of this setup.
async fn connected(setup: Setup) -> (Bench, Client) {
    connect(odd(), setup).await
}

/// Description files, in a folder of their own.
struct Described(TempDir);

impl Described {
    fn by<const N: usize>(files: [&Value; N]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        files.into_iter().for_each(|file| folder.write(file));
        folder
    }

    /// Puts a file in the place of what was said of its tool, at once.
    fn write(&self, file: &Value) {
        let folder = self.0.path();
        std::fs::write(folder.join("draft"), file.to_string()).unwrap();
        let name = file["name"].as_str().unwrap();
        std::fs::rename(folder.join("draft"), folder.join(format!("{name}.json"))).unwrap();
    }

    fn path(&self) -> &str {
        command_line::shown(self.0.path())
    }

    /// The gateway that reads them.
    fn before(&self, options: Options) -> Options {
        Options { files: Some(self.0.path().to_owned()), ..options }
    }
}
