//! Limits on the resources that a server may use.

use std::time::Duration;

use mcp_disclosure_transport::{Bound, Bounds};

/// Size of one list, all pages of it, and of one message from the server; results may carry images.
pub(crate) const LIST_BYTES: Bound = fixed(256 * 1024 * 1024);

pub(crate) const BOUNDS: Bounds = Bounds {
    message_bytes: LIST_BYTES,
    message_depth: fixed(128),
    batch_messages: fixed(1000),
    queue_bytes: fixed(16 * 1024 * 1024),
    queue_share_bytes: fixed(16 * 1024 * 1024),
    stderr_lines: 600,
    stderr_characters: 1024,
    resume_wait: Duration::from_secs(30),
};

const fn fixed(most: usize) -> Bound {
    Bound { most, setting: "" }
}
