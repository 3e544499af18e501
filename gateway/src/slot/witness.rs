//! Who watches upstreams come up.

use std::fmt;

use mcp_disclosure_core::{UpstreamLists, UpstreamName};

/// Watches upstreams come up.
pub trait Witness: Send + Sync + fmt::Debug {
    /// An upstream has connected and listed. It is called where upstreams are served, so it must not block.
    fn ready(&self, upstream: &UpstreamName, lists: &UpstreamLists);
}
