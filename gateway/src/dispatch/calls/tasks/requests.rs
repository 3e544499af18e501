//! The methods of tasks, and notifications to clients without session about theirs, where they ask for them (`taskIds` of
//! `subscriptions/listen`).

use std::hash::{BuildHasher, RandomState};

use futures::{StreamExt, stream};
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
        let state = self.tasks.named(cx)?.current(cx, cx.params).await?;
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
                Ok(named(&result.retain(|key| key != "resultType"), Some(&task.called.id)).into())
            }
        }
    }

    /// `tasks/list` (2025-11-25).
    async fn task_list(&self, cx: &RequestContext<'_>) -> Answer {
        no_cursor(cx.params)?;
        let tasks = stream::iter(self.tasks.of(cx));
        let states = tasks.map(|task| async move { task.current(cx, &RawObject::empty()).await });
        let states: Vec<_> = states.buffered(AT_ONCE).collect().await;
        // What its upstream has forgotten is no task any more.
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
                Ok(state.with_value("taskId", &*task.called.id).into())
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

    /// Tells the state of a task of the caller's: first as it is, then whenever it changes, until it is over or forgotten. The upstream
    /// is asked, as the client would: not every one tells of itself.
    pub(in crate::dispatch) async fn follow_task(
        &self,
        cx: &RequestContext<'_>,
        id: &str,
        tell: impl Fn(&Notification),
    ) {
        // States have results in them, and are not kept.
        let hasher = RandomState::new();
        let mut told = None;
        loop {
            // Each time it is decided by what exists then.
            let page = cx.page();
            let cx = cx.of(cx.caller, &page);
            let Some(task) = self.tasks.find(&cx, id) else { return };
            let again = match task.current(&cx, &RawObject::empty()).await {
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
