//! A scene: the program under attack, the honest client beside it, and what is measured meanwhile.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use kit::{
    Scenario, Session,
    process::{Signal, memory, send_signal, until},
};
use serde_json::{Value, json};

use super::{
    Lab,
    gateway::{Gateway, Serve},
    honest::{self, lists_echo},
    peer::{HERE, Peer},
};

/// How much memory an attack may make the program take, beside the bytes that it sends or has sent.
pub const MEMORY: u64 = 64 << 20;

/// Within this the honest client's pings must be answered on an idle machine.
pub const PING: Duration = Duration::from_millis(100);

/// They are judged by this multiple of it, for machines that are not idle.
const TOLERANCE: u32 = 5;

/// A program that takes more is ended, so that the machine lives.
const TOO_MUCH: u64 = 2 << 30;

/// Whether the rule held; what did not.
pub(super) type Verdict = Result<(), String>;

/// What is measured during an attack.
#[derive(Debug, Default)]
pub(super) struct Measured(Mutex<Figures>);

/// The figures of one attack.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    /// The most memory that the program took, beyond what it had before.
    pub(super) memory: Option<u64>,
    /// The honest client's slowest ping.
    pub(super) slowest: Option<Duration>,
    asked: Option<Instant>,
    trouble: Vec<String>,
}

impl Measured {
    fn figures(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All figures; a ping that is not answered yet took as long as it waits.
    pub(super) fn so_far(&self) -> Figures {
        self.pong();
        self.figures().clone()
    }

    /// The honest client asks.
    pub(super) fn ping(&self) {
        self.figures().asked = Some(Instant::now());
    }

    /// It is answered, or is not waited for any more.
    pub(super) fn pong(&self) {
        let mut figures = self.figures();
        let waited = figures.asked.take().map(|asked| asked.elapsed());
        figures.slowest = figures.slowest.max(waited);
    }

    pub(super) fn trouble(&self, trouble: String) {
        self.figures().trouble.push(trouble);
    }

    fn took(&self, memory: u64) {
        let mut figures = self.figures();
        figures.memory = figures.memory.max(Some(memory));
    }
}

/// The program under attack.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) gateway: Gateway,
    measured: Arc<Measured>,
    over: Arc<AtomicBool>,
    /// What the attack sends or has sent, which the program may hold.
    allowance: u64,
}

impl Scene {
    /// Starts the program, waits until it serves, and lets the honest client begin.
    pub(super) async fn start(lab: &Lab, serve: Serve) -> Self {
        let scene = Self::without_honest_client(lab, serve).await;
        honest::begin(scene.gateway.address, &scene.measured, &scene.over);
        tokio::time::sleep(Duration::from_millis(200)).await;
        scene.measure();
        scene
    }

    /// The same without the honest client, who would be measured, too.
    pub(super) async fn without_honest_client(lab: &Lab, serve: Serve) -> Self {
        let starting = tokio::task::spawn_blocking(move || {
            let gateway = serve.start();
            let serves = || lists_echo(&Session::open(gateway.address).request("tools/list", json!({})));
            assert!(until(serves), "it does not serve: {}", gateway.process.log().join("\n"));
            gateway
        });
        // What it panicked with says why it does not start.
        let gateway = starting.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        Self { gateway, measured: Arc::clone(&lab.measured), over: Arc::default(), allowance: 0 }
    }

    /// Begins to measure memory, from what it is now.
    fn measure(&self) {
        let id = self.gateway.process.id();
        // A new measurement of the peak. Where the kernel does not offer it, that since the start is no less.
        let _unsupported = std::fs::write(format!("/proc/{id}/clear_refs"), "5");
        let before = memory(id).map_or(0, |(now, _)| now);
        let (over, measured) = (Arc::clone(&self.over), Arc::clone(&self.measured));
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if let Some((_, peak)) = memory(id) {
                    measured.took(peak.saturating_sub(before));
                    if peak > TOO_MUCH {
                        measured.trouble(format!("ended when it took {} MB", peak >> 20));
                        send_signal(id, Signal::KILL);
                        return;
                    }
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
    }

    /// What the attack sends or has sent may be held, in bytes.
    pub(super) fn allowing(mut self, bytes: u64) -> Self {
        self.allowance = bytes;
        self
    }

    /// An attacker with a session.
    pub(super) async fn attacker(&self) -> Peer {
        self.stranger().begin_session().await.unwrap()
    }

    /// An attacker that has said nothing yet.
    pub(super) fn stranger(&self) -> Peer {
        Peer::new(self.gateway.address, HERE)
    }

    /// Ends the scene. The rule held, if the attack says so, the honest client was served in time, and no more
    /// memory was taken than allowed.
    pub(super) async fn judge(mut self, verdict: Verdict) -> Verdict {
        let mut reasons: Vec<String> = verdict.err().into_iter().collect();
        // The last word on whether others are served.
        tokio::time::sleep(Duration::from_millis(150)).await;
        self.over.store(true, Ordering::Relaxed);
        if !self.gateway.process.is_running() {
            reasons.push("the program has ended".to_owned());
        }
        let figures = self.measured.so_far();
        reasons.extend(figures.trouble);
        if let Some(slowest) = figures.slowest.filter(|slowest| *slowest > PING * TOLERANCE) {
            reasons.push(format!("a ping took {} ms", slowest.as_millis()));
        }
        if let Some(memory) = figures.memory.filter(|memory| *memory > MEMORY + self.allowance) {
            let allowed = (MEMORY + self.allowance) >> 20;
            reasons.push(format!("it took {} MB, {allowed} are allowed", memory >> 20));
        }
        if reasons.is_empty() { Ok(()) } else { Err(reasons.join("; ")) }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Waits for this at most so long.
pub(super) async fn within<T>(
    what: &str,
    longest: Duration,
    happening: impl Future<Output = T>,
) -> Result<T, String> {
    tokio::time::timeout(longest, happening)
        .await
        .map_err(|_| format!("{what}: nothing after {} s", longest.as_secs_f32()))
}

/// An upstream with a tool of this name and schema, whose description fits every strategy.
pub(super) fn tool(name: &str, schema: &Value) -> Scenario {
    let tool = json!({"name": name, "description": format!("Takes {name}."), "inputSchema": schema});
    Scenario::with_tools([tool.to_string()])
}
