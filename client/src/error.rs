//! Errors between a host and a server.

use std::{borrow::Cow, time::Duration};

use mcp_disclosure_transport::CallError;

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
    /// The handshake's response is invalid, or client and server have no revision of MCP in common.
    #[error("the server supports no MCP revision of this client: {reason}")]
    UnsupportedVersion {
        /// What the server answered.
        reason: String,
    },
    /// A request has no result.
    #[error("{}", without_result(method, error))]
    NoResult {
        /// Its method.
        method: String,
        /// Why: the server answered with an error, it or the connection failed, or a bound was reached.
        error: CallError,
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
        Self::NoResult { method: method.to_owned(), error }
    }

    /// Why the response to a handshake cannot be used.
    pub(crate) fn foreign(reason: impl Into<String>) -> Self {
        Self::UnsupportedVersion { reason: reason.into() }
    }

    /// What is invalid about the response to a request of this method.
    pub(crate) fn invalid(method: &str, what: impl Into<Cow<'static, str>>) -> Self {
        Self::of(method, CallError::invalid(what))
    }
}

/// With everything that is known: a host has no clients that it could tell too much.
fn without_result(method: &str, error: &CallError) -> String {
    match error {
        CallError::Answered(error) => format!("{method}: {} ({})", error.message(), error.code()),
        failed => format!("{method}: the server {}", failed.in_full()),
    }
}

fn nearest(available: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = if available.len() > SHOWN { " and more" } else { "" };
    let named = available.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if named.is_empty() { named } else { format!("; it has {named}{more}") }
}
