//! Limits on the resources that a peer may use.

use std::time::Duration;

/// A limit, and the setting that changes it. Errors name both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The maximum.
    pub most: usize,
    /// The setting, such as `limits.message_depth`.
    pub setting: &'static str,
}

/// The limits of one connection. The owner sets them: this crate has no defaults.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Size of one message from the peer: a line, a body or an event.
    pub message_bytes: Bound,
    /// Nesting depth of a message, in either direction.
    pub message_depth: Bound,
    /// Messages in one batch of the peer (2025-03-26).
    pub batch_messages: Bound,
    /// Bytes of messages not yet read by the peer.
    pub queue_bytes: Bound,
    /// Of these, the requests of one [owner](crate::Call::owner).
    pub queue_share_bytes: Bound,
    /// Lines of stderr logged per minute, and lines about output that is not as it should be.
    pub stderr_lines: Bound,
    /// Characters kept of a line of stderr.
    pub stderr_characters: usize,
    /// The longest delay before an event stream is resumed, and how long attempts may fail.
    pub resume_wait: Duration,
}
