//! The status: what the page shows, and what programs read as JSON.

use std::collections::BTreeMap;

use mcp_disclosure_gateway::observe::Outcome;
use serde::Serialize;

use super::{
    metrics::Metrics,
    served::Served,
    state::{self, UpstreamState},
};

/// The state of a gateway, and what it did since its start.
#[derive(Debug, Serialize)]
pub(super) struct Status {
    /// The program's version.
    pub(super) version: &'static str,
    /// Since the start.
    pub(super) uptime_seconds: u64,
    /// The upstreams, in the order of the configuration.
    pub(super) upstreams: Vec<UpstreamState>,
    /// Whether the store of sessions is `up` or `down`, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<&'static str>,
    /// Open sessions, by the strategy that serves them.
    pub(super) clients: BTreeMap<String, usize>,
    #[serde(flatten)]
    pub(super) totals: Totals,
    /// The audit log, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) audit: Option<Records>,
}

/// Records of the audit log.
#[derive(Debug, Serialize)]
pub(super) struct Records {
    pub(super) written: u64,
    pub(super) lost: u64,
}

impl Status {
    pub(super) fn of(served: &Served, metrics: &Metrics) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            uptime_seconds: metrics.uptime().as_secs(),
            upstreams: state::upstreams(served),
            store: state::store(served),
            clients: state::clients(served),
            totals: metrics.totals(),
            audit: metrics.losses().map(|losses| Records { written: losses.written(), lost: losses.lost() }),
        }
    }
}

/// What the status shows of what happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Totals {
    /// Calls of tools, of strategies' own as well, whatever became of them.
    pub(super) calls: u64,
    /// Calls and fetches that a strategy or the check of arguments refused.
    pub(super) refusals: u64,
    /// Requests that delivered descriptions.
    pub(super) fetches: u64,
    /// Tokens of the lists of tools that were sent.
    pub(super) tokens_listed: u64,
    /// Tokens that complete lists of the same tools would have had.
    pub(super) tokens_full: u64,
    /// The same by principal.
    pub(super) principals: BTreeMap<String, Tokens>,
    /// Calls that were sent to an upstream or waited for it, by upstream and by what became of them.
    pub(super) upstream_calls: BTreeMap<String, BTreeMap<String, u64>>,
    /// Searches that found nothing, or only weak hits.
    pub(super) searches_missed: u64,
    /// Changed files that were not taken over.
    pub(super) reload_failures: u64,
    /// Open HTTP connections of clients, and how many there may be; 0 over stdio.
    pub(super) http_connections: i64,
    pub(super) http_connections_limit: i64,
}

/// Tokens of the lists of one principal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(super) struct Tokens {
    /// Of those that were sent.
    pub(super) listed: u64,
    /// Of complete ones of the same tools.
    pub(super) full: u64,
}

/// Outcomes that are no error.
const GOOD: [Outcome; 2] = [Outcome::Ok, Outcome::InputRequired];

impl Totals {
    /// Calls of an upstream: all, and those without a good result.
    pub(super) fn calls_of(&self, upstream: &str) -> (u64, u64) {
        let Some(calls) = self.upstream_calls.get(upstream) else { return (0, 0) };
        let all: u64 = calls.values().sum();
        (all, all - GOOD.iter().filter_map(|good| calls.get(good.name())).sum::<u64>())
    }
}
