//! Slots: supervised upstreams. A slot connects its upstream, fetches its lists, and connects it again when it
//! ends (see [`Supervision`] for when).
//!
//! Backends follow slots through their signals, and forward requests through [`Slot::connected`], which waits for
//! an upstream that is starting.

mod choices;
mod pings;
mod remembered;
mod status;
mod subscriptions;
mod supervision;
mod supervisor;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use mcp_disclosure_core::UpstreamName;
use mcp_disclosure_transport::{CallError, ErrorText, code};
pub use remembered::Memory;
use remembered::Remembered;
use serde_json::json;
pub(crate) use status::server_info;
pub use status::{Recollection, Status, Witness};
pub use subscriptions::Subscription;
use subscriptions::Wishes;
pub use supervision::{End, Late, State, Supervision};
pub use supervisor::Supervisor;
use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::upstream::{Configured, Introduction, Signals, Upstream, Upstreams, subject};

/// How long requests wait for an upstream whose address cannot be reached: one that is started again is back by then.
const UNREACHABLE: Duration = Duration::from_millis(4_500);

/// A connection that could not be used.
#[derive(Debug)]
pub struct Lost {
    /// The upstream on this connection.
    pub upstream: Arc<Upstream>,
    /// Why.
    pub error: CallError,
}

/// A supervised upstream.
#[derive(Debug)]
pub struct Slot {
    /// The configured upstream.
    pub configured: Arc<Configured>,
    /// How long requests wait for it.
    pub(crate) patience: Duration,
    status: watch::Sender<Status>,
    signals: Arc<Signals>,
    /// What each new connection is asked for. The upstream of this name before its entry changed has the same.
    wishes: Arc<Wishes>,
    /// The upstream of this name since its entry changed.
    successor: OnceLock<Arc<Slot>>,
    stopping: CancellationToken,
}

impl Slot {
    /// Its upstream's number.
    pub fn number(&self) -> usize {
        self.configured.number
    }

    /// Its upstream's name; `None` as long as it has to introduce itself.
    pub fn name(&self) -> Option<&UpstreamName> {
        self.configured.name()
    }

    /// The current status.
    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// The upstream, if it is connected.
    pub fn upstream(&self) -> Option<Arc<Upstream>> {
        self.status.borrow().upstream.clone()
    }

    /// What the upstream last said of itself, if it is known.
    pub fn introduction(&self) -> Option<Arc<Introduction>> {
        self.status.borrow().introduction.clone()
    }

    /// Whether the upstream has a capability, as far as is known.
    pub fn has(&self, capability: &str) -> bool {
        self.introduction().is_some_and(|introduction| introduction.has(capability))
    }

    /// Whether the upstream says this of a capability, as far as is known.
    pub fn says(&self, capability: &str, member: &str) -> bool {
        self.introduction().is_some_and(|introduction| introduction.says(capability, member))
    }

    /// Whether clients may have been answered before the upstream said what it is capable of.
    pub fn may_surprise(&self) -> bool {
        !self.configured.config.awaited
    }

    /// Whether it is stopped, or about to be.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// The upstream, once it is connected, or the one that takes its place: a new connection if `lost` is the current one, which
    /// could not be used.
    ///
    /// # Errors
    /// -32000 if that takes longer than the time-out for connecting, counted from `since`, or never happens; or if the
    /// upstream does not answer. The message names the upstream and why its last attempt failed.
    pub async fn connected(&self, lost: Option<&Lost>, since: Instant) -> Result<Arc<Upstream>, ErrorText> {
        let mut statuses = self.status.subscribe();
        let is_new =
            |upstream: &&Arc<Upstream>| lost.is_none_or(|lost| !Arc::ptr_eq(&lost.upstream, upstream));
        loop {
            if let Some(successor) = self.successor.get() {
                return Box::pin(successor.connected(lost, since)).await;
            }
            let until = {
                let status = statuses.borrow_and_update();
                if status.is_stopped() || status.fails_at_once() {
                    break;
                }
                let is_pinged = status.supervision.state() == State::Pinged;
                if let Some(upstream) = status.upstream.as_ref().filter(is_new)
                    && !is_pinged
                {
                    return Ok(Arc::clone(upstream));
                }
                let is_dead = status.is_unreachable() || lost.is_some_and(|lost| lost.error.is_unreachable());
                since + if is_dead { self.patience.min(UNREACHABLE) } else { self.patience }
            };
            if !matches!(tokio::time::timeout_at(until, statuses.changed()).await, Ok(Ok(()))) {
                break;
            }
        }
        Err(self.unavailable(lost, since.elapsed()))
    }

