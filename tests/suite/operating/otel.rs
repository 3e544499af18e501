//! O3: traces and metrics by OTLP, as a receiver gets them.

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener},
    process::Command,
    time::{Duration, Instant},
};

use kit::{
    HeldPort, HttpServer, Scenario,
    http_server::{Received, status},
    messages::stateless,
    process::{Process, until},
    scenario::JOURNAL,
};
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{KeyValue, any_value::Value as Any},
    metrics::v1::{Metric, metric::Data, number_data_point::Value as Number},
    trace::v1::{Span, span::SpanKind},
};
use prost::Message;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    UPSTREAM,
    command_line::{played, program},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// An OTLP receiver by HTTP.
struct Collector(HttpServer<()>);

impl Collector {
    fn start() -> Self {
        Self(HttpServer::apart((), |_, _| async { status(200) }))
    }

    fn address(&self) -> SocketAddr {
        self.0.address()
    }

    fn posts(&self, path: &str) -> Vec<Received> {
        self.0.received().into_iter().filter(|posted| posted.uri.path() == path).collect()
    }

    fn traces(&self) -> Vec<ExportTraceServiceRequest> {
        let decode = |post: Received| ExportTraceServiceRequest::decode(post.body).unwrap();
        self.posts("/v1/traces").into_iter().map(decode).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let resources = self.traces().into_iter().flat_map(|traces| traces.resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }

    /// The only span of this name and kind.
    #[track_caller]
    fn span(&self, name: &str, kind: SpanKind) -> Span {
        let mut spans = self.spans();
        let all: Vec<_> = spans.iter().map(|span| (span.name.clone(), span.kind())).collect();
        spans.retain(|span| span.name == name && span.kind() == kind);
        assert_eq!(spans.len(), 1, "{name} {kind:?} of {all:?}");
        spans.remove(0)
    }

    /// All metrics of this name, the latest last.
    fn metrics(&self, name: &str) -> Vec<Metric> {
        let decode = |post: Received| ExportMetricsServiceRequest::decode(post.body).unwrap();
        let resources =
            self.posts("/v1/metrics").into_iter().map(decode).flat_map(|all| all.resource_metrics);
        let metrics = resources.flat_map(|resource| resource.scope_metrics).flat_map(|scope| scope.metrics);
        metrics.filter(|metric| metric.name == name).collect()
    }
}

fn attributes(pairs: &[KeyValue]) -> BTreeMap<&str, &str> {
    let text = |pair: &KeyValue| match pair.value.as_ref()?.value.as_ref()? {
        Any::StringValue(text) => Some(text.clone()),
        other => panic!("{other:?}"),
    };
    pairs.iter().map(|pair| (&*pair.key, &*text(pair).unwrap().leak())).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A gateway before the odd scenario, which exports to this address, and its files.
struct Started {
    gateway: Process,
    _directory: TempDir,
}

fn start(to: SocketAddr, set: impl FnOnce(&mut Command)) -> Started {
    let (directory, scenario) = played(&Scenario::odd());
    let mut command = program(&["serve", "--strategy", "full", "--", UPSTREAM, &scenario]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{to}")).env("NO_PROXY", "127.0.0.1");
    set(&mut command);
    Started { gateway: Process::start(&mut command), _directory: directory }
}

impl Started {
    fn opened(mut self) -> Self {
        self.gateway.initialize();
        self
    }

    #[track_caller]
    fn call(&mut self, tool: &str, meta: Value) -> Value {
        let arguments = json!({"text": "s3cret-argument"});
        self.gateway.request("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
    }

    /// The `_meta` of the last call that reached the upstream.
    #[track_caller]
    fn relayed(&mut self, meta: &Value) -> Value {
        let read = self.gateway.request("resources/read", json!({"uri": JOURNAL, "_meta": meta}));
        let journal: Vec<Value> =
            serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
        let call = journal.iter().rfind(|message| message["method"] == "tools/call").unwrap();
        call["params"]["_meta"].clone()
    }
}

/// Calls a tool in the trace, and checks what the upstream gets and the spans: of the server, and of the client.
fn continues(mut started: Started, collector: &Collector, own: Value) -> (Span, Span) {
    let mut meta = own.clone();
    for (name, value) in [("traceparent", PARENT), ("tracestate", "a=1"), ("baggage", "user=7")] {
        meta[name] = value.into();
    }
    let answer = started.call("echo", meta);
    assert_eq!(answer["result"]["structuredContent"]["given"]["text"], "s3cret-argument", "{answer}");
    let relayed = started.relayed(&own);
    started.gateway.finish().says(0, &[]);
    let server = collector.span("tools/call echo", SpanKind::Server);
    let client = collector.spans().into_iter().find(|span| span.parent_span_id == server.span_id).unwrap();
    assert_eq!(hexadecimal(&server.trace_id), TRACE);
    assert_eq!(
        (hexadecimal(&server.parent_span_id), &*server.trace_state),
        ("00f067aa0ba902b7".into(), "a=1")
    );
    assert_eq!(
        (&*client.name, client.kind(), &client.trace_id),
        ("tools/call", SpanKind::Client, &server.trace_id)
    );
    assert_eq!(relayed["traceparent"], format!("00-{TRACE}-{}-01", hexadecimal(&client.span_id)));
    assert_eq!((&relayed["tracestate"], &relayed["baggage"]), (&json!("a=1"), &json!("user=7")));
    (server, client)
}

#[test]
fn o3_a_call_continues_the_clients_trace_and_the_upstream_ours() {
    let collector = Collector::start();
    let started = start(collector.address(), |command| {
        command
            .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0ken")
            .env("OTEL_SERVICE_NAME", "mine")
            .env("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
    });
    let (server, client) = continues(started.opened(), &collector, json!({}));
    let of_server = attributes(&server.attributes);
    for (name, value) in [
        ("rpc.system", "jsonrpc"),
        ("mcp.method.name", "tools/call"),
        ("gen_ai.tool.name", "echo"),
        ("gen_ai.operation.name", "execute_tool"),
        ("jsonrpc.request.id", "2"),
        ("mcp_disclosure.strategy", "full"),
        ("mcp_disclosure.outcome", "ok"),
    ] {
        assert_eq!(of_server.get(name), Some(&value), "{name} in {of_server:?}");
    }
    assert_eq!(of_server["mcp_disclosure.session"].len(), 8);
    assert_eq!(
        of_server["mcp_disclosure.upstream"],
        attributes(&client.attributes)["mcp_disclosure.upstream"]
    );
    let headers = collector.posts("/v1/traces").remove(0).headers;
    assert_eq!(
        (&headers["authorization"], &headers["content-type"]),
        (&"Bearer t0ken".parse().unwrap(), &"application/x-protobuf".parse().unwrap())
    );
    let resource = collector.traces().remove(0).resource_spans.remove(0).resource.unwrap();
    let resource = attributes(&resource.attributes);
    assert_eq!((resource["service.name"], resource["deployment.environment.name"]), ("mine", "test"));
    for posted in collector.0.received() {
        let text = String::from_utf8_lossy(&posted.body);
        assert!(!text.contains("s3cret") && !text.contains("t0ken"), "{}: {text}", posted.uri);
    }
}

#[test]
fn o3_a_stateless_call_continues_the_clients_trace_as_well() {
    let collector = Collector::start();
    let started = start(collector.address(), |_| {});
    let (server, _) = continues(started, &collector, stateless(json!({})));
    assert!(!attributes(&server.attributes).contains_key("mcp_disclosure.session"));
}

#[test]
fn o3_a_bad_traceparent_starts_a_new_trace_and_a_failure_is_marked() {
    let collector = Collector::start();
    let mut started = start(collector.address(), |_| {}).opened();
    for parent in [json!(PARENT.to_uppercase()), json!(7)] {
        let answer = started.call("echo", json!({"traceparent": parent, "tracestate": "a=1"}));
        assert!(answer["result"].is_object(), "{answer}");
        let relayed = started.relayed(&json!({}));
        let ours = relayed["traceparent"].as_str().unwrap();
        assert!(ours.len() == 55 && !ours.contains(TRACE), "{ours}");
        assert_eq!(relayed.get("tracestate"), None, "it belongs to the parent that was not taken");
    }
    started.call("refusing", json!({}));
    started.call("no such tool s3cret", json!({}));
    started.gateway.finish().says(0, &[]);
    let failed = collector.span("tools/call refusing", SpanKind::Server);
    assert_eq!(attributes(&failed.attributes)["error.type"], "upstream_error");
    let status = failed.status.unwrap();
    assert_eq!((status.code, &*status.message), (2, ""));
    let unknown = collector.span("tools/call", SpanKind::Server);
    assert_eq!(attributes(&unknown.attributes)["error.type"], "unknown");
}

#[test]
fn o3_metrics_are_those_of_the_address_for_operators() {
    let collector = Collector::start();
    let mut started = start(collector.address(), |command| {
        command.env("OTEL_METRIC_EXPORT_INTERVAL", "200");
    })
    .opened();
    for _ in 0..3 {
        started.call("echo", json!({}));
    }
    // The state is exported as long as there is a gateway.
    assert!(until(|| !collector.metrics("mcp_disclosure_upstream_up").is_empty()));
    started.gateway.finish().says(0, &[]);
    let calls = collector.metrics("mcp_disclosure_calls_total").pop().unwrap();
    let Some(Data::Sum(sum)) = calls.data else { panic!("{calls:?}") };
    assert!(sum.is_monotonic && sum.aggregation_temporality == 2);
    let labels = BTreeMap::from([("strategy", "full"), ("outcome", "ok")]);
    let point = sum.data_points.iter().find(|point| attributes(&point.attributes) == labels).unwrap();
    assert_eq!(point.value, Some(Number::AsDouble(3.0)));
    assert!(point.start_time_unix_nano > 0 && point.start_time_unix_nano < point.time_unix_nano);
    let durations = collector.metrics("mcp_disclosure_call_duration_seconds").pop().unwrap();
    let Some(Data::Histogram(histogram)) = durations.data else { panic!("{durations:?}") };
    let point = &histogram.data_points[0];
    assert_eq!((point.count, point.bucket_counts.iter().sum::<u64>()), (3, 3));
    assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
}

/// Calls are answered, and the program ends in time, whatever its receiver does. Returns what it logged.
fn unhindered(address: SocketAddr, logs: Option<&str>) -> String {
    let mut started = start(address, |command| {
        command.env("OTEL_BSP_SCHEDULE_DELAY", "1").env("OTEL_BSP_MAX_QUEUE_SIZE", "2");
    })
    .opened();
    for _ in 0..100 {
        assert!(started.call("echo", json!({}))["result"].is_object());
    }
    logs.iter().for_each(|text| drop(started.gateway.logged(text)));
    let begun = Instant::now();
    let ended = started.gateway.finish();
    // Two seconds for what was not sent, and some for a busy machine; a delivery may take ten.
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    ended.says(0, &[]);
    ended.stderr
}

#[test]
fn o3_a_receiver_that_is_down_holds_nothing_up_and_is_one_warning_a_minute() {
    let nobody = HeldPort::take();
    let log = unhindered(nobody.address(), Some("spans are lost"));
    assert_eq!(log.lines().filter(|line| line.contains("exported")).count(), 1, "{log}");
}

#[test]
fn o3_a_receiver_that_never_answers_holds_nothing_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let log = unhindered(silent.local_addr().unwrap(), None);
    assert!(log.contains("cannot be exported in time"), "{log}");
}

#[test]
fn o3_disabled_it_relays_the_clients_trace_and_sends_nothing() {
    let collector = Collector::start();
    let mut started = start(collector.address(), |command| {
        command.env("OTEL_SDK_DISABLED", "true");
    })
    .opened();
    started.call("echo", json!({"traceparent": PARENT}));
    assert_eq!(started.relayed(&json!({})), json!({"traceparent": PARENT}));
    started.gateway.finish().says(0, &[]);
    assert!(collector.0.received().is_empty());
}

#[test]
fn o3_a_variable_that_cannot_be_followed_ends_the_start() {
    let collector = Collector::start();
    let started = start(collector.address(), |command| {
        command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    });
    started.gateway.finish().says(64, &["OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"]);
}
