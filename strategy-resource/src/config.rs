//! Settings of `resource`: the section `[strategy.resource]`.

use mcp_disclosure_core::{FetchBounds, SessionReceipts};
use serde::Deserialize;

/// Bounds of requests, and of answers to unknown names.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceConfig {
    /// `available_tools` contains every listed name if there are at most this many. Default: 100.
    pub available_tools: usize,
    /// If there are more, it contains this many of the most similar names. Default: 20.
    pub nearest_tools: usize,
    /// Maximum number of tools in one fetch. Default: 64.
    pub most_names: usize,
    /// The proof of a fetch in sessions: "session", a mark there; "signed", a receipt that calls contain; "auto", the default, a mark, and
    /// a receipt as well for a client that reads in one session and calls in another.
    pub receipts: SessionReceipts,
}

impl Default for ResourceConfig {
    fn default() -> Self {
        let FetchBounds { available_tools, nearest_tools, most_names } = FetchBounds::default();
        Self { available_tools, nearest_tools, most_names, receipts: SessionReceipts::default() }
    }
}

impl ResourceConfig {
    /// The bounds of fetches.
    pub(crate) fn bounds(&self) -> FetchBounds {
        let Self { available_tools, nearest_tools, most_names, .. } = *self;
        FetchBounds { available_tools, nearest_tools, most_names }
    }
}
