//! Peers that are broken or mean ill: slow, gone in the middle, endless, talking out of turn. While one of
//! them has its way, everybody else is served.

mod attribution;
mod bad_server;
mod bytes;
mod children;
mod crowds;
mod departures;
mod half_requests;
mod ids;
mod lines;
mod malformed;
mod names;
mod peers;
mod queues;
mod results;
mod servers;
mod slow_readers;
pub(crate) mod socket;

use kit::{Bench, Client, Options, Setup, Transport, setup::Era};
use mcp_disclosure_gateway::upstream::Target;
use serde_json::json;

use crate::{command_line::ODD, connect, named};

/// A client over HTTP with a session.
const WITH_SESSION: Setup = Setup { strategy: "full", transport: Transport::Http, era: Era::Session };

/// A client over HTTP without one.
const STATELESS: Setup = Setup { strategy: "full", transport: Transport::Http, era: Era::Stateless };

/// A client over stdio with a session.
const ON_STDIO: Setup = Setup { strategy: "full", transport: Transport::Stdio, era: Era::Session };

/// A gateway before an upstream that does what it should: `small` echoes, `slow` never answers.
fn healthy() -> Options {
    named(["small", "slow"])
}

/// The same, and beside it this one, under the name `bad`.
fn healthy_beside(bad: Target) -> Options {
    Options { handlers: vec![("bad", bad)], ..healthy() }
}

/// The odd upstream in this mode.
fn odd_child(mode: &str) -> Target {
    Target::command(ODD, vec![mode.to_owned()])
}

/// Lets other clients, of both eras, do all that they need.
async fn others_are_served(bench: &Bench) {
    for setup in [WITH_SESSION, STATELESS] {
        let client = Client::connect(bench, setup).await;
        assert!(
            !client.request("tools/list", json!({})).await.result()["tools"].as_array().unwrap().is_empty()
        );
        for number in 0..10 {
            assert_eq!(
                client.call("small", json!({"number": number})).await.given(),
                json!({"number": number})
            );
        }
        if setup.has_sessions() {
            assert_eq!(client.end_session().await, 204);
        }
    }
}
