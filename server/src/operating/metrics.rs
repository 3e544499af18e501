//! Metrics: what happened, counted as it happens, and the state when they are read, in Prometheus' text format.
//!
//! Labels have few values: strategies that are offered, outcomes and codes of this program, upstreams of the
//! configuration, and the first principals. Tools and what clients call themselves are no labels, since peers could make any number.

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use mcp_disclosure_core::{Note, printable::one_line};
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
use serde_json::{Value, json};

use super::{
    audit::Losses,
    counting::Counting,
    state::{self, Served},
};
use crate::failure::Failure;

/// Upper bounds of durations, in seconds. A request may take 120 s by default.
const DURATIONS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 120.0];

/// Numbers by their fields, each registered under `mcp_disclosure_NAME` with what it is; labels stand behind the name.
macro_rules! numbers {
    ($(#[$about:meta])* $numbers:ident { $($field:ident: $kind:ident($name:literal $(, $label:literal)*) $help:literal;)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub(super) struct $numbers {
            $(pub(super) $field: $kind,)*
        }

        impl $numbers {
            fn new(registry: &Registry) -> Self {
                let options = |name, help| Opts::new(format!("mcp_disclosure_{name}"), help);
                Self { $($field: kept(registry, numbers!($kind, options($name, $help), &[$($label),*])),)* }
            }
        }
    };
    (IntCounter, $options:expr, $labels:expr) => { IntCounter::with_opts($options) };
    (IntGauge, $options:expr, $labels:expr) => { IntGauge::with_opts($options) };
    (HistogramVec, $options:expr, $labels:expr) => {
        HistogramVec::new(HistogramOpts::from($options).buckets(DURATIONS.to_vec()), $labels)
    };
    ($kind:ident, $options:expr, $labels:expr) => { $kind::new($options, $labels) };
}

numbers! {
    /// What happened, counted as it happens.
    Counts {
        calls: IntCounterVec("calls_total", "strategy", "outcome")
            "Calls of tools, by what became of them. Calls of strategies' own tools are 'answered'.";
        resolutions: IntCounterVec("resolutions_total", "strategy", "outcome")
            "Questions what a call would be like (tools/resolve), by what became of them.";
        refusals: IntCounterVec("refusals_total", "strategy", "code")
            "Calls and fetches that were refused by the strategy or for wrong arguments, by the refusal's code.";
        unjudged: IntCounterVec("arguments_not_judged_total", "strategy")
            "Calls whose arguments were not checked, or not against all of their schema, and that went on.";
        fetches: IntCounterVec("fetches_total", "strategy") "Requests that delivered descriptions of tools.";
        fallbacks: IntCounter("search_fallbacks_total")
            "Searches that the built-in ranking answered, since the operator's model did not.";
        missed: IntCounterVec("searches_missed_total", "strategy") "Searches that found nothing, or only weak hits.";
        upstream_calls: IntCounterVec("upstream_calls_total", "upstream", "outcome")
            "Calls that were sent to an upstream or waited for it, by what became of them.";
        durations: HistogramVec("call_duration_seconds", "upstream")
            "Duration of calls that were forwarded, by upstream.";
        tool_changes: IntCounterVec("tool_definition_changes_total", "upstream", "kind")
            "Definitions of an upstream's tools that came, went or changed; the log names each.";
        connections: IntGauge("http_connections") "Open HTTP connections of clients.";
        most_connections: IntGauge("http_connections_limit")
            "How many there may be; one more makes another give way (limits.connections).";
        reload_failures: IntCounter("reload_failures_total")
            "Changed files that were not taken over; the log says why.";
        turned_away: IntCounterVec("http_refusals_total", "status")
            "HTTP requests that were answered with a status from 400 on.";
        opened: IntCounterVec("sessions_opened_total", "strategy") "Sessions that were opened.";
        listed: IntCounterVec("tokens_listed_total", "strategy")
            "Tokens (o200k_base) of the lists of tools that were sent.";
        full: IntCounterVec("tokens_full_total", "strategy")
            "Tokens (o200k_base) that complete lists of the same tools would have had.";
        listed_to: IntCounterVec("principal_tokens_listed_total", "principal")
            "Tokens of lists by principal: the first 50 that came, and all others together.";
        full_to: IntCounterVec("principal_tokens_full_total", "principal")
            "Tokens that complete lists would have had, by principal as above.";
        uncounted: IntCounter("lists_uncounted_total")
            "Lists of tools that were sent and whose tokens are not counted: new ones when there were too many at once.";
    }
}

