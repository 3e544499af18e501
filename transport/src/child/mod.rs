//! Servers that are child processes: one message per line on their standard streams.
//!
//! A child leads its own process group, which is ended with the child, with the connection, and, where a
//! [`guard`] is enabled, with this process.

mod group;
pub mod guard;
mod program;
#[cfg(unix)]
mod signal;
mod stderr;

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
    io,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use group::Group;
pub use program::Program;
use stderr::LastLines;
use tokio::process::Command;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    Bounds, Connection, Handler, Reason,
    connection::Carrier,
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
        let logging = tokio::spawn(stderr::log(errors, Arc::clone(&connection), last.clone()));
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
