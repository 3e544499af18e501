//! The honest client: it pings, lists and calls while others attack, on a thread of its own that blocks, so that nothing that
//! an attack does in this program delays it. Each request is a new connection.

use std::{
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use kit::Session;
use serde_json::{Value, json};

use super::scene::Measured;
use crate::said;

/// Between two pings.
const PAUSE: Duration = Duration::from_millis(10);

/// It lists and calls once for this many pings.
const PINGS: usize = 10;

/// Begins to work, until it is over.
pub(super) fn begin(gateway: SocketAddr, measured: &Arc<Measured>, over: &Arc<AtomicBool>) {
    let (measured, over) = (Arc::clone(measured), Arc::clone(over));
    thread::spawn(move || {
        let working = catch_unwind(AssertUnwindSafe(|| work(gateway, &over, &measured)));
        // What it still asks when it is over may not be answered any more.
        if let Err(panic) = working
            && !over.load(Ordering::Relaxed)
        {
            let reason = shortened(&said(&*panic));
            measured.trouble(format!("the honest client was not served: {reason}"));
        }
    });
}

fn work(gateway: SocketAddr, over: &AtomicBool, measured: &Measured) {
    let session = Session::open(gateway);
    for turn in 0.. {
        measured.ping();
        let pong = session.request("ping", json!({}));
        assert_eq!(pong["result"], json!({}), "a ping: {pong}");
        measured.pong();
        if turn % PINGS == 0 {
            let listed = session.request("tools/list", json!({}));
            assert!(lists_echo(&listed), "echo is not listed: {listed}");
            let answer = session.call("echo", json!({"text": "honest"}));
            assert_eq!(answer["result"]["content"][0]["text"], "honest", "echo: {answer}");
        }
        thread::sleep(PAUSE);
        if over.load(Ordering::Relaxed) {
            break;
        }
    }
}

/// Whether an answer lists the good upstream's `echo`.
pub(super) fn lists_echo(answer: &Value) -> bool {
    let tools = answer["result"]["tools"].as_array();
    tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "echo"))
}

/// The beginning of a text.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(160).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
