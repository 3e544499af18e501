//! All open sessions. Their number is limited, and idle ones are ended.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;

use super::Session;

/// Limits on the number of sessions and on their idle time.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Maximum number of open sessions.
    pub most: usize,
    /// A session unused for this long is ended.
    pub idle: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { most: 10_000, idle: Duration::from_secs(60 * 60) }
    }
}

impl SessionLimits {
    /// The interval between sweeps for idle and unused sessions.
    pub fn sweep_interval(self, unused: Duration) -> Duration {
        (self.idle.min(unused) / 4).clamp(Duration::from_millis(100), Duration::from_secs(60))
    }
}

/// The session limit is reached. Open sessions are never evicted for a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many sessions: {most} are open; end one, or try again later")]
pub struct Full {
    /// The limit.
    pub most: usize,
}

/// All open sessions, by id.
#[derive(Debug)]
pub struct Sessions {
    bounds: SessionLimits,
    unused: Duration,
    by_id: Mutex<HashMap<Arc<str>, Arc<Session>>>,
}

impl Sessions {
    /// An empty table; sessions unused for `unused` after their handshake are ended.
    pub fn new(bounds: SessionLimits, unused: Duration) -> Self {
        Self { bounds, unused, by_id: Mutex::default() }
    }

    /// Checks whether another session can be opened.
    ///
    /// # Errors
    /// [`Full`] if the limit is reached.
    pub fn room(&self) -> Result<(), Full> {
        if self.by_id.lock().len() >= self.bounds.most {
            Err(Full { most: self.bounds.most })
        } else {
            Ok(())
        }
    }

    /// Adds a session.
    ///
    /// # Errors
    /// [`Full`] if the limit is reached.
    pub fn add(&self, session: Arc<Session>) -> Result<(), Full> {
        let mut by_id = self.by_id.lock();
        if by_id.len() >= self.bounds.most {
            return Err(Full { most: self.bounds.most });
        }
        by_id.insert(Arc::clone(session.id()), session);
        Ok(())
    }

    /// Looks up a session by id.
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        self.by_id.lock().get(id).cloned()
    }

    /// Removes a session: cancels its requests and closes its stream.
    pub fn remove(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.by_id.lock().remove(id)?;
        session.in_flight.cancel_all();
        session.client.close();
        Some(session)
    }

    /// Removes idle sessions and returns them.
    pub fn remove_idle(&self) -> Vec<Arc<Session>> {
        let idle: Vec<_> =
            self.all().into_iter().filter(|session| session.is_idle(self.bounds.idle, self.unused)).collect();
        idle.iter().filter_map(|session| self.remove(session.id())).collect()
    }

    /// The strategy of each open session.
    pub fn strategies(&self) -> Vec<Arc<str>> {
        self.by_id.lock().values().map(|session| Arc::clone(session.strategy())).collect()
    }

    /// All open sessions.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.by_id.lock().values().cloned().collect()
    }
}
