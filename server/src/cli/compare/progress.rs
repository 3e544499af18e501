//! The progress of a comparison on stderr: a line that is written over on a terminal, else lines.

use std::{
    io::{IsTerminal, stderr},
    sync::Arc,
    time::{Duration, Instant},
};

use mcp_disclosure_core::{
    UpstreamLists, UpstreamName,
    printable::{counted, few},
};
use mcp_disclosure_gateway::slot::{Slot, Witness};
use mcp_disclosure_transport::printable::one_line;
use parking_lot::Mutex;

use crate::{cli::width::cut_on_stderr, log};

/// Maximum number of upstreams that are named.
const MOST_NAMED: usize = 3;

/// The longest time without a line while a step takes its time, and the shortest between two about the same strategy.
const BETWEEN_LINES: Duration = Duration::from_secs(2);

/// The same on a terminal, where seconds are seen to pass.
const BETWEEN_SECONDS: Duration = Duration::from_secs(1);

/// How often it is looked whether a line is due.
const LOOK: Duration = Duration::from_millis(100);

/// The progress of a comparison, or of waiting for upstreams.
#[derive(Debug)]
pub(in crate::cli) struct Progress {
    current: Arc<Mutex<Option<Step>>>,
    /// Whether there is a line about each upstream that is ready.
    names_upstreams: bool,
}

/// The current step.
#[derive(Debug)]
struct Step {
    /// The strategy.
    name: String,
    line: String,
    since: Instant,
    /// When the last line about the strategy was written.
    written: Option<Instant>,
    /// Those that are waited for, if that is the step.
    upstreams: Arc<[Arc<Slot>]>,
}

impl Progress {
    /// Says which upstreams are waited for, and nothing else.
    pub(in crate::cli) fn of_waiting() -> Self {
        let mut progress = Self::new();
        progress.names_upstreams = false;
        progress
    }

    pub(in crate::cli) fn new() -> Self {
        let current = Arc::new(Mutex::new(None));
        let ticking = Arc::downgrade(&current);
        // Also while a step keeps the program's only thread.
        std::thread::spawn(move || {
            while let Some(current) = ticking.upgrade() {
                look(&mut current.lock());
                drop(current);
                std::thread::sleep(LOOK);
            }
        });
        Self { current, names_upstreams: true }
    }

    /// A step: its number, the number of all, and what it is, beginning with the strategy and a colon.
    pub(super) fn step(&self, done: usize, total: usize, what: &str) {
        let mut current = self.current.lock();
        let before = current.take();
        if done == total {
            return log::show("");
        }
        *current = Some(Step::new(before, format!("{} of {total}", done + 1), what, Instant::now()));
        look(&mut current);
    }
}

/// Writes the line that is due, if there is one: on a terminal over the one before.
fn look(current: &mut Option<Step>) {
    let is_terminal = stderr().is_terminal();
    let between = if is_terminal { BETWEEN_SECONDS } else { BETWEEN_LINES };
    match current.as_mut().and_then(|step| step.due(between, Instant::now())) {
        Some(line) if is_terminal => log::show(&cut_on_stderr(&one_line(&line))),
        Some(line) => log::note(&line),
        None => {}
    }
}

/// Which of these have not started so far, and since when; `None` if all have.
fn waiting(slots: &[Arc<Slot>], seconds: u64) -> Option<String> {
    let awaited = slots.iter().filter(|slot| !slot.status().is_tried());
    let named = few(awaited.map(|slot| slot.configured.called()), MOST_NAMED);
    // The seconds come first: what is too long for a terminal is cut at its end.
    (!named.is_empty()).then(|| format!("{seconds} s: waiting for {named}"))
}

impl Step {
    fn new(before: Option<Self>, number: String, what: &str, since: Instant) -> Self {
        let name = what.split(": ").next().unwrap_or_default().to_owned();
        let written = before.filter(|before| before.name == name).and_then(|before| before.written);
        Self { name, line: format!("{number}: {what}"), since, written, upstreams: Arc::default() }
    }

    /// Its line, if it is the first about its strategy, or the last one was written this long ago.
    fn due(&mut self, between: Duration, now: Instant) -> Option<String> {
        if self.written.is_some_and(|written| now.saturating_duration_since(written) < between) {
            return None;
        }
        self.written = Some(now);
        match now.saturating_duration_since(self.since).as_secs() {
            seconds if !self.upstreams.is_empty() => waiting(&self.upstreams, seconds),
            0 => Some(self.line.clone()),
            seconds => Some(format!("{}, for {seconds} s", self.line)),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        *self.current.lock() = None;
        log::show("");
    }
}

impl Witness for Progress {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        let (name, line, since) = (String::new(), String::new(), Instant::now());
        let step = Step { name, line, since, written: Some(since), upstreams: Arc::clone(slots) };
        *self.current.lock() = Some(step);
    }

    fn ready(&self, upstream: &UpstreamName, lists: &UpstreamLists) {
        match self.names_upstreams {
            true => log::note(&format!("{upstream}: {}", counted(lists.tools.len(), "tool"))),
            false => log::show(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q4_a_step_that_takes_long_is_shown_again_and_again() {
        let begun = Instant::now();
        let at = |seconds: f64| begun + Duration::from_secs_f64(seconds);
        let step =
            |before, number, what, seconds| Step::new(before, format!("{number} of 9"), what, at(seconds));
        let due = |step: &mut Step, seconds| step.due(BETWEEN_LINES, at(seconds)).unwrap_or_default();
        let mut lists = step(None, 1, "full: lists", 0.0);
        assert_eq!(due(&mut lists, 0.0), "1 of 9: full: lists");
        // Quick steps of the same strategy have no lines of their own.
        let mut habits = step(Some(lists), 2, "full: habits", 0.5);
        assert_eq!([due(&mut habits, 0.5), due(&mut habits, 1.9)], ["", ""]);
        assert_eq!(due(&mut habits, 2.5), "2 of 9: full: habits, for 2 s");
        assert_eq!(due(&mut habits, 4.4), "");
        assert_eq!(due(&mut habits, 4.5), "2 of 9: full: habits, for 4 s");
        let mut lists = step(Some(habits), 3, "info: lists", 5.0);
        assert_eq!(due(&mut lists, 5.0), "3 of 9: info: lists");
        let mut habits = step(Some(lists), 4, "info: habits", 7.0);
        assert_eq!(due(&mut habits, 7.0), "4 of 9: info: habits");
    }
}
