//! The methods of tasks, and notifications to clients without session about theirs, where they ask for them (`taskIds` of
//! `subscriptions/listen`).

use std::hash::{BuildHasher, RandomState};

use futures::{
    StreamExt,
    future::{join_all, pending},
    stream,
};
use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, Notification};

use super::{
    super::Calls,
    ask::{Asking, POLLING, interval},
    task::{Failure, Origin},
};
use crate::{
    dialect::{complete, needs_tasks},
    dispatch::{Answer, RequestContext, lists::no_cursor},
    upstream::{is_final, named},
};

/// How many tasks of a list are asked for at a time at their upstreams.
const AT_ONCE: usize = 20;

impl Calls {
    /// A request about tasks.
    ///
    /// # Errors
    /// -32601 if the client's revision does not have it; -32021 if the client does not declare the extension; -32602 if there is
    /// no such task of the caller's; the upstream's error.
    pub(crate) async fn of_tasks(&self, cx: &RequestContext<'_>) -> Answer {
        match (&*cx.request.method, cx.era()) {
            (_, Era::Stateless) if !cx.choice.traits.tasks => Err(needs_tasks()),
            (_, Era::Session) if !cx.choice.traits.tasks => Err(ErrorText::method_not_found()),
            ("tasks/get", _) => self.task(cx).await,
            ("tasks/cancel", _) => self.cancel_task(cx).await,
            ("tasks/result", Era::Session) => self.task_result(cx).await,
            ("tasks/list", Era::Session) => self.task_list(cx).await,
            ("tasks/update", Era::Stateless) => self.update_task(cx).await,
            _ => Err(ErrorText::method_not_found()),
        }
    }

    /// `tasks/get`.
    async fn task(&self, cx: &RequestContext<'_>) -> Answer {
        let task = self.tasks.named(cx)?;
        let state = match task.asked(cx) {
            Some(asking) => asking.state(cx.params).await?,
            None => task.state("completed", None),
        };
        Ok(complete(cx.era(), state.into()))
    }

    /// `tasks/result` (2025-11-25).
    async fn task_result(&self, cx: &RequestContext<'_>) -> Answer {
        let task = self.tasks.named(cx)?;
        match &task.origin {
            Origin::Upstream(at) => {
                let asking = Asking { cx, task: &task, at };
                asking.result(cx.params).await.map(Json::from)
            }
            Origin::Answered { result, .. } => {
                let result = RawObject::parse(result.as_str()).unwrap_or_default();
                Ok(named(&result.retain(|key| key != "resultType"), Some(task.id())).into())
            }
        }
    }

    /// `tasks/list` (2025-11-25).
    async fn task_list(&self, cx: &RequestContext<'_>) -> Answer {
        no_cursor(cx.params)?;
        let states = stream::iter(self.tasks.of(cx)).map(|task| async move {
            match task.asked(cx) {
                // What its upstream has forgotten is no task any more.
                Some(asking) => asking.state(&RawObject::empty()).await.ok(),
                None => Some(task.state("completed", None)),
            }
        });
        let states: Vec<Option<RawObject>> = states.buffered(AT_ONCE).collect().await;
        Ok(RawObject::empty().with_list("tasks", states.iter().flatten()).into())
    }

    /// `tasks/cancel`.
    async fn cancel_task(&self, cx: &RequestContext<'_>) -> Answer {
        let task = self.tasks.named(cx)?;
        let Some(asking) = task.asked(cx) else { return Err(is_over("completed")) };
        let crosses = (cx.era(), asking.at.era) == (Era::Session, Era::Stateless);
        if crosses {
            // Since 2026-07-28 it is no error that there is nothing to cancel.
            let status = asking.state(&RawObject::empty()).await?.string("status").unwrap_or_default();
            if is_final(&status) {
                return Err(is_over(&status));
            }
        }
        match (cx.era(), asking.ask("tasks/cancel", cx.params).await) {
            // It may go on nevertheless.
            (Era::Session, Ok(_)) if crosses => Ok(asking.state(&RawObject::empty()).await?.into()),
            (Era::Session, Ok(state)) => {
                task.observe(&state);
                Ok(state.with_value("taskId", &**task.id()).into())
            }
            (Era::Session, Err(Failure::Lost(_))) => Err(is_over("failed")),
            (Era::Session, Err(failure)) => Err(failure.into()),
            (Era::Stateless, Err(Failure::Other(error))) => Err(error),
            (Era::Stateless, _) => Ok(complete(Era::Stateless, Json::empty_object())),
        }
    }

    /// `tasks/update` (since 2026-07-28).
    async fn update_task(&self, cx: &RequestContext<'_>) -> Answer {
        let task = self.tasks.named(cx)?;
        let responses = cx.params.object("inputResponses");
        let responses =
            responses.ok_or_else(|| ErrorText::invalid_params("params.inputResponses must be an object"))?;
        let Some(asking) = task.asked(cx) else { return Err(is_over("completed")) };
        let answer = match &asking.at.conversation {
            // Answers to what was not asked are ignored.
            Some(conversation) => {
                conversation.lock().await.deliver(&responses);
                RawObject::empty()
            }
            None => asking.ask("tasks/update", cx.params).await?,
        };
        Ok(complete(Era::Stateless, answer.into()))
    }

    /// Tells the states of these tasks of the caller's: first as they are, then whenever one changes. It ends only by being dropped.
    pub(in crate::dispatch) async fn follow_tasks(
        &self,
        cx: &RequestContext<'_>,
        ids: &[String],
        tell: impl Fn(&Notification),
    ) {
        join_all(ids.iter().map(|id| self.follow_task(cx, id, &tell))).await;
        pending().await
    }

    /// Asks the upstream, as the client would, until the task is over or forgotten: not every upstream tells of itself.
    async fn follow_task(&self, cx: &RequestContext<'_>, id: &str, tell: impl Fn(&Notification)) {
        // States have results in them, and are not kept.
        let hasher = RandomState::new();
        let mut told = None;
        loop {
            // Each time it is decided by what exists then.
            let page = cx.page();
            let cx = cx.of(cx.caller, &page);
            let Some(task) = self.tasks.find(&cx, id) else { return };
            let Some(asking) = task.asked(&cx) else { return };
            let again = match asking.state(&RawObject::empty()).await {
                Ok(state) => {
                    let digest = hasher.hash_one(state.text());
                    if told.replace(digest) != Some(digest) {
                        let params = state.retain(|key| key != "resultType");
                        tell(&Notification::new("notifications/tasks", params));
                    }
                    if state.string("status").is_none_or(|status| is_final(&status)) {
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

/// The error for a task that cannot be cancelled any more.
fn is_over(status: &str) -> ErrorText {
    ErrorText::invalid_params(format_args!("the task cannot be cancelled: it is {status}"))
}
