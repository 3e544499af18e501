//! Notifications to clients without session about their tasks, where they ask for them (`taskIds` of `subscriptions/listen`).

use std::hash::{BuildHasher, RandomState};

use futures::future::{join_all, pending};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::Notification;

use super::{
    super::Calls,
    ask::{POLLING, interval},
    form,
    task::Failure,
};
use crate::{catalogue::Page, dispatch::Caller};

impl Calls {
    /// Tells the states of these tasks of the caller's: first as they are, then whenever one changes. It ends only by being dropped.
    pub(in crate::dispatch) async fn follow_tasks(
        &self,
        caller: &Caller,
        page: &Page,
        ids: &[String],
        tell: impl Fn(&Notification),
    ) {
        join_all(ids.iter().map(|id| self.follow_task(caller, page, id, &tell))).await;
        pending().await
    }

    /// Asks the upstream, as the client would, until the task is over or forgotten: not every upstream tells of itself.
    async fn follow_task(&self, caller: &Caller, page: &Page, id: &str, tell: impl Fn(&Notification)) {
        // States have results in them, and are not kept.
        let hasher = RandomState::new();
        let mut told = None;
        while let Some(task) = self.tasks.find(caller, id) {
            let Some(asking) = task.asked(caller, &page.view) else { return };
            let again = match asking.state(&RawObject::empty()).await {
                Ok(state) => {
                    let digest = hasher.hash_one(state.text());
                    if told.replace(digest) != Some(digest) {
                        let params = state.retain(|key| key != "resultType");
                        tell(&Notification::new("notifications/tasks", params));
                    }
                    if state.string("status").is_none_or(|status| form::is_over(&status)) {
                        return;
                    }
                    interval(&state)
                }
                Err(Failure::Other(_)) => POLLING,
                Err(_) => return,
            };
            tokio::time::sleep(again).await;
        }
    }
}
