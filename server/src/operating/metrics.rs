//! Metrics: what happened, counted as it happens, and the state when they are read, in Prometheus' text format.
//!
//! Labels have few values: strategies that are offered, outcomes and codes of this program, upstreams of the
//! configuration, and the first principals. Tools and what clients call themselves are no labels, since peers could make any number.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use mcp_disclosure_core::{Kind, Note, printable::one_line};
use mcp_disclosure_gateway::{
    catalogue::Page,
    observe::{Called, Observer, Outcome, ToolChanges, Who},
};
use prometheus::{
    Gauge, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
    core::Collector,
    proto::{Metric, MetricFamily},
};

use super::{
    audit::Losses,
    counting::{Counters, Counting},
    served::Served,
    state::{self, Tokens, Totals},
};
use crate::failure::Failure;

/// Upper bounds of durations, in seconds. A request may take 120 s by default.
const DURATIONS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0];

/// The numbers of one run.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    calls: IntCounterVec,
    resolutions: IntCounterVec,
    refusals: IntCounterVec,
    unjudged: IntCounterVec,
    fetches: IntCounterVec,
    fallbacks: IntCounter,
    missed: IntCounterVec,
    upstream_calls: IntCounterVec,
    tool_changes: IntCounterVec,
    connections: IntGauge,
    most_connections: IntGauge,
    reload_failures: IntCounter,
    opened: IntCounterVec,
    turned_away: IntCounterVec,
    durations: HistogramVec,
    counting: Counting,
    /// The losses of the audit log, if there is one.
    pub(super) losses: Option<Arc<Losses>>,
    pub(super) begun: Instant,
}

impl Metrics {
    pub(super) fn new(losses: Option<Arc<Losses>>) -> Result<Self, Failure> {
        let registry = Registry::new();
        let metrics = Family { registry: &registry };
        let counters = Counters {
            listed: metrics.counter(
                "tokens_listed_total",
                "Tokens (o200k_base) of the lists of tools that were sent.",
                &["strategy"],
            ),
            full: metrics.counter(
                "tokens_full_total",
                "Tokens (o200k_base) that complete lists of the same tools would have had.",
                &["strategy"],
            ),
            listed_to: metrics.counter(
                "principal_tokens_listed_total",
                "Tokens of lists by principal: the first 50 that came, and all others together.",
                &["principal"],
            ),
            full_to: metrics.counter(
                "principal_tokens_full_total",
                "Tokens that complete lists would have had, by principal as above.",
                &["principal"],
            ),
            uncounted: metrics.single(
                "lists_uncounted_total",
                "Lists of tools that were sent and whose tokens are not counted: new ones when there were too many at once.",
            ),
        };
        let buckets = HistogramOpts::new(
            "mcp_disclosure_call_duration_seconds",
            "Duration of calls that were forwarded, by upstream.",
        );
        let durations = metrics.kept(HistogramVec::new(buckets.buckets(DURATIONS.to_vec()), &["upstream"]));
        let made = Self {
            calls: metrics.counter(
                "calls_total",
                "Calls of tools, by what became of them. Calls of strategies' own tools are 'answered'.",
                &["strategy", "outcome"],
            ),
            resolutions: metrics.counter(
                "resolutions_total",
                "Questions what a call would be like (tools/resolve), by what became of them.",
                &["strategy", "outcome"],
            ),
            refusals: metrics.counter(
                "refusals_total",
                "Calls and fetches that were refused by the strategy or for wrong arguments, by the refusal's code.",
                &["strategy", "code"],
            ),
            unjudged: metrics.counter(
                "arguments_not_judged_total",
                "Calls whose arguments were not checked, or not against all of their schema, and that went on.",
                &["strategy"],
            ),
            fetches: metrics.counter(
                "fetches_total",
                "Requests that delivered descriptions of tools.",
                &["strategy"],
            ),
            fallbacks: metrics.single(
                "search_fallbacks_total",
                "Searches that the built-in ranking answered, since the operator's model did not.",
            ),
            missed: metrics.counter(
                "searches_missed_total",
                "Searches that found nothing, or only weak hits.",
                &["strategy"],
            ),
            upstream_calls: metrics.counter(
                "upstream_calls_total",
                "Calls that were sent to an upstream or waited for it, by what became of them.",
                &["upstream", "outcome"],
            ),
            tool_changes: metrics.counter(
                "tool_definition_changes_total",
                "Definitions of an upstream's tools that came, went or changed; the log names each.",
                &["upstream", "kind"],
            ),
            connections: metrics.single_gauge("http_connections", "Open HTTP connections of clients."),
            most_connections: metrics.single_gauge(
                "http_connections_limit",
                "How many there may be; one more makes another give way (limits.connections).",
            ),
            reload_failures: metrics.single(
                "reload_failures_total",
                "Changed files that were not taken over; the log says why.",
            ),
            turned_away: metrics.counter(
                "http_refusals_total",
                "HTTP requests that were answered with a status from 400 on.",
                &["status"],
            ),
            opened: metrics.counter("sessions_opened_total", "Sessions that were opened.", &["strategy"]),
            durations,
            counting: Counting::start(counters)?,
            losses,
            begun: Instant::now(),
            registry: registry.clone(),
        };
        made.about_the_process();
        Ok(made)
    }

