//! All tasks of clients.

use std::{collections::HashMap, sync::Arc, time::Instant};

use mcp_disclosure_core::{Principal, given::shown};
use mcp_disclosure_transport::ErrorText;
use parking_lot::Mutex;

use super::task::{Origin, Task};
use crate::{
    backend::BackendGuard,
    dispatch::{RequestContext, common::text_of},
};

/// The tasks that clients may ask for.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    by_id: Mutex<HashMap<Arc<str>, Arc<Task>>>,
}

impl Tasks {
    pub(super) fn add(&self, task: Arc<Task>) {
        self.by_id.lock().insert(Arc::clone(&task.called.id), task);
    }

    pub(super) fn remove(&self, task: &Task) {
        let _removed = self.by_id.lock().remove(&task.called.id);
    }

    /// The task of this id that is for a caller with this view, which is kept for longer now. Another's is unknown.
    pub(super) fn find(&self, cx: &RequestContext<'_>, id: &str) -> Option<Arc<Task>> {
        let task = self.by_id.lock().get(id).cloned();
        let owned = task.filter(|task| task.is_for(cx));
        owned.inspect(|task| task.life.lock().used = Instant::now())
    }

    /// The caller's task that a request names.
    ///
    /// # Errors
    /// -32602 if there is none.
    pub(super) fn named(&self, cx: &RequestContext<'_>) -> Result<Arc<Task>, ErrorText> {
        let id = text_of(cx.params, "taskId")?;
        let unknown = || ErrorText::invalid_params(format_args!("Unknown task: {}", shown(&id)));
        self.find(cx, &id).ok_or_else(unknown)
    }

    /// Whether the caller has a task of this id.
    pub(crate) fn has(&self, cx: &RequestContext<'_>, id: &str) -> bool {
        self.find(cx, id).is_some()
    }

    /// The caller's tasks, in the order in which they were created.
    pub(super) fn of(&self, cx: &RequestContext<'_>) -> Vec<Arc<Task>> {
        let mut owned: Vec<Arc<Task>> =
            self.by_id.lock().values().filter(|task| task.is_of(cx)).cloned().collect();
        owned.retain(|task| task.is_for(cx));
        owned.sort_by_key(|task| task.begun);
        owned
    }

    /// The upstreams of a client without session that the task of a request keeps.
    pub(crate) fn guard(&self, id: &str, principal: &Principal) -> Option<Arc<BackendGuard>> {
        let task = self.by_id.lock().get(id).cloned()?;
        match &task.origin {
            Origin::Upstream(at) if task.principal.as_deref() == principal.id() => at.guard.clone(),
            _ => None,
        }
    }

    /// Forgets what this peer needs least: what is late, and of what is over the oldest. Returns whether there was any.
    pub(super) fn make_room(&self, peer: &str) -> bool {
        let mut tasks = self.by_id.lock();
        let forgotten = needed_least(&tasks, peer).and_then(|id| tasks.remove(&id));
        drop(tasks);
        forgotten.map(Task::abandon).is_some()
    }

    /// Whether there is any.
    pub(super) fn can_make_room(&self, peer: &str) -> bool {
        needed_least(&self.by_id.lock(), peer).is_some()
    }

    /// Forgets what is late, and notes what was lost.
    pub(crate) fn sweep(&self) {
        let late: Vec<Arc<Task>> =
            self.by_id.lock().extract_if(|_, task| task.is_late()).map(|(_, late)| late).collect();
        late.into_iter().for_each(Task::abandon);
        let lost: Vec<Arc<Task>> =
            self.by_id.lock().values().filter(|task| task.is_lost()).cloned().collect();
        lost.iter().for_each(|task| task.called.end());
    }

    /// Forgets all.
    pub(crate) fn forget_all(&self) {
        let _all = std::mem::take(&mut *self.by_id.lock());
    }
}

fn needed_least(tasks: &HashMap<Arc<str>, Arc<Task>>, peer: &str) -> Option<Arc<str>> {
    let own = tasks.values().filter(|task| *task.peer == *peer && (task.is_late() || task.called.is_over()));
    own.min_by_key(|task| (!task.is_late(), task.begun)).map(|task| Arc::clone(&task.called.id))
}
