//! Calls that become tasks.

use std::{sync::Arc, time::Instant};

use mcp_disclosure_core::{Era, RawObject, Tool, ToolName, UpstreamName, VisibleTool};
use mcp_disclosure_transport::{ErrorText, Json, code};
use parking_lot::Mutex;

use super::{
    super::{
        Calls,
        links::Unseen,
        rounds::{BATCH_WINDOW, Work},
    },
    form,
    task::{Life, Origin, RunningAt, Task, exists, times},
};
use crate::{
    dialect::{RequestMeta, needs_tasks},
    dispatch::{Answer, RequestContext, common::fresh},
    error::upstream_failed,
    session::Place,
    slot::Slot,
    upstream::{ClientTask, LONGEST_ID, Reports, named},
};

/// Whether a call may become a task, and the place that the task takes. Where the upstream decides, a call that becomes none takes
/// no place.
#[derive(Debug)]
pub(in crate::dispatch::calls) enum AsTask {
    /// It is an ordinary call.
    No,
    /// The client asks for a task (2025-11-25).
    Asked(Place),
    /// The tool runs in no other way, which a client with the extension need not know.
    Needed(Place),
    /// The tool runs in no other way, and is called by another, whose result the client waits for.
    Waited(Place),
    /// The upstream decides (2026-07-28).
    Possible,
    /// The same, where there is no room for a task.
    NoRoom,
}

impl AsTask {
    /// The member `task` of the call.
    pub(in crate::dispatch::calls) fn member<'a>(&self, params: &'a RawObject) -> Option<&'a str> {
        match self {
            Self::Asked(_) => params.member("task"),
            Self::Needed(_) | Self::Waited(_) => Some("{}"),
            Self::No | Self::Possible | Self::NoRoom => None,
        }
    }

    /// The parameters of the call, which do not declare that a task is understood where none can be had.
    pub(in crate::dispatch::calls) fn declared(&self, params: RawObject) -> RawObject {
        match self {
            Self::NoRoom => RequestMeta::with_tasks(&params, false),
            _ => params,
        }
    }

    /// Whether the call may be answered with a task.
    pub(in crate::dispatch::calls) fn is_possible(&self) -> bool {
        !matches!(self, Self::No | Self::NoRoom)
    }
}

impl Calls {
    /// Whether a call may become a task.
    ///
    /// # Errors
    /// -32601 if the client asks for a task of a tool that runs as none; -32021 if the tool runs in no other way, and the client
    /// does not declare that it understands it; -32005 if the caller has too many.
    pub(in crate::dispatch::calls) fn as_task(
        &self,
        cx: &RequestContext<'_>,
        tool: VisibleTool<'_>,
        slot: &Slot,
    ) -> Result<AsTask, ErrorText> {
        let (understands, params) = (cx.choice.traits.tasks, cx.params);
        let is_asked = cx.era() == Era::Session && understands && params.member("task").is_some();
        let is_needed = tool.tool().needs_task();
        if !(is_asked || is_needed || cx.era() == Era::Stateless) {
            return Ok(AsTask::No);
        }
        let Some(introduction) = slot.introduction() else { return Ok(AsTask::No) };
        let is_inner = || params.string("name").is_none_or(|name| name != *tool.name().as_str());
        match (cx.era(), introduction.eras.nearest(cx.era())) {
            (Era::Session, era) if is_asked && introduction.runs_tasks(era) => {
                self.place_of_task(cx).map(AsTask::Asked)
            }
            (Era::Session, _) if is_asked && cx.backend.may_run_tasks() => {
                let message = format_args!("{} does not run as a task: leave params.task out", tool.name());
                Err(ErrorText::new(code::METHOD_NOT_FOUND, message))
            }
            (Era::Stateless, Era::Session) if is_needed && understands => {
                self.place_of_task(cx).map(AsTask::Needed)
            }
            (_, Era::Session) if is_needed && is_inner() => self.place_of_task(cx).map(AsTask::Waited),
            (Era::Stateless, Era::Session) if is_needed => Err(needs_tasks()),
            (Era::Stateless, Era::Stateless) if understands => {
                let has_room = cx.peer.task().is_ok() || self.tasks.can_make_room(cx.peer.name());
                Ok(if has_room { AsTask::Possible } else { AsTask::NoRoom })
            }
            // Who offers no tasks runs such a call as an ordinary one.
            _ => Ok(AsTask::No),
        }
    }

    fn place_of_task(&self, cx: &RequestContext<'_>) -> Result<Place, ErrorText> {
        let has_room = || self.tasks.make_room(cx.peer.name());
        cx.peer.task().or_else(|full| if has_room() { cx.peer.task() } else { Err(full) })
    }

