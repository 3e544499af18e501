//! The progress of a comparison on stderr: a bar on a terminal, else lines.

use std::{
    fmt,
    io::{IsTerminal, stderr},
    sync::Arc,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mcp_disclosure_core::{UpstreamLists, UpstreamName, printable::counted};
use mcp_disclosure_gateway::slot::{Slot, Witness};
use mcp_disclosure_transport::printable::one_line;
use parking_lot::{Condvar, Mutex};

use crate::{cli::width::width, log};

/// Maximum number of upstreams that are named.
const MOST_NAMED: usize = 3;

/// The columns of a terminal from which on a bar leaves room for the step.
const ROOM_FOR_A_BAR: u16 = 70;

/// The longest time without a line while a step takes its time, and the shortest between two about the same strategy.
const BETWEEN_LINES: Duration = Duration::from_secs(2);

/// The progress of a comparison.
#[derive(Debug)]
pub(in crate::cli) enum Progress {
    /// On a terminal.
    Bar(ProgressBar),
    /// Lines for logs.
    Lines(Arc<Lines>),
}

/// Lines about the steps, also while one of them keeps the program's only thread.
#[derive(Debug, Default)]
pub(in crate::cli) struct Lines {
    state: Mutex<State>,
    ended: Condvar,
}

/// The current step, and which line is due.
#[derive(Debug, Default)]
struct State {
    current: Option<Current>,
    /// When the last line was written.
    written: Option<Instant>,
    is_over: bool,
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
    pub(in crate::cli) fn new() -> Self {
        if !stderr().is_terminal() {
            return Self::Lines(Lines::start());
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        set_style(&bar, "{msg}", &Arc::default());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Bar(bar)
    }

    /// Shows nothing: what is played takes no time.
    #[cfg(feature = "demo")]
    pub(in crate::cli) fn hidden() -> Self {
        Self::Bar(ProgressBar::hidden())
    }

    /// A line about upstreams.
    pub(super) fn upstreams(&self, what: &str) {
        match self {
            Self::Bar(bar) => bar.println(one_line(what)),
            Self::Lines(_) => log::note(what),
        }
    }

    /// A step: its number, the number of all, and what it is, beginning with the strategy and a colon.
    pub(super) fn step(&self, done: usize, total: usize, what: &str) {
        match self {
            Self::Bar(bar) => {
                if bar.length() == Some(0) {
                    let templates = ["{pos}/{len} {wide_msg}", "{bar:20} {pos}/{len} {wide_msg}"];
                    set_style(bar, templates[usize::from(width() >= ROOM_FOR_A_BAR)], &Arc::default());
                }
                bar.set_length(total as u64);
                bar.set_position(done as u64);
                bar.set_message(one_line(what).into_owned());
            }
            Self::Lines(lines) => lines.write(|state| state.step(done, total, what, Instant::now())),
        }
    }
}

/// How a bar looks; `waiting` in the template is who has not started of these, within the width of the terminal.
fn set_style(bar: &ProgressBar, template: &str, slots: &Arc<[Arc<Slot>]>) {
    let (slots, width) = (Arc::clone(slots), usize::from(width()) - 1);
    let waiting = move |bar: &ProgressState, text: &mut dyn fmt::Write| {
        if let Some(line) = waiting(&slots, bar.elapsed()) {
            // What cannot be written is written again soon.
            _ = text.write_str(&line.chars().take(width).collect::<String>());
        }
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("waiting", waiting));
    }
}

/// Which of these have not started so far, and since when; `None` if all have.
fn waiting(slots: &[Arc<Slot>], since: Duration) -> Option<String> {
    let awaited: Vec<&Arc<Slot>> = slots.iter().filter(|slot| !slot.status().is_tried()).collect();
    let name = |slot: &&&Arc<Slot>| match slot.name() {
        Some(name) => name.to_string(),
        None => slot.configured().config().target.to_string(),
    };
    let named: Vec<String> = awaited.iter().take(MOST_NAMED).map(|slot| name(&slot)).collect();
    let more = match awaited.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // The seconds come first: what is too long for a terminal is cut at its end.
    let line = format!("{} s: waiting for {}{more}", since.as_secs(), named.join(", "));
    (!named.is_empty()).then(|| one_line(&line).into_owned())
}

impl Lines {
    fn start() -> Arc<Self> {
        let lines = Arc::<Self>::default();
        let ticking = Arc::clone(&lines);
        std::thread::spawn(move || while ticking.tick() {});
        lines
    }

    /// Waits for the next line that is due, and writes it; returns whether there can be more.
    fn tick(&self) -> bool {
        let mut state = self.state.lock();
        let wait = state.waits(Instant::now());
        self.ended.wait_for(&mut state, wait);
        let (is_over, due) = (state.is_over, state.tick(Instant::now()));
        drop(state);
        due.iter().for_each(|due| log::note(due));
        !is_over
    }

    fn write(&self, due: impl FnOnce(&mut State) -> Option<String>) {
        let due = due(&mut self.state.lock());
        due.iter().for_each(|due| log::note(due));
    }
}

impl State {
    /// A step begins: its line, if it is the first about its strategy or the last one was written a while ago.
    fn step(&mut self, done: usize, total: usize, what: &str, now: Instant) -> Option<String> {
        let name = what.split(": ").next().unwrap_or_default().to_owned();
        let line = format!("{} of {total}: {what}", done + 1);
        let is_new = self.current.as_ref().is_none_or(|current| current.name != name);
        let is_due = is_new || self.written.is_none_or(|written| left(written, now).is_zero());
        let upstreams = Arc::default();
        self.current = (done < total).then(|| Current { name, line: line.clone(), since: now, upstreams });
        self.current.as_ref().filter(|_| is_due)?;
        self.written = Some(now);
        Some(line)
    }

    /// The line about a step that takes long.
    fn tick(&mut self, now: Instant) -> Option<String> {
        let is_due = !self.is_over && self.waits(now).is_zero();
        let current = self.current.as_ref().filter(|_| is_due)?;
        self.written = Some(now);
        let since = now.duration_since(current.since);
        match current.upstreams.is_empty() {
            true => Some(format!("{}, for {} s", current.line, since.as_secs())),
            false => waiting(&current.upstreams, since),
        }
    }

    /// How long until a line about the current step is due.
    fn waits(&self, now: Instant) -> Duration {
        let since = self.current.as_ref().map(|current| current.since);
        since.max(self.written.filter(|_| since.is_some())).map_or(BETWEEN_LINES, |last| left(last, now))
    }
}

/// How long the time between two lines lasts after the first of them.
fn left(written: Instant, now: Instant) -> Duration {
    BETWEEN_LINES.saturating_sub(now.saturating_duration_since(written))
}

impl Drop for Progress {
    /// Clears a bar, and ends lines.
    fn drop(&mut self) {
        match self {
            Self::Bar(bar) => bar.finish_and_clear(),
            Self::Lines(lines) => {
                lines.state.lock().is_over = true;
                lines.ended.notify_all();
            }
        }
    }
}

impl Witness for Progress {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        match self {
            Self::Bar(bar) => set_style(bar, "{waiting}", slots),
            Self::Lines(lines) => lines.write(|state| {
                let (name, line, upstreams) = (String::new(), String::new(), Arc::clone(slots));
                state.current = Some(Current { name, line, since: Instant::now(), upstreams });
                None
            }),
        }
    }

    fn ready(&self, upstream: &UpstreamName, lists: &UpstreamLists) {
        self.upstreams(&format!("{upstream}: {}", counted(lists.tools.len(), "tool")));
    }
}

