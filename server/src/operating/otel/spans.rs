//! Spans: one for each request of a client, and one below it for each request to an upstream.
//!
//! Attributes have the names of semantic conventions where there are some. Arguments, results and texts of errors are never attributes.

use std::{collections::HashMap, sync::Arc, time::Duration};

use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::observe::{Called, Observer, Outcome, Trace, TraceContext, Who};
use mcp_disclosure_transport::{Request, printable::line};
use opentelemetry::{
    Context, KeyValue,
    propagation::TextMapPropagator,
    trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider},
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    propagation::TraceContextPropagator,
    trace::{SdkTracer, SdkTracerProvider, Span, SpanData, SpanProcessor},
};

use super::exporter::Exporter;

/// How many characters of a text that a peer chose.
const LONGEST: usize = 256;

/// How many bytes of `tracestate` are kept: as many as the standard asks for. Spans that wait hold it.
const LONGEST_STATE: usize = 512;

/// How many bytes `traceparent` has in its first version.
const SHORTEST_PARENT: usize = 55;

/// Makes spans.
#[derive(Debug)]
pub(super) struct Spans(SdkTracer);

impl Spans {
    pub(super) fn new(exporter: Arc<Exporter>, resource: Resource) -> Self {
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_span_processor(Finished(exporter))
            .build();
        Self(provider.tracer("mcp-disclosure"))
    }
}

impl Observer for Spans {
    fn begins(&self, who: &Who<'_>, request: &Request) -> Option<Arc<dyn Trace>> {
        let parent = request.params.object("_meta").map_or_else(Context::new, |meta| remote(&meta));
        let attributes = [
            Some(text("jsonrpc.request.id", request.id.as_str())),
            Some(text("mcp_disclosure.strategy", who.strategy)),
            who.session.map(|session| text("mcp_disclosure.session", session)),
            who.principal.map(|principal| text("enduser.id", principal)),
        ];
        let attributes = attributes.into_iter().flatten();
        Some(Arc::new(Followed::begin(&self.0, &parent, SpanKind::Server, &request.method, attributes)))
    }
}

/// A request under way.
#[derive(Debug)]
struct Followed {
    tracer: SdkTracer,
    /// With its span.
    context: Context,
    is_call: bool,
}

impl Followed {
    fn begin(
        tracer: &SdkTracer,
        parent: &Context,
        kind: SpanKind,
        method: &str,
        more: impl Iterator<Item = KeyValue>,
    ) -> Self {
        let is_call = kind == SpanKind::Server && method == "tools/call";
        let attributes = [KeyValue::new("rpc.system", "jsonrpc"), text("mcp.method.name", method)];
        let builder = tracer.span_builder(line(method, LONGEST)).with_kind(kind);
        let builder = builder.with_attributes(attributes.into_iter().chain(more));
        let context = parent.with_span(tracer.build_with_context(builder, parent));
        Self { tracer: tracer.clone(), context, is_call }
    }

    fn fails(&self, kind: String) {
        let span = self.context.span();
        span.set_attribute(KeyValue::new("error.type", kind));
        span.set_status(Status::error(""));
    }
}

impl Trace for Followed {
    fn upstream(&self, upstream: &str, method: &str) -> Arc<dyn Trace> {
        let upstream = [text("mcp_disclosure.upstream", upstream)].into_iter();
        Arc::new(Self::begin(&self.tracer, &self.context, SpanKind::Client, method, upstream))
    }

    fn context(&self) -> TraceContext {
        let span = self.context.span();
        let (ours, state) = (span.span_context(), span.span_context().trace_state().header());
        let flags = ours.trace_flags().to_u8();
        TraceContext {
            parent: format!("00-{}-{}-{flags:02x}", ours.trace_id(), ours.span_id()),
            state: (!state.is_empty()).then_some(state),
        }
    }

