//! Records that were written, and those that were not.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// Losses are logged at most this often, in seconds.
const LOGGED_EVERY: u64 = 60;

/// How many records were written and lost.
#[derive(Debug)]
pub(in crate::operating) struct Losses {
    written: AtomicU64,
    lost: AtomicU64,
    since: Instant,
    /// In which second from `since` on losses may be logged again.
    log_after: AtomicU64,
}

impl Default for Losses {
    fn default() -> Self {
        let (written, lost, log_after) = Default::default();
        Self { written, lost, since: Instant::now(), log_after }
    }
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
        let now = self.since.elapsed().as_secs();
        let next = |after: u64| (now >= after).then_some(now + LOGGED_EVERY);
        if self.log_after.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok() {
            tracing::error!(lost, why, "records of the audit log are lost");
        }
    }
}
