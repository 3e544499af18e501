//! Errors between a host and a server.

use std::time::Duration;

use mcp_disclosure_transport::{CallError, ErrorText, HttpError};

use crate::handshake::Unusable;

/// Why there is no result. A tool that fails is not an error here: its result says `isError: true`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server process could not be started.
    #[error("cannot start '{program}'")]
    Start {
        /// The program.
        program: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The address, or a header for it, is invalid.
    #[error("'{given}' is not a valid {what}")]
    Address {
        /// What was given.
        given: String,
        /// What was expected.
        what: &'static str,
    },
    /// Client and server have no revision of MCP in common.
    #[error("the server supports no MCP revision of this client: {reason}")]
    UnsupportedVersion {
        /// What the server answered.
        reason: String,
    },
    /// The connection is closed.
    #[error("the connection to the server is closed: {reason}")]
    Ended {
        /// The cause, as far as it is known; for a child process with its last stderr lines.
        reason: String,
    },
    /// An HTTP request failed; the connection can still be usable.
    #[error("{method}: the server {}", failure.in_full())]
    Http {
        /// The request's method.
        method: String,
        /// The cause.
        failure: HttpError,
    },
    /// The request was not sent: a [bound](crate::limits) was reached.
    #[error("{method}: the server {reason}")]
    Unsent {
        /// The request's method.
        method: String,
        /// Which bound.
        reason: String,
    },
    /// The request timed out. The server was notified that it is cancelled.
    #[error("{method}: no response within {} seconds", waited.as_secs_f64())]
    TimedOut {
        /// The request's method.
        method: String,
        /// The timeout.
        waited: Duration,
    },
    /// The server responded with an error.
    #[error("{method}: {} ({})", error.message(), error.code())]
    Answered {
        /// The request's method.
        method: String,
        /// The error as received.
        error: ErrorText,
    },
    /// The server sent an invalid response.
    #[error("{method}: invalid response: {what}")]
    InvalidResponse {
        /// The request's method.
        method: String,
        /// What is invalid about it.
        what: String,
    },
    /// The server has no tool of a requested name.
    #[error("the server has no tool '{name}'{}", nearest(available))]
    UnknownTool {
        /// The requested name.
        name: String,
        /// Names that the server suggests; can be empty.
        available: Vec<String>,
    },
    /// The server refused to deliver definitions.
    #[error("the server refused to deliver definitions: {message} ({code})")]
    Refused {
        /// The error code, such as `RATE_LIMITED`.
        code: String,
        /// Its message.
        message: String,
        /// The time after which to retry, if the server stated one.
        retry_after: Option<Duration>,
    },
    /// Arguments or parameters are not a JSON object.
    #[error("arguments must be a JSON object")]
    NotAnObject {
        /// The error of serialization, if it failed.
        source: Option<serde_json::Error>,
    },
}

impl Error {
    /// Why a request of this method has no result.
    pub(crate) fn of(method: &str, error: CallError) -> Self {
        let method = method.to_owned();
        match error {
            CallError::Answered(error) => Self::Answered { method, error },
            CallError::Ended { reason, .. } => Self::Ended { reason: reason.in_full() },
            CallError::Http(failure) => Self::Http { method, failure },
            CallError::Invalid { what, .. } => Self::InvalidResponse { method, what: what.into_owned() },
            CallError::TimedOut { waited } => Self::TimedOut { method, waited },
            unsent => Self::Unsent { method, reason: unsent.to_string() },
        }
    }

    /// Why there is no handshake.
    pub(crate) fn of_handshake(why: Unusable) -> Self {
        match why {
            Unusable::Talk { method, error } => Self::of(method, error),
            Unusable::Foreign(reason) => Self::UnsupportedVersion { reason },
        }
    }
}

fn nearest(available: &[String]) -> String {
    const SHOWN: usize = 5;
    match available {
        [] => String::new(),
        names if names.len() <= SHOWN => format!("; it has {}", names.join(", ")),
        names => format!("; it has {} and more", names[..SHOWN].join(", ")),
    }
}
