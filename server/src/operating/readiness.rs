//! `/readyz`: whether requests have somewhere to go.

use serde::Serialize;

use super::{
    served::Served,
    state::{self, UpstreamState},
};

/// Which upstreams are not ready.
#[derive(Debug, Serialize)]
pub(super) struct Readiness {
    /// Whether there is a gateway that is not about to end, and any upstream serves. While another does, one that restarts does not make the gateway unready: its tools stay
    /// listed, and calls wait for it.
    pub(super) ready: bool,
    /// Whether it was asked to end: running requests are finished.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    draining: bool,
    /// The store of sessions, if there is one. Without it clients without sessions are served, so it does not make the
    /// gateway unready.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// The upstreams that are not ready.
    not_ready: Vec<UpstreamState>,
}

impl Readiness {
    pub(super) fn of(served: &Served) -> Self {
        let upstreams = state::upstreams(served);
        let gateway = served.gateway();
        let draining = gateway.as_ref().is_some_and(|gateway| gateway.shutdown().is_cancelled());
        let ready = gateway.is_some() && !draining && upstreams.iter().any(UpstreamState::is_ready);
        let not_ready = upstreams.into_iter().filter(|upstream| !upstream.is_ready()).collect();
        Self { ready, draining, store: state::store(served), not_ready }
    }
}
