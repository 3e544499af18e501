//! What clients call the tasks of an upstream, whose messages name them by ids of its own.

use std::{
    any::Any,
    collections::{HashMap, VecDeque},
    fmt, mem,
    sync::{Arc, Weak},
    time::Duration,
};

use mcp_disclosure_core::RawObject;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::session::Client;

/// The member of `_meta` that names the task to which a message belongs.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Maximum length of an upstream's id of a task, in bytes.
pub(crate) const LONGEST_ID: usize = 1_024;

/// How long a question waits for its task to be known: the answer that creates the task may not be read yet.
const BECOMING_KNOWN: Duration = Duration::from_secs(5);

/// How many tasks may be over before they are known.
const MOST_EARLY: usize = 64;

/// A task as its client knows it.
pub struct ClientTask {
    /// Its id for the client.
    pub id: Arc<str>,
    client: Box<dyn Fn() -> Option<Arc<Client>> + Send + Sync>,
    life: Mutex<Life>,
}

impl fmt::Debug for ClientTask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientTask").field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Debug)]
enum Life {
    /// It runs, and this is held for as long.
    Running(Option<Box<dyn Any + Send>>),
    Over,
}

impl ClientTask {
    /// A task that runs, with an id for its client, which is that of a session for as long as it has one and the task exists for it.
    pub fn new(id: Arc<str>, client: impl Fn() -> Option<Arc<Client>> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { id, client: Box::new(client), life: Mutex::new(Life::Running(None)) })
    }

    /// The client that hears of it, if there is one.
    pub fn client(&self) -> Option<Arc<Client>> {
        (self.client)()
    }

    /// Holds what its running takes until it is known to be over.
    pub fn hold(&self, held: impl Any + Send) {
        if let Life::Running(holds) = &mut *self.life.lock() {
            *holds = Some(Box::new(held));
        }
    }

    /// Notes what its upstream says of it.
    pub fn observe(&self, state: &RawObject) {
        if state.string("status").is_some_and(|status| is_final(&status)) {
            self.end();
        }
    }

    /// It is over.
    pub fn end(&self) {
        // What it held is dropped after the lock is released.
        let _held = mem::replace(&mut *self.life.lock(), Life::Over);
    }

    /// Whether it is known to be over.
    pub fn is_over(&self) -> bool {
        matches!(*self.life.lock(), Life::Over)
    }
}

/// Whether a task in this status does not change any more.
pub(crate) fn is_final(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

/// The tasks of a connection, by the upstream's ids.
#[derive(Debug, Default)]
pub(super) struct TaskNames {
    known: watch::Sender<HashMap<String, Weak<ClientTask>>>,
    /// Those that were over before the answers that created them were read, the last of them.
    early: Mutex<VecDeque<String>>,
}

impl TaskNames {
    /// Knows a task from now on, for as long as it is kept elsewhere.
    pub(super) fn add(&self, own: &str, task: &Arc<ClientTask>) {
        self.known.send_modify(|tasks| {
            tasks.retain(|_, task| task.strong_count() > 0);
            tasks.insert(own.to_owned(), Arc::downgrade(task));
        });
        if self.early.lock().iter().any(|early| early == own) {
            task.end();
        }
    }

    /// Notes what the upstream says of a task, and gives the task if it is known.
    pub(super) fn observe(&self, state: &RawObject) -> Option<Arc<ClientTask>> {
        let own = state.string("taskId")?;
        let mut early = self.early.lock();
        let task = self.find(&own);
        match &task {
            Some(task) => task.observe(state),
            None if own.len() <= LONGEST_ID
                && state.string("status").is_some_and(|status| is_final(&status)) =>
            {
                if early.len() == MOST_EARLY {
                    early.pop_front();
                }
                early.push_back(own);
            }
            None => {}
        }
        task
    }

    /// The task of this id of the upstream's.
    pub(super) fn find(&self, own: &str) -> Option<Arc<ClientTask>> {
        self.known.borrow().get(own)?.upgrade()
    }

    /// The upstream's ids of those that are not known to be over.
    pub(super) fn open(&self) -> Vec<String> {
        let is_open = |task: &Weak<ClientTask>| task.upgrade().is_some_and(|task| !task.is_over());
        self.known.borrow().iter().filter(|(_, task)| is_open(task)).map(|(own, _)| own.clone()).collect()
    }

    /// The parameters of a message, with the task as its client knows it; without it if it is unknown.
    pub(super) fn renamed(&self, params: &RawObject) -> RawObject {
        match related(params) {
            Some(own) => named(params, self.find(&own).as_ref().map(|task| &*task.id)),
            None => params.clone(),
        }
    }

    /// Waits until the task that the parameters of a question name is known, if they name any.
    pub(super) async fn known(&self, params: &RawObject) {
        if let Some(own) = related(params) {
            let mut tasks = self.known.subscribe();
            let known = tasks.wait_for(|tasks| tasks.contains_key(&own));
            let _unknown = tokio::time::timeout(BECOMING_KNOWN, known).await;
        }
    }
}

/// The task that a message names in its `_meta`.
pub(super) fn related(message: &RawObject) -> Option<String> {
    message.object("_meta")?.object(RELATED)?.string("taskId")
}

/// The message with the task of this id in its `_meta`, or none.
pub(crate) fn named(message: &RawObject, id: Option<&str>) -> RawObject {
    let meta = message.object("_meta").unwrap_or_default();
    let meta = match id {
        Some(id) => meta.with(RELATED, RawObject::empty().with_value("taskId", id).text()),
        None => meta.retain(|key| key != RELATED),
    };
    if meta.is_empty() {
        return message.retain(|key| key != "_meta");
    }
    message.with("_meta", meta.text())
}
