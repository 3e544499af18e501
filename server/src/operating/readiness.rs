//! `/readyz`: whether requests have somewhere to go.

use serde::Serialize;

use super::{
    served::Served,
    state::{self, UpstreamState},
};

/// Which upstreams are not ready.
#[derive(Debug, Serialize)]
pub(super) struct Readiness {
    /// Whether there is a gateway, and any upstream serves. While another does, one that restarts does not make the gateway unready: its tools stay
    /// listed, and calls wait for it.
    pub(super) ready: bool,
    /// The upstreams that are not ready.
    not_ready: Vec<UpstreamState>,
}

impl Readiness {
    pub(super) fn of(served: &Served) -> Self {
        let upstreams = state::upstreams(served);
        let ready = served.gateway().is_some() && upstreams.iter().any(UpstreamState::is_ready);
        Self { ready, not_ready: upstreams.into_iter().filter(|upstream| !upstream.is_ready()).collect() }
    }
}
