//! Lines of the log on their way to stderr.
//!
//! While clients are served, a thread writes them: a pipe that is not read holds up no client, and does not keep the program
//! from ending. Lines are gathered for some milliseconds, since each write wakes whatever reads them, which costs more than a
//! call's line itself; warnings and errors are written at once, with all that came before them.

use std::{
    io::{self, Write},
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are gathered.
const GATHERING: Duration = Duration::from_millis(5);

/// Bytes that wait at most. Beyond them, lines are lost.
const MOST_WAITING: usize = 256 * 1024;

/// How long the program waits for what is not written yet, before it ends.
const PATIENCE: Duration = Duration::from_secs(1);

/// Clears the line of a terminal, and begins it again.
const CLEARED: &str = "\r\u{1b}[2K";

static LINES: Mutex<State> = Mutex::new(State {
    how: How::AtOnce,
    waiting: Vec::new(),
    lost: 0,
    is_urgent: false,
    is_writing: false,
    is_begun: false,
});

/// There is something to write.
static COME: Condvar = Condvar::new();

/// A batch was written.
static WRITTEN: Condvar = Condvar::new();

struct State {
    how: How,
    /// Whole lines that are not being written yet.
    waiting: Vec<u8>,
    /// How many events were lost since the last batch.
    lost: u64,
    is_urgent: bool,
    is_writing: bool,
    /// Whether a terminal shows a line that has no end.
    is_begun: bool,
}

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// By their holder.
    AtOnce,
    /// By the thread.
    Gathered,
    /// Not any more: stderr is not read, and the program ends.
    NotAnyMore,
}

/// Gathers lines from now on, until [`finish`].
pub(crate) fn gather() {
    let started = thread::Builder::new().name("log".to_owned()).spawn(write_what_comes);
    // Without a thread, each line is written at once.
    if started.is_ok() {
        LINES.lock().how = How::Gathered;
    }
}

/// Waits until what waits is written, and from then on each line is written at once. If stderr is not read, nothing is
/// written any more.
pub(crate) fn finish() {
    let is_written = settle();
    LINES.lock().how = if is_written { How::AtOnce } else { How::NotAnyMore };
}

/// Waits until what waits is written; for a limited time. Whether it is.
pub(super) fn settle() -> bool {
    let deadline = Instant::now() + PATIENCE;
    let mut lines = LINES.lock();
    lines.is_urgent = true;
    COME.notify_one();
    while lines.is_writing || !lines.waiting.is_empty() {
        if WRITTEN.wait_until(&mut lines, deadline).timed_out() {
            return false;
        }
    }
    lines.how != How::NotAnyMore
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

/// Takes whole lines of an event of this level.
pub(super) fn put(text: &[u8], level: Level) {
    let mut lines = LINES.lock();
    let how = lines.how;
    match how {
        // If stderr is closed, nothing else can be done.
        How::AtOnce => {
            let room = if std::mem::take(&mut lines.is_begun) { CLEARED } else { "" };
            drop(io::stderr().write_all(&[room.as_bytes(), text].concat()));
        }
        How::Gathered if lines.waiting.len() + text.len() > MOST_WAITING => lines.lost += 1,
        How::Gathered => {
            let was_empty = lines.waiting.is_empty();
            lines.waiting.extend_from_slice(text);
            let is_urgent = level <= Level::WARN;
            lines.is_urgent |= is_urgent;
            if was_empty || is_urgent {
                COME.notify_one();
            }
        }
        How::NotAnyMore => {}
    }
}

fn write_what_comes() {
    let mut batch = Vec::new();
    loop {
        let mut lines = LINES.lock();
        while lines.waiting.is_empty() {
            COME.wait(&mut lines);
        }
        if !lines.is_urgent {
            COME.wait_for(&mut lines, GATHERING);
        }
        std::mem::swap(&mut batch, &mut lines.waiting);
        let lost = std::mem::take(&mut lines.lost);
        (lines.is_urgent, lines.is_writing) = (false, true);
        drop(lines);
        // If stderr is closed, nothing else can be done.
        let _unread = io::stderr().write_all(&batch);
        batch.clear();
        if lost > 0 {
            tracing::warn!(lines = lost, "lines of the log were lost: stderr was not read");
        }
        LINES.lock().is_writing = false;
        WRITTEN.notify_all();
    }
}

/// Where events that are formatted as text are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines;

/// Where one event is written.
#[derive(Debug)]
pub(super) struct OfLevel(Level);

impl MakeWriter<'_> for Lines {
    type Writer = OfLevel;

    fn make_writer(&self) -> OfLevel {
        OfLevel(Level::ERROR)
    }

    fn make_writer_for(&self, metadata: &Metadata<'_>) -> OfLevel {
        OfLevel(*metadata.level())
    }
}

impl Write for OfLevel {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        put(line, self.0);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