    /// A call on this connection timed out.
    pub(crate) fn timed_out(&self, upstream: &Arc<Upstream>, late: Late) {
        self.status.send_if_modified(|status| {
            let is_current = status.upstream.as_ref().is_some_and(|current| Arc::ptr_eq(current, upstream));
            if is_current {
                status.supervision.timed_out(late, *upstream.signs_of_life().borrow());
            }
            is_current
        });
    }

    /// Whether it never listed anything, and may yet.
    pub(crate) fn is_unstarted(&self) -> bool {
        let status = self.status.borrow();
        status.lists.is_none() && !status.is_stopped()
    }

    /// Waits until the first attempt is over, or the upstream introduced itself.
    async fn introduced(&self) {
        let mut status = self.status.subscribe();
        let _stopped = status.wait_for(|status| status.is_tried() || status.introduction.is_some()).await;
    }

    /// Its entry changed: who waits for it, now or later, waits for this one.
    fn succeeded_by(&self, successor: &Arc<Self>) {
        let _only_once = self.successor.set(Arc::clone(successor));
        self.status.send_modify(|_| {});
    }

    /// The one that takes its place since its entry changed, if it did.
    pub(crate) fn latest(&self) -> &Self {
        self.successor.get().map_or(self, |successor| successor.latest())
    }

    /// Ends supervision and the connection.
    pub async fn stop(&self) {
        self.stopping.cancel();
        let mut status = self.status.subscribe();
        let _stopped = status.wait_for(Status::is_stopped).await;
    }

    fn unavailable(&self, lost: Option<&Lost>, waited: Duration) -> ErrorText {
        let status = self.status.borrow();
        let subject = subject(self.name());
        let waited = (waited.as_secs_f64() * 10.0).round() / 10.0;
        // Its connection was closed for that, which says less.
        let lost = lost.filter(|lost| lost.error.is_unreachable());
        let lost = lost.map(|lost| format!("{subject} {}", lost.error));
        let why = lost.or_else(|| Some(status.error.as_ref()?.for_clients()));
        let message = match (why, status.is_stopped()) {
            (Some(why), _) if status.fails_at_once() => why,
            (Some(why), true) => format!("{subject} is not running: {why}"),
            (None, true) => format!("{subject} is not running"),
            (Some(why), false) => {
                format!("{subject} is unavailable: waited {waited} seconds for it to restart; {why}")
            }
            (None, false) => format!("{subject} is unavailable: waited {waited} seconds for it to start"),
        };
        ErrorText::new(code::UPSTREAM_FAILED, message)
            .with_data(&json!({"upstream": self.name().map(UpstreamName::as_str)}))
    }
}

/// Names the upstreams that introduce themselves, in the order in which they are configured. One that failed at
/// first is named when it comes.
pub(crate) async fn name(slots: Vec<Arc<Slot>>, all: Upstreams) {
    for slot in slots.into_iter().filter(|slot| slot.name().is_none()) {
        slot.introduced().await;
        let (all, is_known) = (all.clone(), slot.introduction().is_some());
        let naming = async move {
            let mut status = slot.status.subscribe();
            let said = status.wait_for(|status| status.introduction.is_some() || status.is_stopped()).await;
            let said = said.ok().and_then(|status| status.introduction.clone());
            said.iter().for_each(|said| all.name(&slot.configured, said.slug()));
        };
        if is_known {
            naming.await;
        } else {
            tokio::spawn(naming);
        }
    }
}
