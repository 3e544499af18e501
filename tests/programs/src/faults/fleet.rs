//! Fifty upstreams, of which ten begin to die a second after each start, for minutes.
//!
//! In one run, and one process: the ten are ordinary at first, and are changed in the watched file.

use std::{
    fs, io,
    net::SocketAddr,
    panic,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use kit::process::{Process, post};
use serde_json::json;
use tempfile::TempDir;

use super::{Lab, Outcome, within};
use crate::attack::procfs;

/// The number of upstreams.
const ALL: usize = 50;

/// The number of those that die: the last ones.
const DYING: usize = 10;

/// The length of the phase without dying upstreams, and of each measurement of what the program holds.
const PHASE: Duration = Duration::from_secs(30);

/// What grows in the first minute is not counted.
const SETTLING: Duration = Duration::from_secs(60);

/// How much slower calls of the others may become.
const SLOWER: f64 = 1.5;

/// The growth of memory that is noise, in bytes.
const NOISE: u64 = 4 << 20;

/// A fleet in front of which the program runs.
struct Fleet {
    address: SocketAddr,
    session: String,
    gateway: Process,
    folder: TempDir,
    calls: AtomicUsize,
}

/// What the program holds at most during a time.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    memory: u64,
    threads: usize,
    descriptors: usize,
}

/// Plays it for this long after the first phase; says what was seen as lines of Markdown.
pub fn play(lab: &Lab, seconds: Duration) -> Outcome {
    let fleet = Fleet::start(lab);
    let calm = fleet.calls(PHASE);
    fleet.write(lab, "dies-each-second");
    let over = AtomicBool::new(false);
    let (asked, missing) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let times = Mutex::new((Held::default(), Held::default()));
    let dying = thread::scope(|scope| {
        // Calls of the dying ones wait for them: each has a caller of its own.
        for number in ALL - DYING..ALL {
            let (fleet, over, asked, missing) = (&fleet, &over, &asked, &missing);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    asked.fetch_add(1, Ordering::Relaxed);
                    if !fleet.is_answered(number) {
                        missing.fetch_add(1, Ordering::Relaxed);
                    }
                    thread::sleep(Duration::from_millis(100));
                }
            });
        }
        scope.spawn(|| {
            thread::sleep(SETTLING.min(seconds / 2));
            let first = fleet.held(PHASE.min(seconds / 4));
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(50));
            }
            *times.lock().unwrap() = (first, fleet.held(Duration::from_secs(5)));
        });
        let dying = fleet.calls(seconds);
        over.store(true, Ordering::Relaxed);
        dying
    });
    let (first, last) = *times.lock().unwrap();
    let (asked, missing) = (asked.into_inner(), missing.into_inner() + calm.missing + dying.missing);
    let ratio = dying.median().as_secs_f64() / calm.median().as_secs_f64();
    let grows = last.memory > first.memory + first.memory / 10 + NOISE
        || last.threads > first.threads + 2
        || last.descriptors > first.descriptors + 10;
    let held = |held: Held| {
        format!(
            "{:.1} MB, {} threads, {} descriptors",
            held.memory as f64 / 1e6,
            held.threads,
            held.descriptors
        )
    };
    let seen = format!(
        "| what | seen |\n|---|---|\n| calls of the {} others | {} before, {} while {DYING} die |\n\
         | median | {:.2} ms before, {:.2} ms while {DYING} die: {ratio:.2} times (allowed: {SLOWER}) |\n\
         | calls of the dying ones | {asked} |\n| calls without an answer | {missing} |\n\
         | held, after the first minute | {} |\n| held, at the end | {} |",
        ALL - DYING,
        calm.times.len(),
        dying.times.len(),
        calm.median().as_secs_f64() * 1e3,
        dying.median().as_secs_f64() * 1e3,
        held(first),
        held(last),
    );
    if missing == 0 && ratio <= SLOWER && !grows { Ok(seen) } else { Err(seen) }
}

