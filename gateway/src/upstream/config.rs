//! The configuration of an upstream.

use mcp_disclosure_core::UpstreamName;

use super::{Target, UpstreamSettings};

/// An upstream as configured: what it is called, how it is reached, and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct UpstreamConfig {
    /// The operator's name for it; without one it is derived from `serverInfo`.
    pub name: Option<UpstreamName>,
    /// How to start or reach it.
    pub target: Target,
    /// Its settings.
    pub settings: UpstreamSettings,
    /// Whether the gateway starts only after this upstream was tried. Otherwise clients are served at once, and
    /// the upstream joins when it is ready.
    pub awaited: bool,
}

impl UpstreamConfig {
    /// An upstream that the start waits for, with default settings.
    pub fn new(name: impl Into<Option<UpstreamName>>, target: Target) -> Self {
        Self { name: name.into(), target, settings: UpstreamSettings::default(), awaited: true }
    }
}

impl From<Target> for UpstreamConfig {
    fn from(target: Target) -> Self {
        Self::new(None, target)
    }
}