    /// What does not change.
    fn about_the_process(&self) {
        let metrics = Family { registry: &self.registry };
        let build = Opts::new("mcp_disclosure_build_info", "The version of the program; always 1.")
            .const_label("version", env!("CARGO_PKG_VERSION"));
        metrics.kept(IntGauge::with_opts(build)).set(1);
        let start =
            Opts::new("process_start_time_seconds", "When the process started, in seconds since 1970.");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        metrics.kept(Gauge::with_opts(start)).set(now.as_secs_f64());
    }

    /// Shows strategies before the first client comes: a rate needs a zero to start from.
    pub(super) fn expect(&self, strategies: &[String]) {
        for status in ["401", "403"] {
            let _zero = self.turned_away.with_label_values(&[status]);
        }
        let Counters { listed, full, .. } = &self.counting.counters;
        for strategy in strategies {
            for counter in [&self.unjudged, &self.fetches, &self.missed, &self.opened, listed, full] {
                let _zero = counter.with_label_values(&[strategy]);
            }
            for outcome in [Outcome::Ok, Outcome::ToolError, Outcome::Refused, Outcome::Failed] {
                let _zero = self.calls.with_label_values(&[&**strategy, outcome.name()]);
                let _zero = self.resolutions.with_label_values(&[&**strategy, outcome.name()]);
            }
        }
    }

    /// The sums over all labels.
    pub(super) fn totals(&self) -> Totals {
        let sum = |counter: &IntCounterVec| by_labels(counter).iter().map(|(_, value)| value).sum();
        let Counters { listed, full, listed_to, full_to, .. } = &self.counting.counters;
        let mut principals: BTreeMap<String, Tokens> = BTreeMap::new();
        for (labels, value) in by_labels(listed_to) {
            principals.entry(labels.concat()).or_default().listed = value;
        }
        for (labels, value) in by_labels(full_to) {
            principals.entry(labels.concat()).or_default().full = value;
        }
        principals.retain(|_, tokens| tokens.full > 0);
        let mut upstream_calls: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for (labels, value) in by_labels(&self.upstream_calls) {
            // In the order of their names: outcome, upstream.
            if let [outcome, upstream] = &*labels {
                upstream_calls.entry(upstream.clone()).or_default().insert(outcome.clone(), value);
            }
        }
        Totals {
            principals,
            upstream_calls,
            searches_missed: sum(&self.missed),
            reload_failures: self.reload_failures.get(),
            http_connections: self.connections.get(),
            http_connections_limit: self.most_connections.get(),
            calls: sum(&self.calls),
            refusals: sum(&self.refusals),
            fetches: sum(&self.fetches),
            tokens_listed: sum(listed),
            tokens_full: sum(full),
        }
    }

    /// Everything: what was counted, and the state of what there is of a gateway.
    pub(super) fn families(&self, served: &Served) -> Vec<MetricFamily> {
        let now = Registry::new();
        self.add_state(&now, served);
        self.registry.gather().into_iter().chain(now.gather()).collect()
    }

    /// Everything as text.
    pub(super) fn text(&self, served: &Served) -> String {
        let families = self.families(served);
        TextEncoder::new().encode_to_string(&families).unwrap_or_else(|error| {
            tracing::error!(%error, "metrics cannot be written as text");
            String::new()
        })
    }

    /// The state of this moment, in a registry of its own, so that what is gone leaves nothing behind.
    fn add_state(&self, now: &Registry, served: &Served) {
        let metrics = Family { registry: now };
        let sessions =
            metrics.gauge("sessions", "Open sessions, by the strategy that serves them.", &["strategy"]);
        for (strategy, count) in state::clients(served) {
            sessions.with_label_values(&[&strategy]).set(number(count));
        }
        let up = metrics.gauge("upstream_up", "Whether an upstream is ready.", &["upstream"]);
        let tools = metrics.gauge("upstream_tools", "Tools that an upstream offers.", &["upstream"]);
        let restarts = metrics.counter(
            "upstream_restarts_total",
            "How often an upstream was connected again.",
            &["upstream"],
        );
        for upstream in state::upstreams(served) {
            let name = one_line(&upstream.name);
            let label = [&*name];
            up.with_label_values(&label).set(i64::from(upstream.is_ready()));
            tools.with_label_values(&label).set(number(upstream.tools));
            restarts.with_label_values(&label).inc_by(upstream.restarts);
        }
        if let Some(store) = state::store(served) {
            metrics
                .single_gauge("session_store_up", "Whether the store of sessions can be used.")
                .set(i64::from(store == "up"));
        }
        if let Some(losses) = &self.losses {
            let written =
                metrics.single("audit_records_total", "Records of the audit log that were written.");
            written.inc_by(losses.written());
            let lost =
                metrics.single("audit_lost_total", "Records of the audit log that could not be written.");
            lost.inc_by(losses.lost());
        }
    }
}