/// Says which upstreams are waited for, and nothing else.
#[derive(Debug)]
pub(in crate::cli) struct Patience(Progress);

impl Patience {
    pub(in crate::cli) fn new() -> Self {
        Self(Progress::new())
    }
}

impl Witness for Patience {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        self.0.starting(slots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn q4_a_step_that_takes_long_is_shown_again_and_again() {
        let begun = Instant::now();
        let at = |seconds: f64| begun + Duration::from_secs_f64(seconds);
        let mut state = State::default();
        assert_eq!(state.step(0, 9, "full: lists", at(0.0)).as_deref(), Some("1 of 9: full: lists"));
        // Quick steps of the same strategy have no lines of their own.
        assert_eq!(state.step(1, 9, "full: habits", at(0.5)), None);
        assert_eq!(state.tick(at(1.9)), None);
        assert_eq!(state.tick(at(2.5)).as_deref(), Some("2 of 9: full: habits, for 2 s"));
        assert_eq!((state.tick(at(3.0)), state.waits(at(3.0))), (None, Duration::from_secs_f64(1.5)));
        assert_eq!(state.tick(at(4.5)).as_deref(), Some("2 of 9: full: habits, for 4 s"));
        assert_eq!(state.step(2, 9, "info: lists", at(5.0)).as_deref(), Some("3 of 9: info: lists"));
        assert_eq!(state.step(3, 9, "info: habits", at(7.0)).as_deref(), Some("4 of 9: info: habits"));
        assert_eq!(state.step(9, 9, "done", at(20.0)), None);
        assert_eq!(state.tick(at(30.0)), None);
        state.step(0, 1, "info: again", at(31.0));
        state.is_over = true;
        assert_eq!(state.tick(at(60.0)), None);
    }
}
