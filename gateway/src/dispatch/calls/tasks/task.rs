//! One task: whose it is, and where it runs.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use mcp_disclosure_core::{Era, Principal, RawObject, RawText, ToolName, UpstreamName, View};
use mcp_disclosure_transport::{ErrorText, Json, code};
use parking_lot::Mutex;
use serde_json::json;
use tokio::runtime::Handle;

use super::{super::rounds::Work, form};
use crate::{
    backend::BackendGuard,
    dispatch::{Caller, RequestContext, ServedSession},
    session::Place,
    slot::Slot,
    upstream::{ClientTask, Upstream},
};

/// How long a task is kept after its lifetime, so that it is the upstream that says it has expired.
const GRACE: Duration = Duration::from_secs(5 * 60);

/// How long a task without a lifetime is kept that its client does not ask for.
const UNUSED: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest time of a task that is kept and repeated, in bytes.
const LONGEST_TIME: usize = 64;

/// A task.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) called: Arc<ClientTask>,
    /// The principal that it belongs to, and where there are sessions the one that it ends with.
    pub(super) principal: Option<Arc<str>>,
    pub(super) session: Option<Weak<ServedSession>>,
    /// The tool that was called: its upstream, and the name that it has there.
    pub(super) tool: (UpstreamName, ToolName),
    pub(super) begun: Instant,
    /// The peer that it counts against.
    pub(super) peer: Arc<str>,
    pub(super) origin: Origin,
    /// When it was created, and its lifetime, in the form of its client's era.
    pub(super) times: RawObject,
    pub(super) life: Mutex<Life>,
    pub(super) _place: Place,
}

/// Where a task comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// An upstream runs it.
    Upstream(Box<RunningAt>),
    /// The upstream answered the call at once, though the client had asked for a task.
    Answered { result: Json, _bytes: Place },
}

/// A task at an upstream.
#[derive(Debug)]
pub(super) struct RunningAt {
    /// The upstream's id of it.
    pub(super) own: String,
    /// The era in which the upstream is asked for it.
    pub(super) era: Era,
    pub(super) slot: Arc<Slot>,
    pub(super) upstream: Weak<Upstream>,
    /// Whether the upstream knows it on another connection too.
    pub(super) outlasts_connection: bool,
    /// Keeps the upstreams of a client without session.
    pub(super) guard: Option<Arc<BackendGuard>>,
    /// What an upstream with a session asks a stateless client, or is told that it cannot: its questions come while the result is
    /// waited for, and the client gets both with the state of the task.
    pub(super) conversation: Option<tokio::sync::Mutex<Work>>,
}

/// What changes about a task.
#[derive(Debug)]
pub(super) struct Life {
    /// When it was asked for.
    pub(super) used: Instant,
    /// When its lifetime is over, if it has one.
    pub(super) ends: Option<Instant>,
}

impl Task {
    /// Whether it is a caller's.
    pub(super) fn is_of(&self, caller: &Caller) -> bool {
        let session = self.session.as_ref().map(Weak::as_ptr);
        session == caller.session.as_ref().map(Arc::as_ptr)
            && self.principal.as_deref() == caller.principal.id()
    }

    /// Whether it is a caller's that sees this, and has not run for too long.
    pub(super) fn is_for(&self, cx: &RequestContext<'_>) -> bool {
        let slot = match &self.origin {
            Origin::Upstream(at) => Some(&at.slot),
            Origin::Answered { .. } => None,
        };
        let is_of_tool = || exists(&self.tool, slot, &cx.principal, &cx.page.view);
        self.is_of(cx) && !self.is_late() && is_of_tool()
    }

    /// Whether it ended with the connection that it was created on, and nobody has asked since.
    pub(super) fn is_lost(&self) -> bool {
        let Origin::Upstream(at) = &self.origin else { return false };
        !self.called.is_over() && !at.outlasts_connection && at.connected().is_none()
    }

    /// Whether its time is over, its session has ended, or its client has not asked for it for long.
    pub(super) fn is_late(&self) -> bool {
        let life = self.life.lock();
        let is_left = self.session.as_ref().is_some_and(|session| session.strong_count() == 0);
        is_left || life.ends.map_or(life.used + UNUSED, |ends| ends + GRACE) < Instant::now()
    }

