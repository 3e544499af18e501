//! Records that were written, and those that were not.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;

/// Losses are logged at most this often.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// How many records were written and lost.
#[derive(Debug, Default)]
pub(in crate::operating) struct Losses {
    written: AtomicU64,
    lost: AtomicU64,
    /// When losses were logged last.
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
