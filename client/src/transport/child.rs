//! Servers that are child processes. A child that is done for says why: its status and last words.

use std::{
    collections::VecDeque,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, Command},
    sync::mpsc,
};

use super::{Ending, lines};
use crate::{
    Error,
    connection::{Connection, Outgoing},
};

/// How long a child may take to end after its input has, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// So many lines of stderr are told when a child ends.
const LAST_WORDS: usize = 5;

/// Longer lines of stderr are cut into pieces.
const LONGEST_WORD: u64 = 16 * 1024;

/// Starts the program and carries messages for as long as it lives.
pub(super) fn open(
    command: &mut Command,
    connection: &Arc<Connection>,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
) -> Result<(), Error> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // A group of its own, so that launchers such as npx take what they launched with them.
    #[cfg(unix)]
    command.process_group(0);
    let program = command.as_std().get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|source| Error::Start { program: program.clone(), source })?;
    let group = Group(child.id());
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = streams else {
        let source = std::io::Error::other("its standard streams could not be piped");
        return Err(Error::Start { program, source });
    };
    let hearing = tokio::spawn(hear(errors, program));
    let ending = Ending(Arc::clone(connection));
    tokio::spawn(async move {
        // Returns with the child's input closed, which asks it to go.
        let reason = lines::carry(output, input, &ending.0, outgoing).await;
        let status = reap(&mut child, &group).await;
        group.let_go();
        // All it said is read by now, unless a grandchild holds the pipe open.
        let words = tokio::time::timeout(Duration::from_millis(200), hearing).await;
        let words = words.ok().and_then(Result::ok).unwrap_or_default();
        ending.0.end(&epitaph(&reason, status, words));
    });
    Ok(())
}

fn epitaph(reason: &str, status: Option<ExitStatus>, words: VecDeque<String>) -> String {
    let how = match status {
        Some(status) => format!("{reason}; the process ended with {status}"),
        None => format!("{reason}; the process was killed"),
    };
    if words.is_empty() {
        return how;
    }
    format!("{how}; its last words were: {}", Vec::from(words).join(" | "))
}

/// Logs what the child says to people, and keeps the last of it.
async fn hear(errors: ChildStderr, program: String) -> VecDeque<String> {
    let mut errors = BufReader::new(errors);
    let mut words = VecDeque::new();
    let mut line = Vec::new();
    while let Ok(1..) = (&mut errors).take(LONGEST_WORD).read_until(b'\n', &mut line).await {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        tracing::info!(target: "server", program, "{text}");
        if words.len() == LAST_WORDS {
            words.pop_front();
        }
        words.push_back(text);
    }
    words
}

/// Waits for the child to end, then asks it, then makes it. Its group goes with it.
async fn reap(child: &mut Child, group: &Group) -> Option<ExitStatus> {
    for insist in [None, Some(Insist::Ask), Some(Insist::Kill)] {
        if let Some(insist) = insist {
            group.send(insist);
        }
        if let Ok(Ok(status)) = tokio::time::timeout(GRACE, child.wait()).await {
            group.send(Insist::Ask);
            return Some(status);
        }
    }
    None
}

#[derive(Clone, Copy)]
enum Insist {
    Ask,
    Kill,
}

/// The process group of a child. Dropping it before the child was waited for ends the group.
struct Group(Option<u32>);

impl Group {
    #[cfg(unix)]
    fn send(&self, insist: Insist) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = match insist {
            Insist::Ask => Signal::TERM,
            Insist::Kill => Signal::KILL,
        };
        let group = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(group) = group {
            // It may have gone by itself in the meantime.
            let _gone = kill_process_group(group, signal);
        }
    }

    #[cfg(not(unix))]
    fn send(&self, _insist: Insist) {}

    /// It has gone by itself, or was made to.
    fn let_go(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.send(Insist::Kill);
    }
}
