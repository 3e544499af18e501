//! JSON-RPC as text: one message type in and out, for both sides of the gateway.

mod error;
mod lines;
mod message;
mod severity;

pub use error::{ErrorText, code};
pub use lines::{Line, Lines};
pub use message::{Id, Json, Message, Notification, Request, Response};
pub use severity::Severity;

/// The longest line, or HTTP body, that is read: 16 MiB.
pub const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;
