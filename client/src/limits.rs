//! Limits on the resources that a server may use. Errors name them.

use std::time::Duration;

use mcp_disclosure_transport::{Bound, Bounds};

/// Size of one message from the server; results may carry images.
pub const MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// Size of one list, all pages of it.
pub const LIST_BYTES: usize = 256 * 1024 * 1024;

/// Nesting depth of a message, in either direction.
pub const MESSAGE_DEPTH: usize = 128;

/// Messages in one batch of the server (2025-03-26).
pub const BATCH_MESSAGES: usize = 1000;

/// Bytes of messages not yet read by the server.
pub const QUEUE_BYTES: usize = 16 * 1024 * 1024;

/// Lines of a child process's stderr logged per minute.
pub const STDERR_LINES: usize = 600;

/// Characters kept of a line of stderr.
pub const STDERR_CHARACTERS: usize = 1024;

/// The longest delay before an event stream is resumed, and how long attempts may fail.
pub const RESUME_WAIT: Duration = Duration::from_secs(30);

macro_rules! bound {
    ($name:ident) => {
        Bound { most: $name, setting: concat!("mcp_disclosure_client::limits::", stringify!($name)) }
    };
}

pub(crate) fn bounds() -> Bounds {
    Bounds {
        message_bytes: bound!(MESSAGE_BYTES),
        message_depth: bound!(MESSAGE_DEPTH),
        batch_messages: bound!(BATCH_MESSAGES),
        queue_bytes: bound!(QUEUE_BYTES),
        queue_share_bytes: bound!(QUEUE_BYTES),
        stderr_lines: STDERR_LINES,
        stderr_characters: STDERR_CHARACTERS,
        resume_wait: RESUME_WAIT,
    }
}

pub(crate) fn list_bytes() -> Bound {
    bound!(LIST_BYTES)
}
