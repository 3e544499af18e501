//! Servers that are child processes: one message per line on their standard streams.
//!
//! A child leads its own process group, which is ended with the child, with the connection, and, where a
//! [`guard`] is enabled, with this process.

mod group;
pub mod guard;
mod program;
#[cfg(unix)]
mod signal;

/// There are no process groups on this system, so nothing is sent.
#[cfg(not(unix))]
mod signal {
    #[derive(Clone, Copy)]
    pub(super) struct Signal;

    impl Signal {
        pub(super) const TERM: Self = Self;
        pub(super) const KILL: Self = Self;
    }

    pub(super) fn send(_group: u32, _signal: Signal) {}

    pub(super) fn is_there(_group: u32) -> bool {
        false
    }
}

use std::{
    collections::VecDeque,
    io,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use group::Group;
use parking_lot::Mutex;
pub use program::Program;
use tokio::{io::AsyncRead, process::Command};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Bounds, Connection, Handler, Line, Lines, Reason,
    connection::Carrier,
    line_limit::LineLimit,
    printable,
    streams::{carry, closed},
};

/// How long to wait for the end of stderr after the child exited: a process that left its group may hold the pipe open.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Starts a program and connects to it. Its standard streams are replaced; stderr is logged.
///
/// # Errors
/// Why the program cannot be started.
pub fn connect(
    command: &mut Command,
    handler: Arc<dyn Handler>,
    bounds: Bounds,
) -> io::Result<Arc<Connection>> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(cfg!(not(unix)));
    Group::lead(command);
    let mut child = command.spawn()?;
    let group = Group::of(&child);
    let missing = || io::Error::other("cannot pipe its standard streams");
    let input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    let errors = child.stderr.take().ok_or_else(missing)?;
    Ok(Connection::carried(handler, bounds, Carrier::Streams, |connection, queued| async move {
        let last = LastLines::default();
        let logging = tokio::spawn(log(errors, Arc::clone(&connection), last.clone()));
        let logging = AbortOnDropHandle::new(logging);
        // On return the child's input is closed, which asks it to exit.
        let carried = carry(output, input, &connection, queued).await;
        let status = group.reap(&mut child).await;
        let _ended = tokio::time::timeout(LAST_LINES, logging).await;
        epitaph(carried, status, &connection, &last)
    }))
}

fn epitaph(
    carried: Result<(), Reason>,
    status: Option<ExitStatus>,
    connection: &Connection,
    last: &LastLines,
) -> Reason {
    let printed = connection.foreign_output().map(|line| format!("on stdout it printed {line:?}"));
    let details: Vec<String> = last.shown().into_iter().chain(printed).collect();
    let details = details.join("; ");
    match (carried, status) {
        (Err(reason), _) => reason.because(&details),
        (Ok(()), Some(status)) => Reason::new(format!("the process ended with {status}")).because(&details),
        // It had to be ended, so that is not why the connection is over.
        (Ok(()), None) => closed(connection).because(&details),
    }
}

/// Longer lines are skipped.
const LONGEST_LINE: usize = 64 * 1024;

/// The last lines a child wrote to stderr, which explain why it exited.
#[derive(Clone, Debug, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    const KEPT: usize = 5;

    fn keep(&self, line: String) {
        let mut lines = self.0.lock();
        if lines.len() == Self::KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines for the operator; `None` if there are none.
    fn shown(&self) -> Option<String> {
        let lines = self.0.lock();
        let shown = || lines.iter().map(String::as_str).collect::<Vec<_>>().join(" | ");
        (!lines.is_empty()).then(|| format!("last stderr lines: {}", shown()))
    }
}

/// Logs lines within the rate limit and keeps the last ones, until the child closes its stderr.
async fn log(errors: impl AsyncRead + Unpin, connection: Arc<Connection>, last: LastLines) {
    let bounds = *connection.bounds();
    let mut lines = Lines::new(errors, LONGEST_LINE);
    let limit = LineLimit::new("stderr lines", bounds.stderr_lines);
    while let Ok(Some(line)) = lines.next().await {
        let Line::Text(text) = line else { continue };
        let text = printable::line(String::from_utf8_lossy(&text).trim_end(), bounds.stderr_characters);
        if limit.admits(&connection.name()) {
            tracing::info!(target: "upstream", upstream = connection.name(), "{text}");
        }
        last.keep(text);
    }
    limit.finish(&connection.name());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::connection::tests::{Owner, bounds};

    #[tokio::test]
    async fn u3_a_child_that_has_to_be_ended_gave_another_reason() {
        for (script, reason) in [
            ("exec sleep 60 >&-", "it closed its input or output"),
            ("exec >&-; exit 7", "the process ended with exit status: 7"),
        ] {
            let mut command = Command::new("sh");
            let connection =
                connect(command.args(["-c", script]), Arc::new(Owner::default()), bounds()).unwrap();
            connection.ended().await;
            assert_eq!(connection.reason().to_string(), reason);
        }
    }
}
