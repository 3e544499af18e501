//! What upstreams say of tasks, in the form of the client's era.

use std::{collections::HashSet, sync::Arc, time::Duration};

use mcp_disclosure_core::{Era, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, code};

use super::{
    super::{
        links::{self, Unseen},
        relay::answers,
        rounds::BATCH_WINDOW,
        skills,
    },
    form,
    task::{Failure, Origin, RunningAt, Task},
};
use crate::{
    dialect::RequestMeta,
    dispatch::RequestContext,
    upstream::{CallError, Upstream, named},
};

/// Maximum questions of a task that its client is asked.
const MOST_QUESTIONS: usize = 1_000;

/// How often an upstream is asked that does not say how often it wants to be.
pub(super) const POLLING: Duration = Duration::from_secs(1);

/// How often it is asked at most, and at least, whatever it says.
const POLLING_BOUNDS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(60));

/// A task at an upstream, and who asks for it.
pub(super) struct Asking<'a> {
    pub(super) cx: &'a RequestContext<'a>,
    pub(super) task: &'a Task,
    pub(super) at: &'a RunningAt,
}

impl Asking<'_> {
    /// The upstream's answer to a request about the task, as far as the caller may see it. The parameters are the client's.
    pub(super) async fn ask(&self, method: &'static str, params: &RawObject) -> Result<RawObject, Failure> {
        let upstream = self.at.upstream(self.cx).await?;
        let params = params.with_value("taskId", &self.at.own);
        let params = match (self.cx.era(), self.at.era) {
            (Era::Session, Era::Session) | (Era::Stateless, Era::Stateless) => params,
            (Era::Stateless, Era::Session) => RequestMeta::strip(&params),
            (Era::Session, Era::Stateless) => {
                RequestMeta::with_tasks(&RequestMeta::ours(&params, &RawObject::empty()), true)
            }
        };
        let answered = upstream.request(self.cx.upstream_call(method, params)).await;
        let answered = answered.map_err(|error| self.failed(&upstream, method, error))?;
        skills::looked_for(self.cx.reached(), &answered).await;
        Unseen::new(&upstream, answered).object(&self.cx.page.view).map_err(Failure::Other)
    }

    fn failed(&self, upstream: &Arc<Upstream>, method: &str, error: CallError) -> Failure {
        match error {
            CallError::Answered(error) => Failure::Answered(error),
            _ if upstream.connection().is_ended() && !self.at.outlasts_connection => {
                Failure::Lost(self.at.lost())
            }
            other => Failure::Other(upstream.no_result(method, other)),
        }
    }

    /// The state of the task, as the client's era has it.
    pub(super) async fn state(&self, params: &RawObject) -> Result<RawObject, Failure> {
        let state = match self.ask("tasks/get", params).await {
            Ok(state) => state,
            Err(Failure::Lost(error)) => return Ok(self.lost(&error)),
            Err(other) => return Err(other),
        };
        let state = state.with_value("taskId", &*self.task.called.id);
        let state = form::translated(&state, self.at.era, self.cx.era());
        let state = self.detailed(state).await.map_err(Failure::Other)?;
        self.task.observe(&state);
        Ok(state)
    }

    /// The state of a task whose upstream was lost.
    fn lost(&self, error: &ErrorText) -> RawObject {
        self.task.called.end();
        let state = self.task.state("failed", Some(&error.message()));
        match self.cx.era() {
            Era::Session => state,
            Era::Stateless => state.with("error", error.text().as_str()),
        }
    }

    /// The state of a task that a stateless client has at an upstream with a session, with what the extension has in it: questions,
    /// and the result or the error.
    async fn detailed(&self, state: RawObject) -> Result<RawObject, ErrorText> {
        let Some(conversation) = &self.at.conversation else { return Ok(state) };
        let mut conversation = conversation.lock().await;
        drop(conversation.within(BATCH_WINDOW).await);
        let questions = conversation.requests();
        if !questions.is_empty() {
            let questions = self.part(&questions, true)?;
            let state = state.with("status", r#""input_required""#);
            return Ok(state.with("inputRequests", questions.text()));
        }
        let working = |state: RawObject| Ok(state.with("status", r#""working""#));
        match state.string("status").as_deref() {
            Some("completed" | "failed") => {}
            // The question is on its way, or is refused, since no client can be asked.
            Some("input_required") => return working(state),
            _ => return Ok(state),
        }
        let outcome = match conversation.within(POLLING).await {
            Some(Ok(result)) => self.seen(result),
            Some(Err(CallError::Answered(error))) => Err(Failure::Answered(error)),
            // The request was lost that waited for it.
            Some(Err(_)) => self.ask("tasks/result", &RawObject::empty()).await,
            // It has asked something more, or its result is on its way.
            None => return working(state),
        };
        match outcome {
            Ok(result) => {
                let result = named(&result, None).with("resultType", r#""complete""#);
                Ok(state.with("status", r#""completed""#).with("result", result.text()))
            }
            Err(Failure::Answered(error)) => {
                Ok(state.with("status", r#""failed""#).with("error", error.text().as_str()))
            }
            Err(Failure::Lost(error)) => Ok(self.lost(&error)),
            Err(Failure::Other(error)) => Err(error),
        }
    }

    /// A result that came with a conversation, as far as the caller may see it.
    fn seen(&self, result: Json) -> Result<RawObject, Failure> {
        let result = RawObject::parse(result.as_str()).map_err(|_| links::illegible(self.at.name()));
        result.and_then(|result| self.part(&result, false)).map_err(Failure::Other)
    }

    fn part(&self, part: &RawObject, named: bool) -> Result<RawObject, ErrorText> {
        let upstream = self.at.upstream.upgrade();
        links::part(&self.cx.page.view, (self.at.name(), upstream.as_deref()), part, named)
    }

    /// The result of the task, once it has one, for a client with a session.
    pub(super) async fn result(&self, params: &RawObject) -> Result<RawObject, ErrorText> {
        let result = match self.at.era {
            Era::Session => self.ask("tasks/result", params).await,
            Era::Stateless => Box::pin(self.polled()).await,
        };
        if !matches!(result, Err(Failure::Other(_))) {
            self.task.called.end();
        }
        Ok(named(&result?, Some(&self.task.called.id)))
    }

    /// Asks an upstream without session until the task is over. What the upstream asks meanwhile, the client is asked.
    async fn polled(&self) -> Result<RawObject, Failure> {
        let mut asked = HashSet::new();
        loop {
            let state = self.ask("tasks/get", &RawObject::empty()).await?;
            match state.string("status").as_deref() {
                Some("completed") => return Ok(state.object("result").unwrap_or_default()),
                Some("failed") => {
                    let error = state.object("error").unwrap_or_default();
                    return Err(Failure::Answered(ErrorText::relayed(error.into())));
                }
                Some("cancelled") => return Err(Failure::Answered(cancelled())),
                _ => {}
            }
            let questions = state.object("inputRequests").unwrap_or_default();
            let questions = questions.retain(|key| !asked.contains(key));
            asked.extend(questions.iter().map(|(key, _)| key.to_owned()));
            if questions.is_empty() || asked.len() > MOST_QUESTIONS {
                tokio::time::sleep(interval(&state)).await;
            } else {
                self.pass_on(&questions).await?;
            }
        }
    }

    /// Asks the client what the upstream asks, and passes on its answers.
    async fn pass_on(&self, questions: &RawObject) -> Result<(), Failure> {
        let upstream = self.at.upstream(self.cx).await?;
        let answered = answers(self.cx, &upstream, questions, Some(&self.task.called.id)).await;
        let answered = answered.map_err(Failure::Other)?;
        let params = RawObject::empty().with("inputResponses", answered.text());
        self.ask("tasks/update", &params).await.map(drop)
    }
}

/// How long to wait before an upstream is asked again.
pub(super) fn interval(state: &RawObject) -> Duration {
    let milliseconds = state.member("pollIntervalMs").and_then(|text| text.parse::<f64>().ok());
    let wanted = milliseconds.and_then(|wanted| Duration::try_from_secs_f64(wanted / 1_000.0).ok());
    wanted.unwrap_or(POLLING).clamp(POLLING_BOUNDS.0, POLLING_BOUNDS.1)
}

/// The error of a task that was cancelled.
pub(super) fn cancelled() -> ErrorText {
    ErrorText::new(code::INVALID_PARAMS, "the task was cancelled, and has no result")
}

impl Task {
    /// Its state, as this caller asks for it.
    pub(super) async fn current(
        &self,
        cx: &RequestContext<'_>,
        params: &RawObject,
    ) -> Result<RawObject, Failure> {
        match self.asked(cx) {
            Some(asking) => asking.state(params).await,
            None => Ok(self.state("completed", None)),
        }
    }

    /// The task at its upstream, as this caller asks for it; `None` if its result is here.
    pub(super) fn asked<'a>(&'a self, cx: &'a RequestContext<'a>) -> Option<Asking<'a>> {
        match &self.origin {
            Origin::Upstream(at) => Some(Asking { cx, task: self, at }),
            Origin::Answered { .. } => None,
        }
    }
}
