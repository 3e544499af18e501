//! The thread that writes records, and how many it could not write.

use std::{
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::Receiver,
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::oneshot;

use super::AuditFile;

/// Records that are written at once.
const BATCH: usize = 512;

/// How long records that no call waits for are gathered: to wake this thread for each would cost more than all the rest.
const GATHERING: Duration = Duration::from_millis(5);

/// Losses are logged at most this often.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// What the thread is asked to do.
#[derive(Debug)]
pub(super) enum Task {
    /// A line to write; the sender learns whether it is on the disk.
    Write(Vec<u8>, Option<oneshot::Sender<bool>>),
    Reopen,
}

/// Lines that are written at once, and who waits for them.
#[derive(Default)]
struct Batch {
    lines: Vec<u8>,
    /// Where each line ends, and who waits for it.
    ends: Vec<(usize, Option<oneshot::Sender<bool>>)>,
}

/// Writes until the queue is closed.
pub(super) fn run(mut file: AuditFile, tasks: &Receiver<Task>, losses: &Losses) {
    while let Ok(first) = tasks.recv() {
        if matches!(first, Task::Write(_, None)) {
            thread::sleep(GATHERING);
        }
        let mut batch = Batch::default();
        for task in std::iter::once(first).chain(tasks.try_iter().take(BATCH - 1)) {
            match task {
                // Its call was refused or cancelled meanwhile: that it is forwarded would be untrue.
                Task::Write(_, Some(written)) if written.is_closed() => {}
                Task::Write(line, written) => {
                    batch.lines.extend_from_slice(&line);
                    batch.ends.push((batch.lines.len(), written));
                }
                Task::Reopen => {
                    std::mem::take(&mut batch).write(&mut file, losses);
                    match file.reopen() {
                        Ok(()) => tracing::info!("opened the audit log again: {}", file.path().display()),
                        Err(error) => tracing::error!(
                            %error, "cannot open the audit log again, the old file stays in use: {}", file.path().display()
                        ),
                    }
                }
            }
        }
        batch.write(&mut file, losses);
    }
}

impl Batch {
    fn write(self, file: &mut AuditFile, losses: &Losses) {
        let is_waited_for = self.ends.iter().any(|(_, waiting)| waiting.is_some());
        let (written, outcome) = file.write(&self.lines, is_waited_for);
        let whole = self.ends.iter().take_while(|(end, _)| *end <= written).count();
        losses.written.fetch_add(whole as u64, Ordering::Relaxed);
        if let Err(error) = &outcome {
            losses.add_lost((self.ends.len() - whole) as u64, &error.to_string());
        }
        for (end, waiting) in self.ends {
            // A call that does not wait any more was refused.
            let _gone = waiting.map(|waiting| waiting.send(end <= written));
        }
    }
}

/// How many records were written and lost.
#[derive(Debug, Default, Serialize)]
pub(in crate::operating) struct Losses {
    written: AtomicU64,
    lost: AtomicU64,
    /// When losses were logged last.
    #[serde(skip)]
    logged: Mutex<Option<Instant>>,
}

impl Losses {
    /// Records written so far.
    pub(in crate::operating) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Records lost so far.
    pub(in crate::operating) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Counts lost records, and logs that once a minute.
    pub(super) fn add_lost(&self, count: u64, why: &str) {
        if count == 0 {
            return;
        }
        let lost = self.lost.fetch_add(count, Ordering::Relaxed) + count;
        let mut logged = self.logged.lock();
        if logged.is_some_and(|logged| logged.elapsed() < LOGGED_EVERY) {
            return;
        }
        *logged = Some(Instant::now());
        drop(logged);
        tracing::error!(lost, why, "records of the audit log are lost");
    }
}
