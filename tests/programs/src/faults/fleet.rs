//! Fifty upstreams, of which ten flap, hang and are dead by turns, under load, for minutes.
//!
//! In one run, and one process: the ten are ordinary in every fourth turn, and are changed in the watched file.

use std::{
    fs, io, panic,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use kit::{
    Session,
    exchange::post,
    messages::call,
    process::{Process, memory},
};
use serde_json::json;
use tempfile::TempDir;

use super::{Outcome, judged, within};
use crate::Programs;

/// The number of upstreams.
const ALL: usize = 50;

/// The number of those that are changed: the last ones.
const CHANGED: usize = 10;

/// What they do by turns, and the mode for it. In the first others are compared with.
const TURNS: [(&str, &str); 4] = [
    ("are calm", "ordinary"),
    ("die each second", "dies-each-second"),
    ("hang", "hangs"),
    ("are dead", "exits"),
];

/// How long each turn is measured, and how long the change takes before that.
const MEASURED: Duration = Duration::from_secs(4);
const CHANGING: Duration = Duration::from_secs(4);

/// How much slower calls of the others may become.
const SLOWER: f64 = 1.1;

/// The growth of memory that is noise, in bytes.
const NOISE: u64 = 4 << 20;

/// A fleet in front of which the program runs.
struct Fleet {
    session: Session,
    gateway: Process,
    folder: TempDir,
    calls: AtomicUsize,
}

/// What the program holds.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    memory: u64,
    threads: usize,
    descriptors: usize,
}

/// Plays rounds of turns for this long; says what was seen as lines of Markdown.
pub fn play(programs: &Programs, seconds: Duration) -> Outcome {
    let fleet = Fleet::start(programs);
    let over = AtomicBool::new(false);
    let (asked, missing) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut seen: [Calls; TURNS.len()] = Default::default();
    let mut held = Vec::new();
    thread::scope(|scope| {
        // Calls of the changed ones may wait for them: each has a caller of its own, in calm turns, too.
        for number in ALL - CHANGED..ALL {
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
        let begun = Instant::now();
        // In the first round there is more to grow.
        while held.len() < 3 || begun.elapsed() < seconds {
            for ((_, mode), calls) in TURNS.iter().zip(&mut seen) {
                fleet.write(programs, mode);
                thread::sleep(CHANGING);
                fleet.call_others(MEASURED, calls);
            }
            held.push(fleet.held_now().unwrap_or_default());
        }
        over.store(true, Ordering::Relaxed);
    });
    let (first, last) = (held[1], held[held.len() - 1]);
    let missing = missing.into_inner() + seen.iter().map(|calls| calls.missing).sum::<usize>();
    let ratio = |calls: &Calls| calls.median().as_secs_f64() / seen[0].median().as_secs_f64();
    let grows = last.memory > first.memory + first.memory / 10 + NOISE
        || last.threads > first.threads + 2
        || last.descriptors > first.descriptors + 10;
    let shown = |held: Held| {
        let Held { memory, threads, descriptors } = held;
        format!("{:.1} MB, {threads} threads, {descriptors} descriptors", memory as f64 / 1e6)
    };
    let rows = TURNS.iter().zip(&seen).map(|((what, _), calls)| {
        let (median, times) = (calls.median().as_secs_f64() * 1e3, calls.times.len());
        format!("| {CHANGED} {what} | {median:.2} ms in the median of {times}: {:.2} times |\n", ratio(calls))
    });
    let rows: String = rows.collect();
    let asked = asked.into_inner();
    let said = format!(
        "| while | calls of the {} others (allowed: {SLOWER} times) |\n|---|---|\n{rows}\n{asked} calls of the changed ones; calls \
         without an answer: {missing}. Held after the second round {}, after the last {}.",
        ALL - CHANGED,
        shown(first),
        shown(last),
    );
    let holds = missing == 0 && !grows && seen.iter().all(|calls| ratio(calls) <= SLOWER);
    judged(holds, said)
}

/// Calls of the upstreams that are not changed.
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
    fn start(programs: &Programs) -> Self {
        let (folder, mut command) = programs.serving(&entries("ordinary"));
        command.args(["--log", "warn,mcp_disclosure_server=info"]);
        let gateway = Process::start(command.args(["--transport", "http", "--listen", "127.0.0.1:0"]));
        let session = Session::open(gateway.address());
        let fleet = Self { session, gateway, folder, calls: AtomicUsize::new(3) };
        let all = within(Duration::from_secs(60), || {
            fleet.session.request("tools/list", json!({}))["result"]["tools"]
                .as_array()
                .is_some_and(|tools| tools.len() == 2 * ALL)
        });
        assert!(all.is_some(), "the fleet does not start");
        fleet
    }

    /// Changes the mode of those that are changed.
    fn write(&self, programs: &Programs, mode: &str) {
        programs.write(self.folder.path(), &entries(mode));
    }

    /// Whether a call of this upstream has an answer, a result or an error.
    fn is_answered(&self, number: usize) -> bool {
        // Callers share a session, in which an id is used once.
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        let message = call(id, &format!("u{number}_echo"), json!({"text": "here"}));
        // A connection that ends without an answer is a panic.
        let answer = panic::catch_unwind(|| post(self.session.address, Some(&self.session.id), &message).1);
        answer.is_ok_and(|answer| {
            let has_result = answer["result"]["content"][0]["text"] == "here";
            answer["id"] == id && (has_result || (number >= ALL - CHANGED && answer["error"].is_object()))
        })
    }

    /// Calls the others one after the other for this long.
    fn call_others(&self, long: Duration, calls: &mut Calls) {
        let begun = Instant::now();
        for number in (0..ALL - CHANGED).cycle() {
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
    }

    fn held_now(&self) -> io::Result<Held> {
        let id = self.gateway.id();
        let count = |what: &str| Ok::<_, io::Error>(fs::read_dir(format!("/proc/{id}/{what}"))?.count());
        let memory = memory(id).map_or(0, |(now, _)| now);
        Ok(Held { memory, threads: count("task")?, descriptors: count("fd")? })
    }
}

/// The entries of the fleet, where those that are changed have this mode.
fn entries(mode: &str) -> String {
    let entry = |number: usize| {
        let mode = if number < ALL - CHANGED { "ordinary" } else { mode };
        format!(
            "[upstreams.u{number}]\ncommand = \"ODD\"\nargs = [\"{mode}\"]\nprefix = \"u{number}_\"\n\
             connect_timeout = 5\nrequest_timeout = 1\n"
        )
    };
    (0..ALL).map(entry).collect()
}
