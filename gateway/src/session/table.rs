//! All open sessions. Their number is limited, and idle ones are ended.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;

use super::Session;

/// One in this many quiet copies makes room at a time.
const EVICTED_PART: usize = 100;

/// Limits on the number of sessions and on their idle time.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits {
    /// Maximum number of sessions opened here; with a store, at most as many copies of others' are kept besides.
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

/// All open sessions.
#[derive(Debug)]
pub struct Sessions {
    bounds: SessionLimits,
    unused: Duration,
    table: Mutex<Table>,
}

/// Sessions, by id.
#[derive(Debug, Default)]
struct Table {
    /// Those that were opened here.
    opened: HashMap<Arc<str>, Arc<Session>>,
    /// Copies of those that other replicas opened. They are bounded on their own, and make room for each other.
    copies: HashMap<Arc<str>, Arc<Session>>,
}

impl Table {
    fn room(&self, most: usize) -> Result<(), Full> {
        if self.opened.len() >= most { Err(Full { most }) } else { Ok(()) }
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.opened.values().chain(self.copies.values())
    }

    /// Removes some of the quiet copies: those that were used least recently. Several at once, since all have to be looked
    /// at to find them.
    fn evict(&mut self) -> Vec<Arc<Session>> {
        let some = self.copies.len() / EVICTED_PART + 1;
        let quiet = self.copies.values().filter(|copy| copy.is_quiet() && !copy.replay.has_unfinished());
        let mut quiet: Vec<_> = quiet.map(|copy| (copy.last_used(), Arc::clone(copy.id()))).collect();
        if some < quiet.len() {
            quiet.select_nth_unstable(some);
            quiet.truncate(some);
        }
        quiet.iter().filter_map(|(_, id)| self.copies.remove(id)).collect()
    }
}

impl Sessions {
    /// An empty table; sessions unused for `unused` after their handshake are ended.
    pub fn new(bounds: SessionLimits, unused: Duration) -> Self {
        Self { bounds, unused, table: Mutex::default() }
    }

    /// Checks whether another session can be opened.
    ///
    /// # Errors
    /// [`Full`] if the limit is reached.
    pub fn room(&self) -> Result<(), Full> {
        self.table.lock().room(self.bounds.most)
    }

    /// Whether more than one is open.
    pub fn are_several(&self) -> bool {
        self.table.lock().all().nth(1).is_some()
    }

    /// Adds a session.
    ///
    /// # Errors
    /// [`Full`] if the limit is reached.
    pub fn add(&self, session: Arc<Session>) -> Result<(), Full> {
        let mut table = self.table.lock();
        table.room(self.bounds.most)?;
        table.opened.insert(Arc::clone(session.id()), session);
        Ok(())
    }

    /// Adds a copy of a session that another replica has admitted. If there are as many as sessions may be opened here, quiet
    /// copies that were used least recently make room, and are returned: the store has them.
    ///
    /// # Errors
    /// [`Full`] if all are in use.
    pub fn adopt(&self, session: Arc<Session>) -> Result<Vec<Arc<Session>>, Full> {
        let mut table = self.table.lock();
        let is_full = table.copies.len() >= self.bounds.most;
        let evicted = if is_full { table.evict() } else { Vec::new() };
        if is_full && evicted.is_empty() {
            return Err(Full { most: self.bounds.most });
        }
        table.copies.insert(Arc::clone(session.id()), session);
        Ok(evicted)
    }

    /// Looks up a session by id.
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        let table = self.table.lock();
        table.opened.get(id).or_else(|| table.copies.get(id)).cloned()
    }

    /// Removes a session, and closes its stream. Its requests in progress are answered.
    pub fn remove(&self, id: &str) -> Option<Arc<Session>> {
        let mut table = self.table.lock();
        let session = table.opened.remove(id).or_else(|| table.copies.remove(id))?;
        drop(table);
        session.client.close();
        Some(session)
    }

    /// Removes a session that its client ended: cancels its requests, too.
    pub fn end(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.remove(id)?;
        session.in_flight.end();
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
        self.table.lock().all().map(|session| Arc::clone(session.strategy())).collect()
    }

    /// All open sessions.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.table.lock().all().cloned().collect()
    }
}