impl Observer for Metrics {
    fn called(&self, call: &Called<'_>) {
        if call.method == "tools/resolve" {
            self.resolutions.with_label_values(&[call.who.strategy, call.outcome.name()]).inc();
            return;
        }
        self.calls.with_label_values(&[call.who.strategy, call.outcome.name()]).inc();
        if let Some(code) = call.refusal {
            self.refusals.with_label_values(&[call.who.strategy, code]).inc();
        }
        if call.is_unjudged {
            self.unjudged.with_label_values(&[call.who.strategy]).inc();
        }
        if let (Some(upstream), true) = (call.upstream, call.outcome.is_call()) {
            let upstream = one_line(upstream);
            self.durations.with_label_values(&[&*upstream]).observe(call.duration.as_secs_f64());
            self.upstream_calls.with_label_values(&[&*upstream, call.outcome.name()]).inc();
        }
    }

    fn noted(&self, who: &Who<'_>, note: Note) {
        match note {
            Note::Delivered => self.fetches.with_label_values(&[who.strategy]).inc(),
            Note::FellBack => self.fallbacks.inc(),
            Note::Missed => self.missed.with_label_values(&[who.strategy]).inc(),
        }
    }

    fn connected(&self, open: usize, most: usize) {
        self.connections.set(number(open));
        self.most_connections.set(number(most));
    }

    fn kept_old(&self) {
        self.reload_failures.inc();
    }

    fn fetch_refused(&self, who: &Who<'_>, code: &'static str) {
        self.refusals.with_label_values(&[who.strategy, code]).inc();
    }

    fn listed(&self, who: &Who<'_>, kind: Kind, page: &Arc<Page>) {
        if kind == Kind::Tools {
            self.counting.sent(who, page);
        }
    }

    fn filtered(&self, who: &Who<'_>, page: &Arc<Page>, names: &[String]) {
        self.counting.sent_some(who, page, names);
    }

    fn turned_away(&self, status: u16) {
        self.turned_away.with_label_values(&[&*status.to_string()]).inc();
    }

    fn tools_changed(&self, changes: &ToolChanges<'_>) {
        let upstream = one_line(changes.upstream);
        for kind in ["added", "changed", "removed"] {
            let count = changes.changes.iter().filter(|change| change.kind() == kind).count();
            let counter = self.tool_changes.with_label_values(&[&*upstream, kind]);
            counter.inc_by(u64::try_from(count).unwrap_or(u64::MAX));
        }
    }

    fn opened(&self, who: &Who<'_>) {
        self.opened.with_label_values(&[who.strategy]).inc();
    }
}

/// Makes metrics whose names begin as ours do, and registers them.
struct Family<'a> {
    registry: &'a Registry,
}

impl Family<'_> {
    fn counter(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.kept(IntCounterVec::new(options(name, help), labels))
    }

    fn single(&self, name: &str, help: &str) -> IntCounter {
        self.kept(IntCounter::with_opts(options(name, help)))
    }

    fn single_gauge(&self, name: &str, help: &str) -> IntGauge {
        self.kept(IntGauge::with_opts(options(name, help)))
    }

    fn gauge(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.kept(IntGaugeVec::new(options(name, help), labels))
    }

    /// Names and labels are constants of this file, which a test makes all of.
    fn kept<C: Collector + Clone + 'static>(&self, made: prometheus::Result<C>) -> C {
        let metric = made.expect("a valid name, and labels without repetition");
        self.registry.register(Box::new(metric.clone())).expect("each name is registered once");
        metric
    }
}

/// The values of a counter, by the values of its labels.
fn by_labels(counter: &IntCounterVec) -> Vec<(Vec<String>, u64)> {
    let families = counter.collect();
    let each = families.iter().flat_map(|family| family.get_metric());
    let labels = |one: &Metric| one.get_label().iter().map(|label| label.value().to_owned()).collect();
    each.map(|one| (labels(one), one.get_counter().get_value() as u64)).collect()
}

fn options(name: &str, help: &str) -> Opts {
    Opts::new(format!("mcp_disclosure_{name}"), help)
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