numbers! {
    /// The state of one moment. What there is none of has no labels, and is not shown.
    Now {
        sessions: IntGaugeVec("sessions", "strategy") "Open sessions, by the strategy that serves them.";
        up: IntGaugeVec("upstream_up", "upstream") "Whether an upstream is ready.";
        tools: IntGaugeVec("upstream_tools", "upstream") "Tools that an upstream offers.";
        restarts: IntCounterVec("upstream_restarts_total", "upstream") "How often an upstream was connected again.";
        store: IntGaugeVec("session_store_up") "Whether the store of sessions can be used.";
        written: IntCounterVec("audit_records_total") "Records of the audit log that were written.";
        lost: IntCounterVec("audit_lost_total") "Records of the audit log that could not be written.";
    }
}

/// The numbers of one run.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    counts: Counts,
    counting: Counting,
    /// The losses of the audit log, if there is one.
    pub(super) losses: Option<Arc<Losses>>,
    pub(super) begun: Instant,
}

impl Metrics {
    pub(super) fn new(losses: Option<Arc<Losses>>) -> Result<Self, Failure> {
        let registry = Registry::new();
        about_the_process(&registry);
        let counts = Counts::new(&registry);
        let counting = Counting::start(counts.clone())?;
        Ok(Self { registry, counts, counting, losses, begun: Instant::now() })
    }

    /// Shows strategies before the first client comes: a rate needs a zero to start from.
    pub(super) fn expect(&self, strategies: &[String]) {
        let counts = &self.counts;
        for status in ["401", "403"] {
            let _zero = counts.turned_away.with_label_values(&[status]);
        }
        let Counts { unjudged, fetches, missed, opened, listed, full, .. } = counts;
        for strategy in strategies {
            for counter in [unjudged, fetches, missed, opened, listed, full] {
                let _zero = counter.with_label_values(&[strategy]);
            }
            for outcome in [Outcome::Ok, Outcome::ToolError, Outcome::Refused, Outcome::Failed] {
                let _zero = counts.calls.with_label_values(&[&**strategy, outcome.name()]);
                let _zero = counts.resolutions.with_label_values(&[&**strategy, outcome.name()]);
            }
        }
    }

    /// What the status shows of what happened: sums over all labels, tokens of lists by principal, and calls by upstream.
    pub(super) fn totals(&self) -> Value {
        let counts = &self.counts;
        let sum =
            |counter: &IntCounterVec| -> u64 { by_labels(counter).iter().map(|(_, value)| value).sum() };
        let (mut principals, mut upstream_calls) = (json!({}), json!({}));
        for (labels, full) in by_labels(&counts.full_to).into_iter().filter(|(_, full)| *full > 0) {
            let listed = counts.listed_to.with_label_values(&labels).get();
            principals[labels.concat()] = json!({"listed": listed, "full": full});
        }
        for (labels, calls) in by_labels(&counts.upstream_calls) {
            if let [upstream, outcome] = &*labels {
                upstream_calls[upstream][outcome] = calls.into();
            }
        }
        json!({
            "calls": sum(&counts.calls),
            "refusals": sum(&counts.refusals),
            "fetches": sum(&counts.fetches),
            "tokens_listed": sum(&counts.listed),
            "tokens_full": sum(&counts.full),
            "principals": principals,
            "upstream_calls": upstream_calls,
            "searches_missed": sum(&counts.missed),
            "reload_failures": counts.reload_failures.get(),
            "http_connections": counts.connections.get(),
            "http_connections_limit": counts.most_connections.get(),
        })
    }

    /// Everything: what was counted, and the state of what there is of a gateway.
    pub(super) fn families(&self, served: &Served) -> Vec<MetricFamily> {
        // The state is in a registry of its own, so that what is gone leaves nothing behind.
        let moment = Registry::new();
        self.add_state(&Now::new(&moment), served);
        self.registry.gather().into_iter().chain(moment.gather()).collect()
    }

    /// Everything as text.
    pub(super) fn text(&self, served: &Served) -> String {
        let families = self.families(served);
        TextEncoder::new().encode_to_string(&families).unwrap_or_else(|error| {
            tracing::error!(%error, "metrics cannot be written as text");
            String::new()
        })
    }

