//! Who watches upstreams come up.

use std::{fmt, sync::Arc};

use mcp_disclosure_core::{UpstreamLists, UpstreamName};

use super::Slot;

/// Watches upstreams come up. Its methods are called where upstreams are served, so they must not block; they do nothing by
/// default.
pub trait Witness: Send + Sync + fmt::Debug {
    /// The upstreams that clients share are being started; there is no gateway as long as one of them is
    /// [awaited](crate::upstream::UpstreamConfig::awaited).
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        let _ = slots;
    }

    /// An upstream has connected and listed.
    fn ready(&self, upstream: &UpstreamName, lists: &UpstreamLists) {
        let _ = (upstream, lists);
    }
}
