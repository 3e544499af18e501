//! What happens in a gateway, for metrics, audit logs and the like.
//!
//! An [`Observer`] receives small borrowed values from the places where things are decided. Each call of a tool is
//! observed once, whatever becomes of it: it is answered, refused, fails, panics, or its client hangs up.

mod event;
mod several;
mod tally;
mod trace;
mod watch;

use std::{fmt, sync::Arc};

pub use event::{Called, Outcome, Who};
use futures::future::BoxFuture;
use mcp_disclosure_core::Kind;
use mcp_disclosure_transport::Request;
pub use several::Several;
pub use tally::{Cost, Step, Tally};
pub use trace::{Trace, TraceContext};
pub(crate) use watch::Watch;

use crate::catalogue::Page;

/// The recording of a call that is about to be forwarded. An error is the reason why it must not be.
pub type Recording = BoxFuture<'static, Result<(), String>>;

/// Observes a gateway. All methods do nothing by default.
///
/// They are called by the tasks that serve clients, so they must not block. What takes long belongs in a thread of the
/// observer's own; what must be finished before a call is forwarded, in the future of [`before`](Self::before).
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Whether [`Called::fingerprint`] is wanted.
    fn wants_fingerprints(&self) -> bool {
        false
    }

    /// A fingerprint of a call's arguments, given their JSON text. Long texts are passed in outside of the workers that
    /// serve clients.
    fn fingerprint(&self, arguments: &str) -> Option<Box<str>> {
        let _ = arguments;
        None
    }

    /// A request begins. What is returned follows it; without any, the trace that it may belong to is relayed as it is.
    fn begins(&self, who: &Who<'_>, request: &Request) -> Option<Arc<dyn Trace>> {
        let _ = (who, request);
        None
    }

    /// A call is about to be forwarded to its upstream. `None` does not delay it.
    fn before(&self, call: &Called<'_>) -> Option<Recording> {
        let _ = call;
        None
    }

    /// A call of a tool is over.
    fn called(&self, call: &Called<'_>) {
        let _ = call;
    }

    /// Descriptions were delivered to a client.
    fn fetched(&self, who: &Who<'_>) {
        let _ = who;
    }

    /// A client was sent the list of this kind.
    fn listed(&self, who: &Who<'_>, kind: Kind, page: &Arc<Page>) {
        let _ = (who, kind, page);
    }

    /// A session was opened.
    fn opened(&self, who: &Who<'_>) {
        let _ = who;
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
