//! The methods of tasks, and notifications to clients without session about theirs, where they ask for them (`taskIds` of
//! `subscriptions/listen`).

use std::hash::{BuildHasher, RandomState};

use futures::future::{join_all, pending};
use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, Notification, Request};

use super::{
    super::Calls,
    ask::{Asking, POLLING, interval},
    task::{Failure, Origin},
};
use crate::{
    catalogue::Page,
    dialect::{complete, needs_tasks},
    dispatch::{Answer, Caller},
    upstream::{is_final, named},
};

/// The number of tasks in one page of a list: each is asked for at its upstream.
const PAGE: usize = 20;

impl Calls {
    /// A request about tasks.
    ///
    /// # Errors
    /// -32601 if the client's revision does not have it; -32021 if the client does not declare the extension; -32602 if there is
    /// no such task of the caller's; the upstream's error.
    pub(crate) async fn of_tasks(&self, caller: &Caller, page: &Page, request: &Request) -> Answer {
        let params = &request.params;
        match (&*request.method, caller.era()) {
            (_, Era::Stateless) if !caller.choice.traits.tasks => Err(needs_tasks()),
            (_, Era::Session) if !caller.choice.traits.tasks => Err(ErrorText::method_not_found()),
            ("tasks/get", _) => self.task(caller, page, params).await,
            ("tasks/cancel", _) => self.cancel_task(caller, page, params).await,
            ("tasks/result", Era::Session) => self.task_result(caller, page, params).await,
            ("tasks/list", Era::Session) => self.task_list(caller, page, params).await,
            ("tasks/update", Era::Stateless) => self.update_task(caller, page, params).await,
            _ => Err(ErrorText::method_not_found()),
        }
    }

    /// `tasks/get`.
    async fn task(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let task = self.tasks.named(caller, &page.view, params)?;
        let state = match task.asked(caller, &page.view) {
            Some(asking) => asking.state(params).await?,
            None => task.state("completed", None),
        };
        Ok(complete(caller.era(), state.into()))
    }

    /// `tasks/result` (2025-11-25).
    async fn task_result(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let task = self.tasks.named(caller, &page.view, params)?;
        match &task.origin {
            Origin::Upstream(at) => {
                let asking = Asking { caller, view: &page.view, task: &task, at };
                asking.result(params).await.map(Json::from)
            }
            Origin::Answered { result, .. } => {
                let result = RawObject::parse(result.as_str()).unwrap_or_default();
                Ok(named(&result.retain(|key| key != "resultType"), Some(task.id())).into())
            }
        }
    }

    /// `tasks/list` (2025-11-25).
    async fn task_list(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let invalid = || ErrorText::invalid_params("params.cursor was not issued here");
        let after = match params.member("cursor") {
            None => None,
            Some(_) => {
                let cursor = params.string("cursor").and_then(|cursor| cursor.parse::<u64>().ok());
                Some(cursor.ok_or_else(invalid)?)
            }
        };
        let mut tasks = self.tasks.of(caller, &page.view);
        tasks.retain(|task| after.is_none_or(|after| task.number > after));
        let next = (tasks.len() > PAGE).then(|| tasks[PAGE - 1].number.to_string());
        tasks.truncate(PAGE);
        let states = tasks.iter().map(|task| async {
            match task.asked(caller, &page.view) {
                // What its upstream has forgotten is no task any more.
                Some(asking) => asking.state(&RawObject::empty()).await.ok(),
                None => Some(task.state("completed", None)),
            }
        });
        let list = RawObject::empty().with_list("tasks", join_all(states).await.iter().flatten());
        Ok(next.iter().fold(list, |list, next| list.with_value("nextCursor", next)).into())
    }

    /// `tasks/cancel`.
    async fn cancel_task(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let task = self.tasks.named(caller, &page.view, params)?;
        let Some(asking) = task.asked(caller, &page.view) else { return Err(is_over("completed")) };
        let cancelled = match (caller.era(), asking.at.era) {
            (Era::Session, Era::Session) => {
                let answer = asking.ask("tasks/cancel", params).await;
                answer.map(|state| state.with_value("taskId", &**task.id()))
            }
            (Era::Session, Era::Stateless) => return self.cancel_and_look(&asking, params).await,
            (Era::Stateless, _) => {
                // In this era it is no error that there is nothing to cancel.
                asking.ask("tasks/cancel", params).await.map(|_| RawObject::empty())
            }
        };
        match (cancelled, caller.era()) {
            (Ok(state), era) => {
                task.observe(&state);
                Ok(complete(era, state.into()))
            }
            (Err(Failure::Lost(_)), Era::Session) => Err(is_over("failed")),
            (Err(Failure::Lost(_) | Failure::Answered(_)), Era::Stateless) => {
                Ok(complete(Era::Stateless, Json::empty_object()))
            }
            (Err(failure), _) => Err(failure.into()),
        }
    }

    /// Cancels a task that may go on nevertheless, and says what has become of it.
    async fn cancel_and_look(&self, asking: &Asking<'_>, params: &RawObject) -> Answer {
        let status = asking.state(&RawObject::empty()).await?.string("status").unwrap_or_default();
        if is_final(&status) {
            return Err(is_over(&status));
        }
        asking.ask("tasks/cancel", params).await?;
        Ok(asking.state(&RawObject::empty()).await?.into())
    }

    /// `tasks/update` (since 2026-07-28).
    async fn update_task(&self, caller: &Caller, page: &Page, params: &RawObject) -> Answer {
        let task = self.tasks.named(caller, &page.view, params)?;
        let responses = params.object("inputResponses");
        let responses =
            responses.ok_or_else(|| ErrorText::invalid_params("params.inputResponses must be an object"))?;
        let Some(asking) = task.asked(caller, &page.view) else { return Err(is_over("completed")) };
        match (asking.at.era, &asking.at.conversation) {
            (Era::Stateless, _) => {
                let answer = asking.ask("tasks/update", params).await?;
                Ok(complete(Era::Stateless, answer.into()))
            }
            (Era::Session, conversation) => {
                // Answers to what was not asked are ignored.
                if let Some(conversation) = conversation {
                    conversation.lock().await.dialogue.deliver(&responses);
                }
                Ok(complete(Era::Stateless, Json::empty_object()))
            }
        }
    }

    /// Tells the states of these tasks of the caller's: first as they are, then whenever one changes. It ends only by being dropped.
    pub(in crate::dispatch) async fn follow_tasks(
        &self,
        caller: &Caller,
        ids: &[String],
        tell: impl Fn(&Notification),
    ) {
        join_all(ids.iter().map(|id| self.follow_task(caller, id, &tell))).await;
        pending().await
    }

    /// Asks the upstream, as the client would, until the task is over or forgotten: not every upstream tells of itself.
    async fn follow_task(&self, caller: &Caller, id: &str, tell: impl Fn(&Notification)) {
        // States have results in them, and are not kept.
        let hasher = RandomState::new();
        let mut told = None;
        loop {
            // Each time it is decided by what exists then.
            let (caller, page) = (caller.undecided(), caller.page());
            caller.decides_with(&self.common, &page);
            let Some(task) = self.tasks.find(&caller, &page.view, id) else { return };
            let Some(asking) = task.asked(&caller, &page.view) else { return };
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
