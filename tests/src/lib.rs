//! The test kit: an upstream with odd but legal behaviour, a gateway before it, and raw clients of both
//! transports and eras.
//!
//! A test takes a [`Setup`], starts a [`Bench`] for it and connects [`Client`]s. The upstream is the program
//! `kit-upstream`, which plays a [`Scenario`]; what it received is read back as the resource
//! [`scenario::JOURNAL`], and reading [`scenario::control`] resources makes it do things unasked. Tests of the
//! command line run the whole program as a [`process`].

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

pub mod admission;
mod apart;
pub mod bench;
pub mod client;
pub mod conformance;
pub mod exchange;
pub mod handlers;
pub mod http;
pub mod http_server;
pub mod identity;
pub mod inbox;
mod lines;
pub mod messages;
pub mod port;
pub mod process;
pub mod recordings;
pub mod redis;
pub mod reply;
pub mod revision;
pub mod scenario;
pub mod server;
pub mod setup;
mod wire;

pub use admission::HeaderAdmission;
pub use apart::Apart;
pub use bench::{Bench, Options};
pub use client::{Client, Pending};
pub use exchange::Session;
pub use http_server::HttpServer;
pub use identity::Identity;
pub use port::HeldPort;
pub use reply::Reply;
pub use scenario::Scenario;
pub use setup::{Setup, Transport};

use std::time::Duration;

/// No test waits longer than this for anything that should happen. On a busy machine, 15 seconds were too few for whole runs of
/// a debug build.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something that should happen.
///
/// # Panics
/// If it does not.
pub async fn soon<T>(what: &str, happening: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, happening).await {
        Ok(happened) => happened,
        Err(_) => panic!("{what} did not happen within {} seconds", PATIENCE.as_secs()),
    }
}

/// Asks again and again until there is an answer.
///
/// # Panics
/// If there is none in time.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(what, asking).await
}
