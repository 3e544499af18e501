//! Redirects: followed only within the origin, and only if method and body are kept.
//!
//! A request carries credentials in its headers, and one origin must not cause them to be sent to another. A
//! POST that becomes a GET (301, 302, 303) loses its message.

use std::{error::Error, fmt};

use reqwest::{StatusCode, Url, redirect::Policy};

/// Maximum redirects; well-behaved servers need fewer.
const MOST: usize = 5;

/// A redirect that is not followed. `Display` is a predicate of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It leads to another origin.
    Elsewhere {
        /// The target, as `scheme://host:port`.
        origin: String,
    },
    /// It would drop the message.
    Rewrites {
        /// The status.
        status: StatusCode,
        /// The target, as `scheme://host:port`.
        origin: String,
    },
    /// Too many redirects in a row.
    TooMany,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elsewhere { origin } => {
                write!(formatter, "redirects to another origin, {origin}, which is not followed")
            }
            Self::Rewrites { status, origin } => {
                let status = status.as_u16();
                write!(
                    formatter,
                    "redirects to {origin} with {status}, which is not followed: only 307 and 308 keep the message"
                )
            }
            Self::TooMany => formatter.write_str("redirects too many times"),
        }
    }
}

impl Error for Refused {}

/// The redirect policy for requests that carry messages.
pub(super) fn policy() -> Policy {
    Policy::custom(|attempt| {
        let from = attempt.previous().last();
        let is_here = from.is_some_and(|from| from.origin() == attempt.url().origin());
        let keeps =
            matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let refused = match (is_here, keeps) {
            (false, _) => Refused::Elsewhere { origin: origin(attempt.url()) },
            (true, false) => Refused::Rewrites { status: attempt.status(), origin: origin(attempt.url()) },
            (true, true) if attempt.previous().len() > MOST => Refused::TooMany,
            (true, true) => return attempt.follow(),
        };
        attempt.error(refused)
    })
}

pub(super) fn origin(url: &Url) -> String {
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => format!("{}://{host}:{port}", url.scheme()),
        _ => format!("{}:", url.scheme()),
    }
}
