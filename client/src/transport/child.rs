//! Servers that are child processes. A child that is done for says why: its status and last words.

use std::{
    collections::VecDeque,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{ChildStderr, Command},
    sync::mpsc,
};

use super::{Ending, lines};
use crate::{
    Error,
    connection::{Connection, Outgoing},
    process::Group,
};

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
    Group::lead(command);
    let program = command.as_std().get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|source| Error::Start { program: program.clone(), source })?;
    let group = Group::of(&child);
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
        let status = group.reap(&mut child).await;
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
