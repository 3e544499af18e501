//! What clients call the tasks of an upstream, whose messages name them by ids of its own.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use mcp_disclosure_core::RawObject;
use tokio::sync::watch;

use crate::session::Client;

/// The member of `_meta` that names the task to which a message belongs.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// How long a question waits for its task to be known: the answer that creates the task may not be read yet.
const BECOMING_KNOWN: Duration = Duration::from_secs(5);

/// A task as its client knows it.
#[derive(Debug)]
pub struct ClientTask {
    /// Its id for the client.
    pub id: Arc<str>,
    /// The client of its session.
    pub client: Weak<Client>,
}

/// The tasks of a connection, by the upstream's ids.
#[derive(Debug, Default)]
pub(super) struct TaskNames(watch::Sender<HashMap<String, Weak<ClientTask>>>);

impl TaskNames {
    /// Knows a task from now on, for as long as it is kept elsewhere.
    pub(super) fn add(&self, own: &str, task: &Arc<ClientTask>) {
        self.0.send_modify(|tasks| {
            tasks.retain(|_, task| task.strong_count() > 0);
            tasks.insert(own.to_owned(), Arc::downgrade(task));
        });
    }

    /// The task of this id of the upstream's.
    pub(super) fn find(&self, own: &str) -> Option<Arc<ClientTask>> {
        self.0.borrow().get(own)?.upgrade()
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
            let mut tasks = self.0.subscribe();
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
