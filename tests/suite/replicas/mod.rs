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

use std::net::SocketAddr;

use kit::{process::Process, redis::Redis};

use crate::command_line::{ODD, program};

/// A replica and where it listens.
struct Replica {
    process: Process,
    at: SocketAddr,
}

impl Replica {
    /// Starts one with these flags and upstream.
    #[track_caller]
    fn start(store: &str, flags: &[&str], upstream: &[&str]) -> Self {
        let serve = ["serve", "--transport", "http", "--listen", "127.0.0.1:0", "--session-store", store];
        let process = Process::start(&mut program(&[&serve[..], flags, &["--"], upstream].concat()));
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

/// A replica under `resource`, where calls need a fetch.
fn gated(store: &str) -> Replica {
    Replica::start(store, &["--strategy", "resource"], &[ODD])
}
