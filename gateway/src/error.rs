//! Errors of starting and serving a gateway.

use std::{fmt, io, sync::Arc};

use mcp_disclosure_transport::{ErrorText, code};
use serde_json::json;

use crate::{
    problem::{Problems, lines},
    upstream::UpstreamError,
};

/// A gateway cannot start, or fails. `Display` is for the operator; use [`for_clients`](Self::for_clients)
/// for clients.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Invalid strategies, settings or declarations; lists every problem.
    #[error(transparent)]
    Configuration(#[from] Problems),
    /// No upstream is usable; one error for each, displayed one per line.
    #[error("{}", lines(.0))]
    Upstreams(Vec<Arc<UpstreamError>>),
    /// A strategy cannot be registered.
    #[error("cannot register a strategy")]
    Registration(#[from] mcp_disclosure_core::Error),
    /// The address cannot be bound.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// Reading, writing or the operating system's randomness failed.
    #[error("{what}")]
    Io {
        /// The operation.
        what: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
}

/// The message and its sources, since this is what a `main` that returns the error prints.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")?;
        let mut source = std::error::Error::source(self);
        while let Some(error) = source {
            write!(formatter, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

impl Error {
    /// A message for clients, without details.
    pub fn for_clients(&self) -> String {
        match self {
            Self::Upstreams(errors) => {
                errors.iter().map(|error| error.for_clients()).collect::<Vec<_>>().join("; ")
            }
            _ => "internal error: the upstreams cannot be served".to_owned(),
        }
    }
}

/// The error for clients of which an upstream is the cause: it names the upstream, and says what is the matter with it (F6).
pub(crate) fn upstream_failed(name: &str, what: impl fmt::Display) -> ErrorText {
    ErrorText::new(code::UPSTREAM_FAILED, format_args!("upstream '{name}' {what}"))
        .with_data(&json!({"upstream": name}))
}
