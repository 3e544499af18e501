//! The thread that writes records, and how many it could not write.

use std::{
    sync::{
        Arc,
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
use crate::{failure::Failure, operating::worker::Worker};

/// Records that are written at once.
const BATCH: usize = 512;

/// How long records that no call waits for are gathered: to wake this thread for each would cost more than all the rest.
const GATHERING: Duration = Duration::from_millis(5);

/// How long the end waits for a disk.
const AT_THE_END: Duration = Duration::from_secs(2);

/// Losses are logged at most this often.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// The writer's end of the queue.
#[derive(Debug)]
pub(in crate::operating) struct Writer {
    queue: Worker<Task>,
    pub(in crate::operating) losses: Arc<Losses>,
}

#[derive(Debug)]
enum Task {
    /// A line to write; the sender learns whether it is on the disk.
    Write(Vec<u8>, Option<oneshot::Sender<bool>>),
    Reopen,
}

impl Writer {
    pub(super) fn start(file: AuditFile, most: usize) -> Result<Self, Failure> {
        let losses = Arc::<Losses>::default();
        let of_thread = Arc::clone(&losses);
        let queue = Worker::start("audit", most, move |tasks| run(file, tasks, &of_thread))?;
        Ok(Self { queue, losses })
    }

    /// Queues a line, without waiting. Returns whether there was room.
    pub(super) fn write(&self, line: Vec<u8>, written: Option<oneshot::Sender<bool>>) -> bool {
        let queued = self.queue.send(Task::Write(line, written));
        if !queued {
            self.losses.add_lost(1, "the disk is too slow for them");
        }
        queued
    }

    /// Opens the file again, which may have been renamed, before what is queued from now on is written.
    pub(in crate::operating) fn reopen(&self) {
        if !self.queue.send(Task::Reopen) {
            tracing::error!("the audit log is not opened again: its disk does not answer");
        }
    }

    /// Waits until all is written, for as long as a disk deserves.
    pub(in crate::operating) fn finish(&self) {
        if !self.queue.finish(AT_THE_END) {
            tracing::error!("the last records of the audit log are not written: its disk does not answer");
        }
    }
}

/// Lines that are written at once, and who waits for them.
#[derive(Default)]
struct Batch {
    lines: Vec<u8>,
    /// Where each line ends, and who waits for it.
    ends: Vec<(usize, Option<oneshot::Sender<bool>>)>,
}

fn run(mut file: AuditFile, tasks: &Receiver<Task>, losses: &Losses) {
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
        losses.add_written(whole as u64);
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

    pub(super) fn add_written(&self, count: u64) {
        self.written.fetch_add(count, Ordering::Relaxed);
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
