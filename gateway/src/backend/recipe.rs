//! The configuration from which backends are started.

use std::sync::Arc;

use mcp_disclosure_core::{DisclosureStrategy, UpstreamName};

use crate::{
    limits::Limits,
    lineage::Lineage,
    upstream::{Target, Timeouts},
};

/// Everything needed to start a backend, any number of times.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The upstreams, with the names the operator gave them.
    pub targets: Vec<(Option<UpstreamName>, Target)>,
    /// Time-outs of upstreams.
    pub timeouts: Timeouts,
    /// Limits on the resources that upstreams may use.
    pub limits: Limits,
    /// The strategies that may serve clients, and whose own tools reserve names.
    pub strategies: Vec<Arc<dyn DisclosureStrategy>>,
    /// The gateways that lead to this one.
    pub lineage: Arc<Lineage>,
}
