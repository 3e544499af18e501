//! Redirects: followed only within the origin, and only if method and body are kept.
//!
//! A request carries credentials in its headers, and one origin must not cause them to be sent to another. A
//! POST that becomes a GET (301, 302, 303) loses its message.

use reqwest::{StatusCode, Url, redirect::Policy};

use crate::HttpError;

/// Maximum redirects; well-behaved servers need fewer.
const MOST: usize = 5;

/// The redirect policy for requests that carry messages.
pub(super) fn policy() -> Policy {
    Policy::custom(|attempt| {
        let from = attempt.previous().last();
        let is_here = from.is_some_and(|from| from.origin() == attempt.url().origin());
        let (status, origin) = (attempt.status(), origin(attempt.url()));
        let keeps = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let refused = match (is_here, keeps) {
            (false, _) => HttpError::RedirectsElsewhere { origin },
            (true, false) => HttpError::RedirectRewrites { status, origin },
            (true, true) if attempt.previous().len() > MOST => HttpError::TooManyRedirects,
            (true, true) => return attempt.follow(),
        };
        attempt.error(refused)
    })
}

/// The origin of a URL, as `scheme://host:port`.
pub(super) fn origin(url: &Url) -> String {
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => format!("{}://{host}:{port}", url.scheme()),
        _ => format!("{}:", url.scheme()),
    }
}
