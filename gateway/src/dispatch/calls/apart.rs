//! Clients that read the description of a tool in one session and call it in another, which is known by what they do: their
//! receipts are signed (docs/CONTRACT.md R8, decision 0023).

use std::{fmt, sync::Arc};

use crate::dispatch::Caller;
use mcp_disclosure_core::{Digest, SessionReceipts, ToolName};
use quick_cache::sync::Cache;

/// How many clients, and how many readings of tools, are remembered.
const MOST: usize = 10_000;

/// Marks that outlive the process, where each session is a process of its own.
pub trait KeptMarks: fmt::Debug + Send + Sync {
    /// Whether this mark is kept.
    fn has(&self, mark: &str) -> bool;

    /// Keeps it.
    fn keep(&self, mark: &str);

    /// Forgets it.
    fn forget(&self, mark: &str);
}

/// What clients read and call, by session.
#[derive(Debug)]
pub(super) struct Apart {
    /// The session in which a client read a tool that it has not called there since.
    read: Cache<Digest, Arc<str>>,
    /// Whether a client is one of these.
    known: Cache<Digest, bool>,
    kept: Option<Arc<dyn KeptMarks>>,
}

impl Apart {
    pub(super) fn new(kept: Option<Arc<dyn KeptMarks>>) -> Self {
        Self { read: Cache::new(MOST), known: Cache::new(MOST), kept }
    }

    /// Whether the client is known to call in other sessions than it reads in.
    pub(super) fn is_known(&self, caller: &Caller) -> bool {
        let client = client(caller);
        self.known.get(&client).unwrap_or_else(|| {
            let is_known = self.kept.as_ref().is_some_and(|kept| kept.has(&client.to_string()));
            self.known.insert(client, is_known);
            is_known
        })
    }

    /// Notes that a description is delivered in a session.
    pub(super) fn reads(&self, caller: &Caller, tool: &ToolName) {
        let Some(session) = follows(caller).filter(|_| !self.is_known(caller)) else { return };
        let read = key(caller, Some(tool));
        self.kept.iter().for_each(|kept| kept.keep(&read.to_string()));
        self.read.insert(read, session);
    }

    /// Notes that a tool is called, and may be.
    pub(super) fn calls(&self, caller: &Caller, tool: &ToolName) {
        let Some(session) = follows(caller).filter(|_| !self.read.is_empty()) else { return };
        let read = key(caller, Some(tool));
        if self.read.get(&read).is_some_and(|reader| reader == session) {
            self.read.remove(&read);
            self.kept.iter().for_each(|kept| kept.forget(&read.to_string()));
        }
    }

    /// Notes that a tool is called in a session in which nothing was read.
    pub(super) fn calls_unread(&self, caller: &Caller, tool: &ToolName) {
        let Some(session) = follows(caller) else { return };
        let read = key(caller, Some(tool));
        let is_read = match self.read.get(&read) {
            Some(reader) => reader != session,
            None => self.kept.as_ref().is_some_and(|kept| kept.has(&read.to_string())),
        };
        if is_read {
            let client = client(caller);
            tracing::info!(
                session = %caller.label,
                "the client reads descriptions in one session and calls in another: its receipts are signed"
            );
            self.kept.iter().for_each(|kept| kept.keep(&client.to_string()));
            self.known.insert(client, true);
        }
    }
}

/// The session of a caller whose receipts depend on this.
fn follows(caller: &Caller) -> Option<Arc<str>> {
    let session = caller.session.as_ref()?;
    let is_auto = caller.choice.strategy.profile().receipts == SessionReceipts::Auto;
    is_auto.then(|| Arc::clone(session.id()))
}

/// The client of a caller, which is asked for with each call.
fn client(caller: &Caller) -> Digest {
    let of = || key(caller, None);
    caller.session.as_ref().map_or_else(of, |session| *session.client_digest.get_or_init(of))
}

/// A client, or what it reads of a tool: by its peer and what it calls itself, so that other clients of the peer are not meant.
fn key(caller: &Caller, tool: Option<&ToolName>) -> Digest {
    let tool = tool.map_or("", |tool| tool.as_str());
    Digest::of_parts([caller.peer.name(), caller.who().client, tool])
}
