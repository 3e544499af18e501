//! What happens in a gateway, for metrics, audit logs and the like.
//!
//! An [`Observer`] receives small borrowed values from the places where things are decided. Each call of a tool is
//! observed once, whatever becomes of it: it is answered, refused, fails, panics, or its client hangs up.

mod costs;
mod event;
mod several;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

pub use costs::{Cost, Costs};
pub use event::{Called, Outcome, ToolChanges, Trace, TraceContext, Who};
use futures::future::BoxFuture;
use mcp_disclosure_core::Note;
use mcp_disclosure_transport::Request;
pub use several::Several;

use crate::catalogue::Page;

/// The recording of a call that is about to be forwarded. An error is the reason why it must not be.
pub type Recording = BoxFuture<'static, Result<(), String>>;

/// Observes a gateway. All methods do nothing by default.
///
/// They are called by the tasks that serve clients, so they must not block. What takes long belongs in a thread of the
/// observer's own; what must be finished before a call is forwarded, in the future of [`before`](Self::before).
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// The [`Called::fingerprint`] of a call's arguments, given their JSON text. Long ones are passed in beside the workers that
    /// serve clients.
    fn fingerprint(&self, _arguments: &str) -> Option<Box<str>> {
        None
    }

    /// A request begins. What is returned follows it; without any, the trace that it may belong to is relayed as it is.
    fn begins(&self, _who: &Who<'_>, _request: &Request) -> Option<Arc<dyn Trace>> {
        None
    }

    /// A call is about to be forwarded to its upstream. `None` does not delay it.
    fn before(&self, _call: &Called<'_>) -> Option<Recording> {
        None
    }

    /// A call of a tool is over.
    fn called(&self, _call: &Called<'_>) {}

    /// What a request did.
    fn noted(&self, _who: &Who<'_>, _note: Note) {}

    /// A request for descriptions was refused by this code, such as `RATE_LIMITED`.
    fn fetch_refused(&self, _who: &Who<'_>, _code: &'static str) {}

    /// A client was sent the list of tools of this page, or those of these names that its filter admits.
    fn listed(&self, _who: &Who<'_>, _page: &Arc<Page>, _names: Option<&[String]>) {}

    /// A request over HTTP was answered with a status from 400 on: it was not admitted, say, or no request of MCP.
    fn turned_away(&self, _status: u16) {}

    /// How many HTTP connections of clients are open now, and how many may be.
    fn connected(&self, _open: usize, _most: usize) {}

    /// Files changed and could not be taken over: what they said before stays in force.
    fn kept_old(&self) {}

    /// The tools of an upstream are not what they were, or are known for the first time.
    fn tools_changed(&self, _changes: &ToolChanges<'_>) {}

    /// A session was opened.
    fn opened(&self, _who: &Who<'_>) {}
}

/// Calls an observer where a panic of it would leave a client without an answer.
pub(crate) fn protected(observe: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(observe)).is_err() {
        tracing::error!("an observer panicked");
    }
}
