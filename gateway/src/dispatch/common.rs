//! What the parts of a gateway share.

use std::sync::Arc;

use mcp_disclosure_core::{RawObject, digest::random_id};
use mcp_disclosure_transport::{ErrorText, Json, code};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Allowances, FetchLimits};
use crate::{
    backend::Backends, explain::Explained, limits::Limits, lineage::Lineage, negotiation::Strategies,
    observe::Observer,
};

/// The answer to a request.
pub(crate) type Answer = Result<Json, ErrorText>;

/// What the parts of a gateway share.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) strategies: Strategies,
    pub(super) backends: Backends,
    pub(super) limits: Limits,
    /// Where this gateway stands among others.
    pub(super) lineage: Arc<Lineage>,
    pub(super) fetches: FetchLimits,
    pub(super) allowances: Allowances,
    /// The number of changes of callers' permissions so far.
    pub(super) permissions: watch::Sender<u64>,
    pub(super) explained: Explained,
    pub(super) observer: Arc<dyn Observer>,
    /// Cancelled at shutdown; long-lived streams end then.
    pub(super) shutdown: CancellationToken,
}

impl Common {
    /// The last change of callers' permissions.
    pub(super) fn last_change(&self) -> u64 {
        *self.permissions.borrow()
    }
}

/// A member of a request's parameters that must be a text.
pub(super) fn text_of(params: &RawObject, key: &str) -> Result<String, ErrorText> {
    let invalid = || ErrorText::invalid_params(format_args!("params.{key} must be a string"));
    params.string(key).ok_or_else(invalid)
}

/// A new id that cannot be guessed, for this.
///
/// # Errors
/// -32603 if the operating system provides no randomness.
pub(super) fn fresh(purpose: &str) -> Result<Arc<str>, ErrorText> {
    random_id().map_err(|error| {
        let message = format_args!("internal error: no randomness for {purpose}: {error}");
        ErrorText::new(code::INTERNAL_ERROR, message)
    })
}

/// The answer to a request of which a part panicked.
pub(super) fn panicked(method: &str) -> ErrorText {
    tracing::error!(method, "request handler panicked");
    ErrorText::new(code::INTERNAL_ERROR, "internal error: answering this request panicked")
}

/// The answer to what runs when the gateway ends.
pub(crate) fn unfinished() -> ErrorText {
    ErrorText::new(
        code::INTERNAL_ERROR,
        "the gateway is shutting down, and the request did not finish in time",
    )
}