/// Calls of the upstreams that do not die.
#[derive(Debug, Default)]
struct Calls {
    times: Vec<Duration>,
    missing: usize,
}

impl Calls {
    fn median(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

impl Fleet {
    /// The program with all upstreams ordinary, each with a tool listed.
    fn start(lab: &Lab) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("disclosure.toml");
        fs::write(&config, entries(lab, "ordinary")).unwrap();
        let mut command = Command::new(&lab.gateway);
        command.args(["--log", "warn,mcp_disclosure_server=info", "serve", "--strategy", "full"]);
        command.args(["--transport", "http", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
        let gateway = Process::start(&mut command);
        let address = gateway.address();
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fleet", "version": "1"},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let session = post(address, None, &message).0.expect("a session");
        let fleet = Self { address, session, gateway, folder, calls: AtomicUsize::new(2) };
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let all = within(Duration::from_secs(60), || {
            let (_, answer) = post(fleet.address, Some(&fleet.session), &list);
            answer["result"]["tools"].as_array().is_some_and(|tools| tools.len() == 2 * ALL)
        });
        assert!(all.is_some(), "the fleet does not start");
        fleet
    }

    /// Changes the mode of those that die.
    fn write(&self, lab: &Lab, mode: &str) {
        fs::write(self.folder.path().join("disclosure.toml"), entries(lab, mode)).unwrap();
    }

    /// Whether a call of this upstream has an answer, a result or an error.
    fn is_answered(&self, number: usize) -> bool {
        // Callers share a session, in which an id is used once.
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let params = json!({"name": format!("u{number}_echo"), "arguments": {"text": "here"}});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        // A connection that ends without an answer is a panic.
        let answer = panic::catch_unwind(|| post(self.address, Some(&self.session), &message).1);
        answer.is_ok_and(|answer| {
            let has_result = answer["result"]["content"][0]["text"] == "here";
            answer["id"] == id && (has_result || (number >= ALL - DYING && answer["error"].is_object()))
        })
    }

    /// Calls the others one after the other for this long.
    fn calls(&self, long: Duration) -> Calls {
        let (begun, mut calls) = (Instant::now(), Calls::default());
        for number in (0..ALL - DYING).cycle() {
            if begun.elapsed() > long {
                break;
            }
            let call = Instant::now();
            match self.is_answered(number) {
                true => calls.times.push(call.elapsed()),
                false => calls.missing += 1,
            }
            thread::sleep(Duration::from_millis(5));
        }
        calls
    }

    /// The most that the program holds during this time.
    fn held(&self, long: Duration) -> Held {
        let (begun, mut most) = (Instant::now(), Held::default());
        while begun.elapsed() < long {
            let now = self.held_now().unwrap_or_default();
            most.memory = most.memory.max(now.memory);
            most.threads = most.threads.max(now.threads);
            most.descriptors = most.descriptors.max(now.descriptors);
            thread::sleep(Duration::from_millis(100));
        }
        most
    }

    fn held_now(&self) -> io::Result<Held> {
        let id = self.gateway.id();
        let count = |what: &str| Ok::<_, io::Error>(fs::read_dir(format!("/proc/{id}/{what}"))?.count());
        let memory = procfs::memory(id).map_or(0, |(now, _)| now);
        Ok(Held { memory, threads: count("task")?, descriptors: count("fd")? })
    }
}

/// The entries of the fleet, where those that may die have this mode.
fn entries(lab: &Lab, mode: &str) -> String {
    let program = lab.upstream.display();
    let entry = |number: usize| {
        let mode = if number < ALL - DYING { "ordinary" } else { mode };
        format!(
            "[upstreams.u{number}]\ncommand = \"{program}\"\nargs = [\"{mode}\"]\nprefix = \"u{number}_\"\n\
             connect_timeout = 5\n"
        )
    };
    (0..ALL).map(entry).collect()
}