    /// Notes what its upstream says of it.
    pub(super) fn observe(&self, state: &RawObject) {
        let lifetime = ["ttl", "ttlMs"].into_iter().find_map(|name| state.member(name));
        let mut life = self.life.lock();
        life.ends = lifetime.and_then(ends).or(life.ends);
        drop(life);
        self.called.observe(state);
    }

    /// Cancels it at its upstream, since no one can ask for it any more.
    pub(super) fn abandon(self: Arc<Self>) {
        let Origin::Upstream(at) = &self.origin else { return };
        let upstream = at.upstream.upgrade().filter(|_| !self.called.is_over());
        if let (Some(upstream), Ok(runtime)) = (upstream, Handle::try_current()) {
            let own = at.own.clone();
            runtime.spawn(async move { upstream.cancel_task(&own).await });
        }
    }

    /// Its state where its upstream does not say it.
    pub(super) fn state(&self, status: &str, message: Option<&str>) -> RawObject {
        let state = RawObject::empty().with_value("taskId", &*self.called.id).with_value("status", status);
        let state = message.iter().fold(state, |state, message| state.with_value("statusMessage", message));
        self.times.over(&state.with_value("lastUpdatedAt", &form::now()))
    }
}

/// Whether a task of a tool exists for a principal that sees this. One whose tool it may not use any more does not; one whose tool
/// the upstream stopped listing does.
pub(super) fn exists(
    (upstream, own): &(UpstreamName, ToolName),
    slot: Option<&Arc<Slot>>,
    principal: &Principal,
    view: &View,
) -> bool {
    let is_it = |tool: &RawText| tool.string("name").as_deref() == Some(own.as_str());
    let lists = |slot: &Arc<Slot>| slot.status().offered().is_some_and(|lists| lists.tools.iter().any(is_it));
    principal.permits().allow_tool(upstream, own)
        && (view.tool_of(upstream, own).is_some() || slot.is_some_and(|slot| !lists(slot)))
}

impl RunningAt {
    /// The upstream, for what was decided on a caller's request.
    ///
    /// # Errors
    /// [`Failure::Lost`] if the connection ended on which it was created; -32000 if the upstream cannot be reached, or the decision
    /// does not hold.
    pub(super) async fn upstream(&self, cx: &RequestContext<'_>) -> Result<Arc<Upstream>, Failure> {
        if let Some(upstream) = self.connected() {
            return cx.still_permitted().map(|()| upstream).map_err(Failure::Other);
        }
        match self.outlasts_connection {
            true => cx.connected(&self.slot, None, tokio::time::Instant::now()).await.map_err(Failure::Other),
            false => Err(Failure::Lost(self.lost())),
        }
    }

    /// The upstream, if the connection is still there on which the task was created.
    fn connected(&self) -> Option<Arc<Upstream>> {
        self.upstream.upgrade().filter(|upstream| !upstream.connection().is_ended())
    }

    pub(super) fn name(&self) -> &str {
        self.slot.name().map_or("", |name| name.as_str())
    }

    /// The error of a task that ended with its upstream.
    pub(super) fn lost(&self) -> ErrorText {
        let name = self.name();
        let message =
            format_args!("the task was lost: upstream '{name}' ended, or was started again, meanwhile");
        ErrorText::new(code::UPSTREAM_FAILED, message).with_data(&json!({"upstream": name}))
    }
}

/// Why an upstream does not say anything of a task.
#[derive(Debug)]
pub(super) enum Failure {
    /// The task ended with the upstream; its error.
    Lost(ErrorText),
    /// The upstream answered with this error.
    Answered(ErrorText),
    /// There is no answer.
    Other(ErrorText),
}

impl From<Failure> for ErrorText {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Lost(error) | Failure::Answered(error) | Failure::Other(error) => error,
        }
    }
}

/// The members of a new task that are repeated if its upstream is lost.
pub(super) fn times(task: &RawObject) -> RawObject {
    let is_time =
        |key: &str| matches!(key, "createdAt" | "ttl" | "ttlMs" | "pollInterval" | "pollIntervalMs");
    task.retain(|key| is_time(key) && task.member(key).is_some_and(|value| value.len() <= LONGEST_TIME))
}

/// When a lifetime ends that is counted from now; `None` if it has no end.
fn ends(milliseconds: &str) -> Option<Instant> {
    let milliseconds = milliseconds.parse::<f64>().ok()?;
    let lifetime = Duration::try_from_secs_f64(milliseconds / 1_000.0).ok()?;
    Instant::now().checked_add(lifetime)?.checked_add(GRACE).map(|late| late - GRACE)
}
