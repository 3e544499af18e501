//! A lock per session: what is read from the store is applied in the order in which it was read.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use mcp_disclosure_transport::ErrorText;
use parking_lot::Mutex;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedMutexGuard},
    time::Instant,
};

use crate::session::Session;

/// Below this number of entries no sweep is needed.
const FEW: usize = 64;

/// The locks of all sessions.
#[derive(Debug, Default)]
pub(super) struct SessionLocks(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    locks: HashMap<Arc<str>, Weak<SessionLock>>,
    sweep_at: usize,
}

/// One session's lock.
#[derive(Debug, Default)]
pub(super) struct SessionLock {
    /// The last failure, and when it happened.
    failed: Arc<AsyncMutex<Option<(Instant, ErrorText)>>>,
    /// Counts messages about the session, so that a copy that was read before one is not used after it.
    heard: Mutex<u64>,
}

/// Exclusive access to a session, to read or change it. Others wait until it is dropped.
#[derive(Debug)]
pub(crate) struct SessionGuard {
    lock: Arc<SessionLock>,
    failed: OwnedMutexGuard<Option<(Instant, ErrorText)>>,
}

/// When a session was read: a message about it after that invalidates what was read.
#[derive(Debug)]
pub(super) struct ReadAt {
    lock: Arc<SessionLock>,
    heard: u64,
}

impl SessionLocks {
    /// Waits until nothing else is done with this session.
    ///
    /// # Errors
    /// That of a task that had the lock and failed while this one waited: otherwise all would time out one after another.
    pub(super) async fn of(&self, id: &str) -> Result<SessionGuard, ErrorText> {
        let (lock, arrived) = (self.lock(id), Instant::now());
        let failed = Arc::clone(&lock.failed).lock_owned().await;
        match &*failed {
            Some((at, error)) if *at >= arrived => Err(error.clone()),
            _ => Ok(SessionGuard { lock, failed }),
        }
    }

    /// Invalidates the copy of a session, and a read of it in progress.
    pub(super) fn invalidate(&self, id: &str, copy: Option<&Session>) {
        let lock = self.0.lock().locks.get(id).and_then(Weak::upgrade);
        // Without one, nothing is being read.
        let mut heard = lock.as_ref().map(|lock| lock.heard.lock());
        heard.iter_mut().for_each(|heard| **heard += 1);
        copy.into_iter().for_each(|copy| copy.copy_under(0));
    }

    fn lock(&self, id: &str) -> Arc<SessionLock> {
        let mut table = self.0.lock();
        if let Some(lock) = table.locks.get(id).and_then(Weak::upgrade) {
            return lock;
        }
        if table.locks.len() >= table.sweep_at.max(FEW) {
            table.locks.retain(|_, lock| lock.strong_count() > 0);
            table.sweep_at = 2 * table.locks.len();
        }
        let lock = Arc::default();
        table.locks.insert(id.into(), Arc::downgrade(&lock));
        lock
    }
}

impl SessionGuard {
    /// The time of a reading that begins now.
    pub(super) fn reading(&self) -> ReadAt {
        ReadAt { lock: Arc::clone(&self.lock), heard: *self.lock.heard.lock() }
    }

    /// Returns this outcome. If it is an error, the tasks that wait for the lock fail with it, too.
    pub(crate) fn share_failure<T>(&mut self, outcome: Result<T, ErrorText>) -> Result<T, ErrorText> {
        outcome.inspect_err(|error| *self.failed = Some((Instant::now(), error.clone())))
    }
}

impl ReadAt {
    /// Marks the copy as valid under this lease, unless there was a message about the session since it was read.
    pub(super) fn validate(&self, copy: &Session, lease: u64) {
        // Held until it is decided: what is heard meanwhile comes after, and takes the permission back.
        let heard = self.lock.heard.lock();
        if *heard == self.heard {
            copy.copy_under(lease);
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_transport::code;

    use super::*;

    #[tokio::test]
    async fn k4_a_failure_is_shared_by_those_who_waited_and_by_no_one_later() {
        let locks = Arc::new(SessionLocks::default());
        let mut first = locks.of("a").await.unwrap();
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(locks.of("a"))).collect();
        for attempt in &mut waiting {
            assert!(futures::poll!(attempt.as_mut()).is_pending());
        }
        let failed: Result<(), _> = first.share_failure(Err(ErrorText::new(code::STORE_UNAVAILABLE, "down")));
        assert!(failed.is_err());
        // Others have locks of their own.
        locks.of("b").await.unwrap();
        drop(first);
        for attempt in waiting {
            assert_eq!(attempt.await.unwrap_err().message(), "down");
        }
        locks.of("a").await.unwrap();
    }
}
