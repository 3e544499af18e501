//! Several replicas that share a store of sessions (K1–K4): real programs, and a real `redis-server`.

mod choices;
mod end;
mod faults;
mod requests;
mod sessions;
mod store;
mod streams;
mod upstreams;
mod web;

use std::{net::SocketAddr, sync::Arc};

use kit::{Bench, Options, process::Process, redis::Redis};
use mcp_disclosure_session_redis::RedisStore;

use crate::command_line::{ODD, over_http};

/// A replica and where it listens.
struct Replica {
    process: Process,
    at: SocketAddr,
}

impl Replica {
    /// Starts one with these flags and upstream, and waits until it uses the store.
    #[track_caller]
    fn start(store: &str, flags: &[&str], upstream: &[&str]) -> Self {
        Self::configured(store, &[flags, &["--"], upstream].concat())
    }

    /// The same with these flags alone.
    #[track_caller]
    fn configured(store: &str, flags: &[&str]) -> Self {
        let replica = Self::begin(store, flags);
        // On a busy machine it listens before: its start waits for the store for a second at most.
        replica.process.logged("session store connected");
        replica
    }

    /// Starts one, whether or not it can use the store.
    #[track_caller]
    fn begin(store: &str, flags: &[&str]) -> Self {
        let process = over_http(&[&["--session-store", store], flags].concat());
        let at = process.address();
        Self { process, at }
    }

    /// Ends it without asking it.
    fn kill(mut self) {
        self.process.signal(kit::process::Signal::KILL);
        assert!(kit::process::until(|| !self.process.is_running()));
    }
}

/// A store, and replicas in front of the odd upstream under `resource`.
fn replicas<const N: usize>() -> (Redis, [Replica; N]) {
    let redis = Redis::start(&[]);
    let replicas = std::array::from_fn(|_| gated(&redis.url()));
    (redis, replicas)
}

/// The same, and a session that the first opened.
fn in_session<const N: usize>() -> (Redis, [Replica; N], web::Web) {
    let (redis, replicas) = replicas();
    let web = web::Web::open(replicas[0].at);
    (redis, replicas, web)
}

/// A gateway in this process that shares the store. Its tasks are on other threads than the test, which may block.
async fn bench(redis: &Redis, options: Options) -> Bench {
    let store = RedisStore::new(redis.url().parse().unwrap()).unwrap();
    Bench::start(Options { session_store: Some(Arc::new(store)), ..options }).await
}

/// Flags and upstream of a replica where calls need a fetch.
const GATED: [&str; 4] = ["--strategy", "resource", "--", ODD];

/// A replica under `resource`.
#[track_caller]
fn gated(store: &str) -> Replica {
    Replica::configured(store, &GATED)
}
