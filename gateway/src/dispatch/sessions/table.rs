//! All open sessions. Their number is limited, and idle ones are ended.

use std::{collections::HashMap, ops::Deref, sync::Arc};

use mcp_disclosure_transport::{ErrorText, code};

use crate::{
    backend::Backend,
    dispatch::common::unfinished,
    session::{Session, store::key_of},
};

/// A session, and the backend that serves it, which is kept alive for as long as this is referenced, even after the session ended.
#[derive(Debug)]
pub struct ServedSession {
    session: Arc<Session>,
    backend: Arc<Backend>,
}

impl ServedSession {
    /// This session, served by this backend.
    pub(super) fn new(session: Session, backend: &Arc<Backend>) -> Arc<Self> {
        Arc::new(Self { session: Arc::new(session), backend: Arc::clone(backend) })
    }

    /// The session.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The backend.
    pub fn backend(&self) -> &Arc<Backend> {
        &self.backend
    }
}

impl Deref for ServedSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

/// One in this many quiet copies makes room at a time.
const EVICTED_PART: usize = 100;

/// The error where the session limit is reached. Open sessions are never evicted for a new one.
fn full(most: usize) -> ErrorText {
    let message = format_args!("too many sessions: {most} are open; end one, or try again later");
    ErrorText::new(code::UPSTREAM_FAILED, message)
}

/// All open sessions, by [what stores know](key_of) of their ids.
#[derive(Debug)]
pub(super) struct Table {
    most: usize,
    /// Those that were opened here.
    opened: HashMap<String, Arc<ServedSession>>,
    /// Copies of those that other replicas opened. They are bounded on their own, and make room for each other.
    copies: HashMap<String, Arc<ServedSession>>,
    is_closed: bool,
}

impl Table {
    /// None yet, and never more than this number.
    pub(super) fn new(most: usize) -> Self {
        Self { most, opened: HashMap::new(), copies: HashMap::new(), is_closed: false }
    }

    /// Checks whether another session can be opened.
    ///
    /// # Errors
    /// -32000 if the limit is reached; -32603 once the gateway is closed.
    pub(super) fn room(&self) -> Result<(), ErrorText> {
        self.open()?;
        if self.opened.len() >= self.most { Err(full(self.most)) } else { Ok(()) }
    }

    fn open(&self) -> Result<(), ErrorText> {
        if self.is_closed { Err(unfinished()) } else { Ok(()) }
    }

    /// Takes no more sessions.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Adds a session.
    ///
    /// # Errors
    /// -32000 if the limit is reached.
    pub(super) fn add(&mut self, session: Arc<ServedSession>) -> Result<(), ErrorText> {
        self.room()?;
        self.opened.insert(key_of(session.id()), session);
        Ok(())
    }

    /// Adds a copy of a session that another replica has admitted. If there are as many as sessions may be opened here, quiet
    /// copies that were used least recently make room, and are returned: the store has them.
    ///
    /// # Errors
    /// -32000 if all are in use.
    pub(super) fn adopt(
        &mut self,
        session: Arc<ServedSession>,
    ) -> Result<Vec<Arc<ServedSession>>, ErrorText> {
        self.open()?;
        let is_full = self.copies.len() >= self.most;
        let evicted = if is_full { self.evict() } else { Vec::new() };
        if is_full && evicted.is_empty() {
            return Err(full(self.most));
        }
        self.copies.insert(key_of(session.id()), session);
        Ok(evicted)
    }

    /// Removes some of the quiet copies: those that were used least recently. Several at once, since all have to be looked
    /// at to find them.
    fn evict(&mut self) -> Vec<Arc<ServedSession>> {
        let some = self.copies.len() / EVICTED_PART + 1;
        let is_quiet = |copy: &ServedSession| copy.is_quiet() && copy.replay.unfinished().is_empty();
        let quiet = self.copies.iter().filter(|(_, copy)| is_quiet(copy));
        let mut quiet: Vec<_> = quiet.map(|(key, copy)| (copy.last_used(), key.clone())).collect();
        if some < quiet.len() {
            quiet.select_nth_unstable(some);
            quiet.truncate(some);
        }
        quiet.iter().filter_map(|(_, key)| self.copies.remove(key)).collect()
    }

    /// Looks up a session by id.
    pub(super) fn find(&self, id: &str) -> Option<&Arc<ServedSession>> {
        self.known_as(&key_of(id))
    }

    /// Looks up a session by what stores know of its id.
    pub(super) fn known_as(&self, key: &str) -> Option<&Arc<ServedSession>> {
        self.opened.get(key).or_else(|| self.copies.get(key))
    }

    /// Removes a session.
    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<ServedSession>> {
        let key = key_of(id);
        self.opened.remove(&key).or_else(|| self.copies.remove(&key))
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<ServedSession>> {
        self.opened.values().chain(self.copies.values())
    }
}
