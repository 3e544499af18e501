//! The configuration from which backends are started.

use std::{sync::Arc, time::Duration};

use mcp_disclosure_core::Stack;

use super::Scope;
use crate::{
    catalogue::Said,
    limits::Limits,
    lineage::Lineage,
    observe::Observer,
    slot::{Memory, Witness},
    upstream::Timeouts,
};

/// Everything needed to start a backend, any number of times.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Time-outs of upstreams.
    pub timeouts: Timeouts,
    /// How long lists wait for upstreams that are starting.
    pub wait_for_upstreams: Duration,
    /// Limits on the resources that upstreams may use.
    pub limits: Limits,
    /// Whether clients share upstreams, where an upstream's settings do not say.
    pub scope: Scope,
    /// What upstreams listed in earlier runs of the program.
    pub memory: Option<Arc<dyn Memory>>,
    /// Watches upstreams come up.
    pub witness: Option<Arc<dyn Witness>>,
    /// Observes what upstreams list.
    pub observer: Arc<dyn Observer>,
    /// What was said of changed definitions.
    pub said: Arc<Said>,
    /// Observes what upstreams are asked by calls of their own `info` tools; without an observer they are not asked.
    pub asks: Option<Arc<dyn Observer>>,
    /// The strategies that may serve clients, and whose own tools reserve names.
    pub strategies: Vec<Arc<Stack>>,
    /// The gateways that lead to this one.
    pub lineage: Arc<Lineage>,
}
