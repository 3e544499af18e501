//! The seam for distributed traces: what follows one request through the gateway.

use std::{fmt, sync::Arc};

use mcp_disclosure_core::RawObject;

use super::Called;

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
        let meta = params.object("_meta").unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_ours_replaces_theirs_and_nothing_else() {
        let put = |state: Option<&str>, params: &str| {
            let context = TraceContext { parent: "ours".to_owned(), state: state.map(str::to_owned) };
            context.put_into(&RawObject::parse(params).unwrap()).text().to_owned()
        };
        assert_eq!(put(None, r#"{"name":"t"}"#), r#"{"name":"t","_meta":{"traceparent":"ours"}}"#);
        let theirs = r#"{"_meta":{"traceparent":"theirs","tracestate":"a=1","baggage":"b=2"}}"#;
        assert_eq!(put(None, theirs), r#"{"_meta":{"traceparent":"ours","baggage":"b=2"}}"#);
        assert_eq!(
            put(Some("c=3"), theirs),
            r#"{"_meta":{"traceparent":"ours","tracestate":"c=3","baggage":"b=2"}}"#
        );
    }
}
