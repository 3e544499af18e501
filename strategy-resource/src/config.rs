//! Settings of `resource`: what `[strategy.resource]` may hold.

use mcp_disclosure_core::FetchBounds;
use serde::Deserialize;

/// How answers about names nobody has, and large requests, are bounded.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResourceConfig {
    /// `available_tools` names every listed tool up to so many.
    pub available_tools: usize,
    /// Beyond that it names so many of the nearest, and the count of all.
    pub nearest_tools: usize,
    /// One fetch may name at most so many tools.
    pub most_names: usize,
}

impl Default for ResourceConfig {
    fn default() -> Self {
        let FetchBounds { available_tools, nearest_tools, most_names } = FetchBounds::default();
        Self { available_tools, nearest_tools, most_names }
    }
}

impl ResourceConfig {
    /// What of this bounds fetches.
    pub(crate) fn bounds(&self) -> FetchBounds {
        let Self { available_tools, nearest_tools, most_names } = *self;
        FetchBounds { available_tools, nearest_tools, most_names }
    }
}
