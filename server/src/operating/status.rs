//! The status: what the page shows, and what programs read as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    metrics::Metrics,
    served::Served,
    state::{self, Totals, UpstreamState},
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
        let losses = metrics.losses.as_ref();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            uptime_seconds: metrics.begun.elapsed().as_secs(),
            upstreams: state::upstreams(served),
            store: state::store(served),
            clients: state::clients(served),
            totals: metrics.totals(),
            audit: losses.map(|losses| Records { written: losses.written(), lost: losses.lost() }),
        }
    }
}
