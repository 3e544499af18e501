//! Faults of upstreams, played in front of the shipped program, and whether it does what it promises.
//!
//! Each fault starts the program with real MCP upstreams, a good one among them, plays the fault, and says what was seen.
//! A family of faults is one file; [`all`] is the table of contents.

mod endings;
pub mod fleet;
mod listing;
mod report;
mod scene;
mod start;
mod unreachable;

use std::{
    panic::AssertUnwindSafe,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

pub use report::{Row, table};

use crate::said;

/// What was seen: of what held, or of what did not.
pub type Outcome = Result<String, String>;

/// A fault, and what must hold.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The rule's id.
    pub rule: &'static str,
    /// What is done.
    pub done: &'static str,
    /// What must hold.
    pub must: &'static str,
    /// Whether milliseconds are measured, so that nothing else may run.
    alone: bool,
    run: fn(&Lab) -> Outcome,
}

impl Fault {
    const fn new(
        rule: &'static str,
        done: &'static str,
        must: &'static str,
        run: fn(&Lab) -> Outcome,
    ) -> Self {
        Self { rule, done, must, alone: false, run }
    }

    const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }
}

/// Every fault, in the order of the table.
pub fn all() -> Vec<Fault> {
    [start::FAULTS, endings::FAULTS, listing::FAULTS, unreachable::FAULTS].concat()
}

/// What faults are played with.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The program.
    pub gateway: PathBuf,
    /// The program `odd-upstream`.
    pub upstream: PathBuf,
}

impl Lab {
    /// Plays these faults: first those that measure time, one by one, then the others at the same time.
    pub fn play(&self, faults: &[Fault]) -> Vec<Row> {
        let alone: Vec<Option<Row>> =
            faults.iter().map(|fault| fault.alone.then(|| self.row(fault))).collect();
        thread::scope(|scope| {
            let others: Vec<_> =
                faults.iter().map(|fault| (!fault.alone).then(|| scope.spawn(|| self.row(fault)))).collect();
            let rows = alone.into_iter().zip(others);
            rows.filter_map(|(row, other)| row.or_else(|| other?.join().ok())).collect()
        })
    }

    fn row(&self, fault: &Fault) -> Row {
        let begun = Instant::now();
        // What a fault takes for granted, and does not find, is a panic: it did not hold, and the others go on.
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| (fault.run)(self)));
        Row::new(*fault, outcome.unwrap_or_else(|panic| Err(said(&*panic))), begun.elapsed())
    }
}

/// What was seen, of something that must hold.
fn judged(holds: bool, seen: String) -> Outcome {
    if holds { Ok(seen) } else { Err(seen) }
}

/// Polls until this holds; how long that took, if it held in time.
fn within(longest: Duration, mut holds: impl FnMut() -> bool) -> Option<Duration> {
    let begun = Instant::now();
    loop {
        if holds() {
            return Some(begun.elapsed());
        }
        if begun.elapsed() > longest {
            return None;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// A duration for the table.
fn shown(took: Option<Duration>) -> String {
    took.map_or_else(|| "not in time".to_owned(), |took| format!("{} ms", took.as_millis()))
}
