//! The honest client: it pings, lists and calls while others attack, on a thread of its own, so that nothing that an
//! attack does in this program delays it. Each request is a new connection.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    peer::{ELSEWHERE, Peer},
    scene::Measured,
};

/// Between two pings.
const PAUSE: Duration = Duration::from_millis(10);

/// It lists and calls once for this many pings.
const PINGS: usize = 10;

/// The honest client, at work until this is dropped.
#[derive(Debug)]
pub(super) struct Honest {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Honest {
    /// Begins to work.
    pub(super) fn begin(gateway: SocketAddr, measured: &Arc<Measured>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (asked_to_stop, measured) = (Arc::clone(&stop), Arc::clone(measured));
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(work(gateway, &asked_to_stop, &measured));
        });
        Self { stop, thread: Some(thread) }
    }

    /// Ends its work, with what it is waiting for.
    pub(super) fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Drop for Honest {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

async fn work(gateway: SocketAddr, stop: &AtomicBool, measured: &Measured) {
    let working = async {
        let peer = Peer::with_session(gateway, ELSEWHERE).await?;
        for turn in 0.. {
            let asked = Instant::now();
            measured.ping_asked(Some(asked));
            peer.ask("ping", json!({})).await.result()?;
            measured.ping_asked(None);
            measured.ping_took(asked.elapsed());
            if turn % PINGS == 0 {
                use_tools(&peer).await?;
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok::<(), String>(())
    };
    let stopped = async {
        while !stop.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::select! {
        failed = working => if let Err(reason) = failed {
            measured.trouble(format!("the honest client was not served: {}", shortened(&reason)));
        },
        () = stopped => {}
    }
    measured.stop_waiting();
}

async fn use_tools(peer: &Peer) -> Result<(), String> {
    let tools = peer.tools().await?;
    if !tools.iter().any(|tool| tool == "echo") {
        return Err(format!("echo is not listed among {tools:?}"));
    }
    let result = peer.call("echo", json!({"text": "honest"})).await.result()?;
    match result["content"][0]["text"].as_str() {
        Some(text) if text.contains("honest") => Ok(()),
        _ => Err(format!("echo answered {result}")),
    }
}

/// The beginning of a text.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(160).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
