//! Errors that make an upstream unusable.

use std::time::Duration;

use mcp_disclosure_core::UpstreamName;

use super::CallError;
use crate::lineage::{CIRCLE, is_circle};

/// An upstream cannot be used. `Display` is for the operator; use [`for_clients`](Self::for_clients) for
/// clients.
#[derive(Debug, thiserror::Error)]
#[error("{}{why}", beginning(name.as_ref(), target, why))]
pub struct UpstreamError {
    /// The name the operator gave it.
    pub name: Option<UpstreamName>,
    /// The program or URL without secrets; empty once the upstream is known by name.
    pub target: String,
    /// Whether it is a URL.
    pub remote: bool,
    /// The cause.
    #[source]
    pub why: Why,
}

/// Why an upstream cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// The program could not be started.
    #[error("{0}")]
    Start(#[source] std::io::Error),
    /// The handshake or the first listing failed.
    #[error("{}", .0.in_full())]
    Talk(#[source] CallError),
    /// The handshake timed out.
    #[error("did not answer within {} seconds{hint}", waited.as_secs_f64())]
    Silent {
        /// The time-out.
        waited: Duration,
        /// The first line it printed to stdout instead, as a hint.
        hint: String,
    },
    /// The handshake response is invalid, or names an unsupported protocol version.
    #[error("sent an invalid handshake response: {0}")]
    Foreign(String),
    /// It is connected, and answers neither calls nor pings.
    #[error("does not answer: calls in a row timed out, and a ping has no answer within {} seconds", waited.as_secs_f64())]
    Hung {
        /// How long the ping was waited for.
        waited: Duration,
    },
    /// It leads back to this gateway.
    #[error("leads back to this gateway: {CIRCLE}")]
    Circle,
}

impl UpstreamError {
    /// A message for clients: the upstream's name and the kind of failure, without details.
    pub fn for_clients(&self) -> String {
        let subject = subject(self.name.as_ref());
        match &self.why {
            Why::Start(_) => format!("{subject} could not be started"),
            Why::Talk(error) => format!("{subject} {error}"),
            Why::Silent { waited, .. } => {
                format!("{subject} did not answer within {} seconds", waited.as_secs_f64())
            }
            Why::Foreign(_) => format!("{subject} sent an invalid handshake response"),
            Why::Hung { .. } => format!("{subject} {}; calls are sent to it again once it answers", self.why),
            Why::Circle => format!("{subject} leads back to this gateway"),
        }
    }

    /// Whether a person has to sign in before another attempt may succeed.
    pub fn needs_sign_in(&self) -> bool {
        matches!(&self.why, Why::Talk(CallError::Http(error)) if error.needs_sign_in())
    }

    /// Whether nothing could be reached at its address.
    pub fn is_unreachable(&self) -> bool {
        matches!(&self.why, Why::Talk(error) if error.is_unreachable())
    }

    /// Whether it leads back to this gateway, so that another attempt would fail like this one.
    pub fn is_circle(&self) -> bool {
        match &self.why {
            Why::Circle => true,
            Why::Talk(error) => is_circle(error),
            _ => false,
        }
    }
}

/// An upstream as clients see it.
pub(crate) fn subject(name: Option<&UpstreamName>) -> String {
    name.map_or_else(|| "the upstream".to_owned(), |name| format!("upstream '{name}'"))
}

/// What an error for the operator begins with.
fn beginning(name: Option<&UpstreamName>, target: &str, why: &Why) -> String {
    match (name, matches!(why, Why::Start(_))) {
        (Some(name), true) => format!("upstream '{name}': cannot start '{target}': "),
        (None, true) => format!("cannot start '{target}': "),
        (Some(name), false) if target.is_empty() => format!("upstream '{name}' "),
        (Some(name), false) => format!("upstream '{name}: {target}' "),
        (None, false) => format!("upstream '{target}' "),
    }
}
