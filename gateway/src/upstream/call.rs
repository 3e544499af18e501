//! Requests to upstreams on behalf of clients, and what upstreams send besides results.

use std::{fmt, sync::Arc};

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{LoggingLevel, Notification};

use super::Owner;
use crate::observe::Trace;

/// Receives notifications about one request before its result, in order.
pub trait Reports: Send + Sync + fmt::Debug {
    /// A progress notification: its parameters, under the upstream's token.
    fn progress(&self, params: &RawObject);

    /// A log message that belongs to the request.
    fn log(&self, level: LoggingLevel, message: &Notification);

    /// Whether to request progress.
    fn wants_progress(&self) -> bool;

    /// Whether the request asks for log messages.
    fn wants_log(&self) -> bool;

    /// Whether progress may follow the answer, which is a task.
    fn outlasts_answer(&self) -> bool;
}

/// A request to an upstream, on behalf of a client or the gateway.
#[derive(Clone, Debug, Default)]
pub struct UpstreamCall {
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: RawObject,
    /// Whom the request is for.
    pub owner: Owner,
    /// Whose share of the upstream's queue it takes: the name of a peer.
    pub peer: Option<Arc<str>>,
    /// Receives notifications about it.
    pub reports: Option<Arc<dyn Reports>>,
    /// Arguments to repeat in headers, on transports that have them: header name and value.
    pub mirrored: Vec<(String, String)>,
    /// What follows it in a trace.
    pub trace: Option<Arc<dyn Trace>>,
}
