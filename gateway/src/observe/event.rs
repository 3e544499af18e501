//! The values that observers receive, and the seam for distributed traces.

use std::{fmt, sync::Arc, time::Duration};

use mcp_disclosure_core::{DefinitionChange, RawObject};
use mcp_disclosure_transport::{ErrorText, code};

/// The sender of a request.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    /// The authenticated principal.
    pub principal: Option<&'a str>,
    /// The beginning of the session's id, in the era that has sessions.
    pub session: Option<&'a str>,
    /// The strategy that serves it: one of those offered. Of a session that could not be read, that of its URL, or empty.
    pub strategy: &'a str,
    /// What the client calls itself, as received: any text.
    pub client: &'a str,
}

/// What is new about the tools of an upstream.
#[derive(Clone, Copy, Debug)]
pub struct ToolChanges<'a> {
    /// The upstream.
    pub upstream: &'a str,
    /// The definitions that came, went or are others than they were, or than they were reviewed.
    pub changes: &'a [DefinitionChange],
    /// The tools that exist for clients now and did not before, by the upstream's own names.
    pub new: &'a [&'a str],
}

/// A call of a tool, or the question what it would be like.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// The caller.
    pub who: Who<'a>,
    /// The method: `tools/call`; `tools/resolve`, which only asks what the call would be like; or one that is passed on, which `tool`
    /// names as well.
    pub method: &'a str,
    /// The upstream of the tool, where the tool exists for the caller.
    pub upstream: Option<&'a str>,
    /// The upstream's name of the tool, or that of a strategy's own; otherwise the name that was called, as received: any
    /// text. Of a call within another call, this is the inner tool.
    pub tool: &'a str,
    /// What became of the call.
    pub outcome: Outcome,
    /// The code of a refusal, such as `TOOL_DESCRIPTION_REQUIRED`.
    pub refusal: Option<&'static str>,
    /// Whether its arguments were to be checked and it is not known that they fit: they were sent all the same.
    pub is_unjudged: bool,
    /// From the beginning of its handling.
    pub duration: Duration,
    /// The size of its parameters.
    pub request_bytes: usize,
    /// The size of its result, or of the error's message.
    pub response_bytes: usize,
    /// The fingerprint of its arguments, if an observer made one.
    pub fingerprint: Option<&'a str>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[derive(strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It is being forwarded; of a call that is not over.
    Forwarded,
    /// The upstream's result.
    Ok,
    /// The upstream's result, with `isError`.
    ToolError,
    /// The upstream requires input, and the client calls again (2026-07-28).
    InputRequired,
    /// The upstream's own JSON-RPC error.
    UpstreamError,
    /// There is no answer of the upstream: it ended, timed out, could not be reached or sent something invalid.
    Failed,
    /// Answered by the strategy: the tool is its own.
    Answered,
    /// Refused by the strategy, or for wrong arguments.
    Refused,
    /// No tool has the name.
    Unknown,
    /// A tool has the name, and does not exist for this caller. The caller's answer is that of `Unknown`.
    NotPermitted,
    /// The request itself is invalid.
    Invalid,
    /// Not forwarded, since it could not be recorded.
    Unrecorded,
    /// Not decided or not answered, since the session could not be read from its store, or not be changed there.
    Unavailable,
    /// The client cancelled it, hung up, or did not give what the upstream asked it for.
    Cancelled,
    /// Answering it panicked.
    Panicked,
}

impl Outcome {
    /// The name, as in labels and records.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// That of an error of this gateway, where nothing else is known of it.
    pub(crate) fn of_own(error: &ErrorText) -> Self {
        match error.code() {
            code::UPSTREAM_FAILED | code::INTERNAL_ERROR => Self::Failed,
            code::STORE_UNAVAILABLE => Self::Unavailable,
            _ => Self::Invalid,
        }
    }

    /// Whether the call was sent to its upstream, or was waiting for it. The other outcomes are decisions of the gateway.
    pub fn is_call(self) -> bool {
        matches!(
            self,
            Self::Ok
                | Self::ToolError
                | Self::InputRequired
                | Self::UpstreamError
                | Self::Failed
                | Self::Cancelled
                | Self::Panicked
        )
    }
}

/// One request in a trace: a client's, or one that is sent to an upstream on its behalf. A request that is dropped before
/// it [ends](Self::ends) was cancelled.
pub trait Trace: fmt::Debug + Send + Sync + 'static {
    /// A request to an upstream begins, as a part of this one.
    fn upstream(&self, upstream: &str, method: &str) -> Arc<dyn Trace>;

    /// What a receiver continues the trace from.
    fn context(&self) -> TraceContext;

    /// The request is a call of a tool, and this became of it.
    fn called(&self, call: &Called<'_>);

    /// It is answered, by a result or by an error with this code.
    fn ends(&self, error: Option<i64>);
}

/// The members of `_meta` that carry a trace (SEP-414, W3C Trace Context).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// `traceparent`.
    pub parent: String,
    /// `tracestate`, if there is any.
    pub state: Option<String>,
}

impl TraceContext {
    /// The name of the member that identifies the parent.
    pub const PARENT: &'static str = "traceparent";
    /// The name of the member with what vendors add.
    pub const STATE: &'static str = "tracestate";

    /// The parameters of a request, with this in their `_meta` instead of what the client sent. `baggage` stays.
    pub(crate) fn put_into(&self, params: &RawObject) -> RawObject {
        let meta = params.meta().cloned().unwrap_or_default();
        let meta = meta.with_value(Self::PARENT, &self.parent);
        let meta = match &self.state {
            Some(state) => meta.with_value(Self::STATE, state),
            // That of the client belongs to its own `traceparent`.
            None if meta.member(Self::STATE).is_some() => meta.retain(|key| key != Self::STATE),
            None => meta,
        };
        params.with("_meta", meta.text())
    }
}
