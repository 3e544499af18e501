//! Lines of the log on their way to stderr.
//!
//! While clients are served, a thread writes them: a pipe that is not read holds up no client, and does not keep the program
//! from ending. Lines are gathered for some milliseconds, since each write wakes whatever reads them, which costs more than a
//! call's line itself.

use std::{
    io::{self, Write},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

/// How long lines are gathered.
const GATHERING: Duration = Duration::from_millis(5);

/// Maximum number of lines that wait. Beyond them, lines are lost.
const MOST_WAITING: usize = 10_000;

/// How long the program waits for what is not written yet, before it ends.
const PATIENCE: Duration = Duration::from_secs(1);

/// Clears the line of a terminal, and begins it again.
const CLEARED: &str = "\r\u{1b}[2K";

static LINES: Mutex<State> = Mutex::new(State { how: How::AtOnce, lost: 0, is_begun: false });

struct State {
    how: How,
    /// Lines that were lost since the last warning about them.
    lost: u64,
    /// Whether a terminal shows a line that has no end.
    is_begun: bool,
}

/// How lines are written.
enum How {
    /// By their holder.
    AtOnce,
    /// By the thread.
    Gathered(SyncSender<Task>),
    /// Not any more: stderr is not read, and the program ends.
    NotAnyMore,
}

enum Task {
    Write(Vec<u8>),
    /// To be acknowledged when all before it is written.
    Flush(SyncSender<()>),
}

/// Gathers lines from now on, until [`finish`].
pub(crate) fn gather() {
    let (tasks, to_do) = sync_channel(MOST_WAITING);
    let started = thread::Builder::new().name("log".to_owned()).spawn(move || write_what_comes(&to_do));
    // Without a thread, each line is written at once.
    if started.is_ok() {
        LINES.lock().how = How::Gathered(tasks);
    }
}

/// Waits until what waits is written, and from then on each line is written at once. If stderr is not read, nothing is
/// written any more.
pub(crate) fn finish() {
    let is_written = settle();
    LINES.lock().how = if is_written { How::AtOnce } else { How::NotAnyMore };
}

/// Waits until what waits is written; for a limited time. Whether it is.
fn settle() -> bool {
    let deadline = Instant::now() + PATIENCE;
    let (flush, flushed) = sync_channel(1);
    loop {
        let is_asked = match &LINES.lock().how {
            How::AtOnce => return true,
            How::NotAnyMore => return false,
            How::Gathered(tasks) => tasks.try_send(Task::Flush(flush.clone())).is_ok(),
        };
        if is_asked || Instant::now() > deadline {
            return flushed.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok();
        }
        thread::sleep(GATHERING);
    }
}

/// Writes what waits before the message of a panic, since the program may end with it.
pub(super) fn precede_panics() {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if settle() {
            next(panic);
        }
    }));
}

/// Shows a line on a terminal until the next one, of whatever kind, which takes its place; an empty one leaves nothing.
pub(crate) fn show(line: &str) {
    let mut lines = LINES.lock();
    let was_begun = std::mem::replace(&mut lines.is_begun, !line.is_empty());
    if was_begun || lines.is_begun {
        drop(io::stderr().write_all(format!("{CLEARED}{line}").as_bytes()));
    }
}

/// Takes whole lines of an event.
pub(super) fn put(text: &[u8]) {
    let lines = &mut *LINES.lock();
    let room = if std::mem::take(&mut lines.is_begun) { CLEARED } else { "" };
    match &lines.how {
        // If stderr is closed, nothing else can be done.
        How::AtOnce => drop(io::stderr().write_all(&[room.as_bytes(), text].concat())),
        How::Gathered(tasks) if tasks.try_send(Task::Write(text.to_vec())).is_err() => lines.lost += 1,
        How::Gathered(_) | How::NotAnyMore => {}
    }
}

fn write_what_comes(tasks: &Receiver<Task>) {
    while let Ok(first) = tasks.recv() {
        if matches!(first, Task::Write(_)) {
            thread::sleep(GATHERING);
        }
        let mut all: Vec<Task> = std::iter::once(first).chain(tasks.try_iter().take(MOST_WAITING)).collect();
        let lost = std::mem::take(&mut LINES.lock().lost);
        if lost > 0 {
            // There is room for it now.
            tracing::warn!(lines = lost, "lines of the log were lost: stderr was not read");
            all.extend(tasks.try_iter().take(MOST_WAITING));
        }
        let (mut batch, mut flushes) = (Vec::new(), Vec::new());
        for task in all {
            match task {
                Task::Write(lines) => batch.extend(lines),
                Task::Flush(flush) => flushes.push(flush),
            }
        }
        // If stderr is closed, nothing else can be done.
        let _unread = io::stderr().write_all(&batch);
        for flush in flushes {
            let _gone = flush.try_send(());
        }
    }
}

/// Where events that are formatted as text are written, each at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        put(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
