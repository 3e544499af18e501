//! The audit log: one JSON line for each call of a tool and each decision on one, appended to a file.
//!
//! Records are made by the tasks that serve clients and written by a thread of their own, through a queue with a limit. A
//! record that finds no room, or cannot be written, is lost: counted, and logged at most once a minute. With
//! `--audit-strict` a call is forwarded only once the record of its decision is on the disk.

mod file;
mod record;
mod writer;

use std::{sync::Arc, time::Duration};

use file::AuditFile;
use mcp_disclosure_gateway::{
    limits::Limits,
    observe::{Called, Observer, Recording},
};
use record::{Key, record, started};
use tokio::sync::oneshot;
pub(super) use writer::Losses;
use writer::{Task, run};

use super::{OperatingArguments, worker::Worker};
use crate::failure::Failure;

/// How long the end waits for a disk.
const AT_THE_END: Duration = Duration::from_secs(2);

/// The audit log of one run.
#[derive(Debug)]
pub(super) struct Audit {
    key: Key,
    queue: Worker<Task>,
    pub(super) losses: Arc<Losses>,
    /// How long a call waits for its record, if it must be written first.
    strict: Option<Duration>,
}

impl Audit {
    /// Opens the file, if there is to be one.
    ///
    /// # Errors
    /// If the key cannot be used, or the file cannot be opened.
    pub(super) fn open(arguments: &OperatingArguments, limits: &Limits) -> Result<Option<Self>, Failure> {
        let Some(path) = &arguments.audit else { return Ok(None) };
        let key = Key::new(arguments.audit_key_file.as_deref())?;
        let opened = AuditFile::open(path, started(&key));
        let file = opened.map_err(|source| Failure::Write { path: path.clone(), source })?;
        let losses = Arc::<Losses>::default();
        let of_thread = Arc::clone(&losses);
        let queue = Worker::start("audit", limits.audit_queue, move |tasks| run(file, tasks, &of_thread))?;
        let strict = arguments.audit_strict.then_some(limits.audit_wait);
        Ok(Some(Self { key, queue, losses, strict }))
    }

    /// Queues a line, without waiting. Returns whether there was room.
    fn write(&self, line: Vec<u8>, written: Option<oneshot::Sender<bool>>) -> bool {
        let is_queued = self.queue.send(Task::Write(line, written));
        if !is_queued {
            self.losses.add_lost(1, "the disk is too slow for them");
        }
        is_queued
    }

    /// Opens the file again, which may have been renamed, before what is queued from now on is written.
    pub(super) fn reopen(&self) {
        if !self.queue.send(Task::Reopen) {
            tracing::error!("the audit log is not opened again: its disk does not answer");
        }
    }

    /// Waits until all is written, for as long as a disk deserves.
    pub(super) fn finish(&self) {
        if !self.queue.finish(AT_THE_END) {
            tracing::error!("the last records of the audit log are not written: its disk does not answer");
        }
    }
}

impl OperatingArguments {
    /// Whether the key of the audit log can be used.
    ///
    /// # Errors
    /// [`Failure::Configuration`] if the file cannot be read or is too short.
    pub fn check_key(&self) -> Result<(), Failure> {
        Key::new(self.audit_key_file.as_deref()).map(drop)
    }
}

impl Observer for Audit {
    fn fingerprint(&self, arguments: &str) -> Option<Box<str>> {
        Some(self.key.fingerprint(arguments))
    }

    fn before(&self, call: &Called<'_>) -> Option<Recording> {
        let patience = self.strict?;
        let (written, done) = oneshot::channel();
        let is_queued = self.write(record(call), Some(written));
        let losses = Arc::clone(&self.losses);
        Some(Box::pin(async move {
            if !is_queued {
                return Err(refusal("too many records wait to be written"));
            }
            match tokio::time::timeout(patience, done).await {
                Ok(Ok(true)) => Ok(()),
                Ok(_) => Err(refusal("its record could not be written")),
                Err(_) => {
                    losses.add_lost(1, "the disk is too slow for them");
                    Err(refusal("its record was not written in time"))
                }
            }
        }))
    }

    fn called(&self, call: &Called<'_>) {
        self.write(record(call), None);
    }
}

fn refusal(why: &str) -> String {
    format!("this call was not run, since calls must be recorded here first (--audit-strict): {why}")
}
