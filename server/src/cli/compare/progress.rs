//! The progress of a comparison on stderr: a bar on a terminal, else lines.

use std::{
    io::{IsTerminal, Write, stderr},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_disclosure_core::{UpstreamLists, UpstreamName};
use mcp_disclosure_gateway::slot::Witness;
use mcp_disclosure_transport::printable::printable;

/// The shortest time between two lines about the same strategy.
const BETWEEN_LINES: Duration = Duration::from_secs(2);

/// The progress of a comparison.
#[derive(Debug)]
pub(in crate::cli) enum Progress {
    /// On a terminal.
    Bar(ProgressBar),
    /// Lines for logs: the first step of each strategy, and others when they take their time.
    Lines(Mutex<Option<(String, Instant)>>),
}

impl Progress {
    pub(super) fn new() -> Self {
        if !stderr().is_terminal() {
            return Self::Lines(Mutex::default());
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
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
            Self::Bar(bar) => bar.println(printable(what)),
            Self::Lines(_) => line(what),
        }
    }

    /// A step: its number, the number of all, and what it is, beginning with the strategy and a colon.
    pub(super) fn step(&self, done: usize, total: usize, what: &str) {
        match self {
            Self::Bar(bar) => {
                bar.set_length(total as u64);
                bar.set_position(done as u64);
                bar.set_message(printable(what).into_owned());
            }
            Self::Lines(last) => {
                let name = what.split(": ").next().unwrap_or_default();
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                let is_due = match &*last {
                    _ if done == total => false,
                    Some((shown, at)) => shown != name || at.elapsed() >= BETWEEN_LINES,
                    None => true,
                };
                if is_due {
                    *last = Some((name.to_owned(), Instant::now()));
                    line(&format!("{} of {total}: {what}", done + 1));
                }
            }
        }
    }
}

fn line(what: &str) {
    // A closed stderr does not stop the comparison.
    let _unread = writeln!(stderr(), "mcp-disclosure: {}", printable(what));
}

impl Witness for Progress {
    fn ready(&self, upstream: &UpstreamName, lists: &UpstreamLists) {
        let tools = lists.tools.len();
        self.upstreams(&format!("{upstream}: {tools} {}", if tools == 1 { "tool" } else { "tools" }));
    }
}

impl Progress {
    /// Clears a bar.
    pub(super) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