    fn called(&self, call: &Called<'_>) {
        let span = self.context.span();
        span.set_attribute(KeyValue::new("gen_ai.operation.name", "execute_tool"));
        span.set_attribute(text("gen_ai.tool.name", call.tool));
        span.set_attribute(KeyValue::new("mcp_disclosure.outcome", call.outcome.name()));
        if let Some(upstream) = call.upstream {
            span.set_attribute(text("mcp_disclosure.upstream", upstream));
            // Names of other tools are any text, which names of spans must not be.
            span.update_name(format!("tools/call {}", line(call.tool, LONGEST)));
        }
        if let Some(code) = call.refusal {
            span.set_attribute(KeyValue::new("mcp_disclosure.refusal", code));
        }
        match call.outcome {
            Outcome::Forwarded | Outcome::Ok | Outcome::InputRequired | Outcome::Answered => {}
            failed => self.fails(failed.name().to_owned()),
        }
    }

    fn ends(&self, error: Option<i64>) {
        let span = self.context.span();
        if let Some(code) = error {
            span.set_attribute(KeyValue::new("rpc.response.status_code", code.to_string()));
            // Of a call the outcome says it.
            if !self.is_call {
                self.fails(code.to_string());
            }
        }
        span.end();
    }
}

fn text(name: &'static str, value: &str) -> KeyValue {
    KeyValue::new(name, line(value, LONGEST))
}

/// Hands spans that ended to the exporter.
#[derive(Debug)]
struct Finished(Arc<Exporter>);

impl SpanProcessor for Finished {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() {
            self.0.send(span);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    // The exporter outlives the provider, and is ended by its owner.
    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// The client's span that a request belongs to (W3C Trace Context), if it is well-formed.
fn remote(meta: &RawObject) -> Context {
    // What numbers may begin with elsewhere is left to no parser.
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let parent = meta.string(TraceContext::PARENT);
    let parent = parent.filter(|parent| parent.len() >= SHORTEST_PARENT && is_plain(parent));
    let state = meta.string(TraceContext::STATE).filter(|state| state.len() <= LONGEST_STATE);
    let fields = [(TraceContext::PARENT, parent), (TraceContext::STATE, state)];
    let fields: HashMap<String, String> =
        fields.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect();
    TraceContextPropagator::new().extract_with_context(&Context::new(), &fields)
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::SpanContext;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    fn parent(traceparent: &str, tracestate: &str) -> Option<SpanContext> {
        let meta =
            RawObject::empty().with_value("traceparent", traceparent).with_value("tracestate", tracestate);
        Some(remote(&meta).span().span_context().clone()).filter(SpanContext::is_valid)
    }

    #[test]
    fn o3_a_well_formed_parent_is_taken() {
        let given = parent(&format!("00-{TRACE}-{SPAN}-01"), "a=1,b=2").unwrap();
        assert_eq!((given.trace_id().to_string(), given.span_id().to_string()), (TRACE.into(), SPAN.into()));
        assert_eq!((given.is_sampled(), given.trace_state().header()), (true, "a=1,b=2".to_owned()));
        assert!(!parent(&format!("00-{TRACE}-{SPAN}-02"), "").unwrap().is_sampled());
        assert!(parent(&format!("cc-{TRACE}-{SPAN}-01-more-of-it"), "").is_some());
        let state = parent(&format!("00-{TRACE}-{SPAN}-01"), "no state, = at all").unwrap();
        assert_eq!(state.trace_state().header(), "");
    }

    #[test]
    fn o3_any_other_parent_is_none() {
        let (zeros, upper) = ("0".repeat(32), TRACE.to_uppercase());
        for bad in [
            String::new(),
            TRACE.to_owned(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}-01 "),
            format!("00-{TRACE}0-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{upper}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", SPAN.to_uppercase()),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0-{TRACE}-{SPAN}-01"),
            format!("00-+{}-{SPAN}-01", &TRACE[1..]),
            "é".repeat(28),
        ] {
            assert!(parent(&bad, "").is_none(), "{bad}");
        }
    }
}