    fn add_state(&self, now: &Now, served: &Served) {
        const NONE: &[&str] = &[];
        for (strategy, count) in state::clients(served) {
            now.sessions.with_label_values(&[&strategy]).set(number(count));
        }
        for upstream in state::upstreams(served) {
            let name = one_line(&upstream.name);
            let label = [&*name];
            now.up.with_label_values(&label).set(i64::from(upstream.is_ready()));
            now.tools.with_label_values(&label).set(number(upstream.tools));
            now.restarts.with_label_values(&label).inc_by(upstream.restarts);
        }
        if let Some(store) = state::store(served) {
            now.store.with_label_values(NONE).set(i64::from(store == "up"));
        }
        if let Some(losses) = &self.losses {
            now.written.with_label_values(NONE).inc_by(losses.written());
            now.lost.with_label_values(NONE).inc_by(losses.lost());
        }
    }
}

impl Observer for Metrics {
    fn called(&self, call: &Called<'_>) {
        if call.method == "tools/resolve" {
            self.counts.resolutions.with_label_values(&[call.who.strategy, call.outcome.name()]).inc();
            return;
        }
        self.counts.calls.with_label_values(&[call.who.strategy, call.outcome.name()]).inc();
        if let Some(code) = call.refusal {
            self.counts.refusals.with_label_values(&[call.who.strategy, code]).inc();
        }
        if call.is_unjudged {
            self.counts.unjudged.with_label_values(&[call.who.strategy]).inc();
        }
        if let (Some(upstream), true) = (call.upstream, call.outcome.is_call()) {
            let upstream = one_line(upstream);
            self.counts.durations.with_label_values(&[&*upstream]).observe(call.duration.as_secs_f64());
            self.counts.upstream_calls.with_label_values(&[&*upstream, call.outcome.name()]).inc();
        }
    }

    fn noted(&self, who: &Who<'_>, note: Note) {
        match note {
            Note::Delivered => self.counts.fetches.with_label_values(&[who.strategy]).inc(),
            Note::FellBack => self.counts.fallbacks.inc(),
            Note::Missed => self.counts.missed.with_label_values(&[who.strategy]).inc(),
        }
    }

    fn connected(&self, open: usize, most: usize) {
        self.counts.connections.set(number(open));
        self.counts.most_connections.set(number(most));
    }

    fn kept_old(&self) {
        self.counts.reload_failures.inc();
    }

    fn fetch_refused(&self, who: &Who<'_>, code: &'static str) {
        self.counts.refusals.with_label_values(&[who.strategy, code]).inc();
    }

    fn listed(&self, who: &Who<'_>, page: &Arc<Page>, names: Option<&[String]>) {
        self.counting.sent(who, page, names);
    }

    fn turned_away(&self, status: u16) {
        self.counts.turned_away.with_label_values(&[&*status.to_string()]).inc();
    }

    fn tools_changed(&self, changes: &ToolChanges<'_>) {
        let upstream = one_line(changes.upstream);
        for kind in ["added", "changed", "removed"] {
            let count = changes.changes.iter().filter(|change| change.kind() == kind).count();
            let counter = self.counts.tool_changes.with_label_values(&[&*upstream, kind]);
            counter.inc_by(u64::try_from(count).unwrap_or(u64::MAX));
        }
    }

    fn opened(&self, who: &Who<'_>) {
        self.counts.opened.with_label_values(&[who.strategy]).inc();
    }
}

/// Registers a number. Names and labels are constants of this file, which a test makes all of.
fn kept<C: Collector + Clone + 'static>(registry: &Registry, made: prometheus::Result<C>) -> C {
    let number = made.expect("a valid name, and labels without repetition");
    registry.register(Box::new(number.clone())).expect("each name is registered once");
    number
}

/// What does not change.
fn about_the_process(registry: &Registry) {
    let build = Opts::new("mcp_disclosure_build_info", "The version of the program; always 1.")
        .const_label("version", env!("CARGO_PKG_VERSION"));
    kept(registry, IntGauge::with_opts(build)).set(1);
    let start = Opts::new("process_start_time_seconds", "When the process started, in seconds since 1970.");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    kept(registry, Gauge::with_opts(start)).set(now.as_secs_f64());
}

/// The values of a counter, by the values of its labels, of which the last comes first, and in their order.
fn by_labels(counter: &IntCounterVec) -> Vec<(Vec<String>, u64)> {
    let families = counter.collect();
    let each = families.iter().flat_map(|family| family.get_metric());
    let labels = |one: &Metric| one.get_label().iter().rev().map(|label| label.value().to_owned()).collect();
    let mut values: Vec<_> = each.map(|one| (labels(one), one.get_counter().get_value() as u64)).collect();
    values.sort();
    values
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