    /// The result of a call for the client: where it creates a task, that is the caller's from now on, under an id of ours.
    ///
    /// # Errors
    /// -32000 if the upstream created a task that it was not asked for, or one without id; where the result is waited for, as of
    /// the task.
    pub(in crate::dispatch::calls) async fn begun(
        &self,
        cx: &RequestContext<'_>,
        as_task: AsTask,
        reports: Arc<Reports>,
        tool: &Tool,
        slot: &Arc<Slot>,
        answered: Unseen,
    ) -> Answer {
        let upstream = &Arc::clone(&answered.upstream);
        let result = answered.shown(&cx.page.view)?;
        let era = upstream.introduction().eras.nearest(cx.era());
        if matches!(as_task, AsTask::No) && era == Era::Session {
            return Ok(result);
        }
        let is_waited = matches!(as_task, AsTask::Waited(_));
        let invalid =
            |what: &str| upstream_failed(upstream.name(), format_args!("answered with a task {what}"));
        let Some((whole, task)) = form::created(era, &result) else {
            // A client of 2025-11-25 that asked for a task reads no other result of a call.
            return match (era, as_task) {
                (Era::Stateless, AsTask::Asked(place)) => self.answered_at_once(cx, tool, place, result),
                _ => Ok(result),
            };
        };
        let place = match as_task {
            AsTask::Asked(place) | AsTask::Needed(place) | AsTask::Waited(place) => place,
            AsTask::Possible => self.place_of_task(cx)?,
            AsTask::No | AsTask::NoRoom => return Err(invalid("that it was not asked for")),
        };
        let own = task.string("taskId").filter(|own| own.len() <= LONGEST_ID);
        let own = own.ok_or_else(|| invalid("whose taskId is missing or too long"))?;
        let (session, called) = (cx.session.as_ref().map(Arc::downgrade), called_tool(tool));
        let at = Arc::clone(slot);
        let client = move || {
            let session = session.as_ref()?.upgrade()?;
            let (principal, current) = (session.principal(), session.backend().catalogue().current());
            let view = current.view(&principal, &session.choice());
            exists(&called, Some(&at), &principal, &view).then(|| Arc::clone(&session.client))
        };
        let called = ClientTask::new(fresh("a state")?, client);
        upstream.begin_task(&own, &called);
        match &cx.session {
            _ if is_waited => {}
            Some(_) => reports.continue_with(&called),
            // Clients without sessions ask how far it is.
            None => reports.redirect(cx.ended_route(), &RawObject::empty()),
        }
        let conversation = match (cx.era(), era) {
            (Era::Stateless, Era::Session) if !is_waited => {
                let params = RawObject::empty().with_value("taskId", &own);
                let asking = cx.upstream_call("tasks/result", params);
                let mut work = Work::begin(cx, upstream, &asking);
                drop(work.within(BATCH_WINDOW).await);
                work.suspend(cx);
                Some(work.into())
            }
            _ => None,
        };
        let task = task.with_value("taskId", &*called.id);
        let origin = Origin::Upstream(Box::new(RunningAt {
            own,
            era,
            slot: Arc::clone(slot),
            upstream: Arc::downgrade(upstream),
            outlasts_connection: upstream.is_remote() && era == Era::Stateless,
            guard: cx.guard().cloned(),
            conversation,
        }));
        let translated = form::translated(&task, era, cx.era());
        called.hold((cx.watch.runs_on(), reports));
        let kept = self.keep(cx, (called, tool), origin, &translated, place);
        if is_waited {
            return Box::pin(self.waited(&cx.begun(), kept)).await;
        }
        Ok(form::creation(era, cx.era(), &whole, &task).into())
    }

    /// The result of a task of which the client knows nothing. It is forgotten then, and cancelled if the client gives up.
    async fn waited(&self, cx: &RequestContext<'_>, task: Arc<Task>) -> Answer {
        let waiting = scopeguard::guard(task, |task| {
            self.tasks.remove(&task);
            task.abandon();
        });
        let Some(asking) = waiting.asked(cx) else { return Err(needs_tasks()) };
        Ok(named(&asking.result(&RawObject::empty()).await?, None).into())
    }

    /// The task of a client that asked for one, of a call that was answered at once.
    fn answered_at_once(&self, cx: &RequestContext<'_>, tool: &Tool, place: Place, result: Json) -> Answer {
        let held = cx.peer.unread_answer(result.as_str().len())?;
        let called = ClientTask::new(fresh("a state")?, || None);
        called.end();
        let times = RawObject::empty().with_value("createdAt", &form::now()).with("ttl", ANSWER_KEPT);
        let origin = Origin::Answered { result, _bytes: held };
        let task = self.keep(cx, (called, tool), origin, &times, place);
        Ok(RawObject::empty().with("task", task.state("completed", None).text()).into())
    }

    fn keep(
        &self,
        cx: &RequestContext<'_>,
        (called, tool): (Arc<ClientTask>, &Tool),
        origin: Origin,
        state: &RawObject,
        place: Place,
    ) -> Arc<Task> {
        let task = Arc::new(Task {
            called,
            principal: cx.principal.id().map(Arc::from),
            session: cx.session.as_ref().map(Arc::downgrade),
            tool: called_tool(tool),
            begun: Instant::now(),
            peer: Arc::clone(cx.peer.name()),
            origin,
            times: times(state),
            life: Mutex::new(Life { used: Instant::now(), ends: None }),
            _place: place,
        });
        task.observe(state);
        self.tasks.add(Arc::clone(&task));
        task
    }
}

/// The upstream of a tool, and the name that it has there.
fn called_tool(tool: &Tool) -> (UpstreamName, ToolName) {
    (tool.upstream().clone(), tool.upstream_name().clone())
}

/// How long a result is kept that came at once, in milliseconds.
const ANSWER_KEPT: &str = "300000";
