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
    state: Arc<Mutex<State>>,
    /// Whether there is a line about each upstream that is ready.
    names_upstreams: bool,
}

/// The current step, and which line is due.
#[derive(Debug)]
struct State {
    current: Option<Current>,
    /// When the last line was written.
    written: Option<Instant>,
    /// Whether a line is written over the one before.
    is_terminal: bool,
}

#[derive(Debug)]
struct Current {
    /// The strategy.
    name: String,
    line: String,
    since: Instant,
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
        let state = Arc::new(Mutex::new(State::new(stderr().is_terminal())));
        let ticking = Arc::downgrade(&state);
        // Also while a step keeps the program's only thread.
        std::thread::spawn(move || {
            while let Some(state) = ticking.upgrade() {
                state.lock().look();
                drop(state);
                std::thread::sleep(LOOK);
            }
        });
        Self { state, names_upstreams: true }
    }

    /// A step: its number, the number of all, and what it is, beginning with the strategy and a colon.
    pub(super) fn step(&self, done: usize, total: usize, what: &str) {
        let mut state = self.state.lock();
        let due = state.step(done, total, what, Instant::now());
        match done < total {
            true => state.write(due),
            false => log::show(""),
        }
    }
}

/// Which of these have not started so far, and since when; `None` if all have.
fn waiting(slots: &[Arc<Slot>], since: Duration) -> Option<String> {
    let awaited = slots.iter().filter(|slot| !slot.status().is_tried());
    let names = awaited.map(|slot| match slot.name() {
        Some(name) => name.to_string(),
        None => slot.configured.config.target.to_string(),
    });
    let named = few(names, MOST_NAMED);
    // The seconds come first: what is too long for a terminal is cut at its end.
    let line = format!("{} s: waiting for {named}", since.as_secs());
    (!named.is_empty()).then(|| one_line(&line).into_owned())
}

impl State {
    fn new(is_terminal: bool) -> Self {
        Self { current: None, written: None, is_terminal }
    }

    /// Writes the line that is due, if there is one.
    fn look(&mut self) {
        let due = self.tick(Instant::now());
        self.write(due);
    }

    fn write(&self, line: Option<String>) {
        match line {
            Some(line) if self.is_terminal => log::show(&cut_on_stderr(&one_line(&line))),
            Some(line) => log::note(&line),
            None => {}
        }
    }

    /// A step begins: its line, if it is the first about its strategy or the last one was written a while ago.
    fn step(&mut self, done: usize, total: usize, what: &str, now: Instant) -> Option<String> {
        let name = what.split(": ").next().unwrap_or_default().to_owned();
        let line = format!("{} of {total}: {what}", done + 1);
        let is_new = self.current.as_ref().is_none_or(|current| current.name != name);
        let is_due = is_new || self.is_past(self.written, now);
        let upstreams = Arc::default();
        self.current = (done < total).then(|| Current { name, line: line.clone(), since: now, upstreams });
        self.current.as_ref().filter(|_| is_due)?;
        self.written = Some(now);
        Some(line)
    }

    /// The line about a step that takes long.
    fn tick(&mut self, now: Instant) -> Option<String> {
        let current = self.current.as_ref()?;
        if !self.is_past(self.written.max(Some(current.since)), now) {
            return None;
        }
        self.written = Some(now);
        let since = now.duration_since(current.since);
        match current.upstreams.is_empty() {
            true => Some(format!("{}, for {} s", current.line, since.as_secs())),
            false => waiting(&current.upstreams, since),
        }
    }

    /// Whether the time between two lines has passed since this one, if there was one.
    fn is_past(&self, written: Option<Instant>, now: Instant) -> bool {
        let between = if self.is_terminal { BETWEEN_SECONDS } else { BETWEEN_LINES };
        written.is_none_or(|written| now.saturating_duration_since(written) >= between)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.state.lock().current = None;
        log::show("");
    }
}

impl Witness for Progress {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        let (name, line, upstreams) = (String::new(), String::new(), Arc::clone(slots));
        let current = Current { name, line, since: Instant::now(), upstreams };
        self.state.lock().current = Some(current);
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
        let mut state = State::new(false);
        assert_eq!(state.step(0, 9, "full: lists", at(0.0)).as_deref(), Some("1 of 9: full: lists"));
        // Quick steps of the same strategy have no lines of their own.
        assert_eq!(state.step(1, 9, "full: habits", at(0.5)), None);
        assert_eq!(state.tick(at(1.9)), None);
        assert_eq!(state.tick(at(2.5)).as_deref(), Some("2 of 9: full: habits, for 2 s"));
        assert_eq!(state.tick(at(4.4)), None);
        assert_eq!(state.tick(at(4.5)).as_deref(), Some("2 of 9: full: habits, for 4 s"));
        assert_eq!(state.step(2, 9, "info: lists", at(5.0)).as_deref(), Some("3 of 9: info: lists"));
        assert_eq!(state.step(3, 9, "info: habits", at(7.0)).as_deref(), Some("4 of 9: info: habits"));
        assert_eq!(state.step(9, 9, "done", at(20.0)), None);
        assert_eq!(state.tick(at(30.0)), None);
    }
}
