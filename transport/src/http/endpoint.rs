//! HTTP endpoints, where they may redirect to, and headers of callers that they are sent.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use reqwest::{
    StatusCode, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName},
    redirect::Policy,
};
use serde::{Deserialize, Serialize};

use super::Authorizer;
use crate::{HttpError, Reason};

/// A URL, which transport it serves, and headers for every request to it.
#[derive(Clone, PartialEq)]
pub struct Endpoint {
    /// The URL.
    pub url: Url,
    /// Which transport it serves.
    pub kind: EndpointKind,
    /// Headers of every request.
    pub headers: HeaderMap,
    /// What authorizes requests to it, besides these headers.
    pub authorization: Option<Authorizer>,
    /// Headers that are passed on of the caller that a connection belongs to.
    pub forward: Vec<HeaderName>,
}

/// The headers of a caller's latest request that any endpoint is sent.
#[derive(Debug, Default)]
pub struct Forwarded(Mutex<Option<Headers>>);

/// Headers; `None` for none.
type Headers = Option<Arc<HeaderMap>>;

impl Forwarded {
    /// Passes these on from now on. `false` if they differ from those of its first request in another header than
    /// `Authorization`, which is renewed: then they may be another person's, whose calls must not be mixed with the first one's.
    pub fn follow(&self, headers: Headers) -> bool {
        let mut latest = self.0.lock();
        let is_same = latest.as_ref().is_none_or(|first| *first == headers || rest(first) == rest(&headers));
        if is_same {
            *latest = Some(headers);
        }
        is_same
    }

    pub(super) fn headers(&self) -> Headers {
        self.0.lock().clone().flatten()
    }
}

fn rest(headers: &Headers) -> HeaderMap {
    let mut rest = headers.as_deref().cloned().unwrap_or_default();
    rest.remove(AUTHORIZATION);
    rest
}

/// Which of MCP's HTTP transports an endpoint serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointKind {
    /// Streamable HTTP, or else HTTP+SSE: found out by the specification's rules for backwards compatibility.
    #[default]
    #[serde(skip)]
    Detect,
    /// Streamable HTTP.
    #[serde(rename = "http")]
    Streamable,
    /// The deprecated HTTP+SSE of 2024-11-05.
    Sse,
}

impl From<Url> for Endpoint {
    fn from(url: Url) -> Self {
        Self {
            url,
            kind: EndpointKind::default(),
            headers: HeaderMap::new(),
            authorization: None,
            forward: Vec::new(),
        }
    }
}

/// Omits headers, user info and query, which may be secret.
impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = without_secrets(&self.url);
        formatter.debug_struct("Endpoint").field("url", &url.as_str()).finish_non_exhaustive()
    }
}

/// The URL without user info and query, which may be secret.
pub fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    // Fails for URLs that cannot have user info.
    let _none = url.set_username("").and_then(|()| url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// Maximum redirects; well-behaved servers need fewer.
const MOST_REDIRECTS: usize = 5;

/// The redirect policy for requests that carry messages: redirects are followed only within the origin, and only if method and
/// body are kept. A request carries credentials in its headers, and one origin must not cause them to be sent to another. A
/// POST that becomes a GET (301, 302, 303) loses its message.
pub(super) fn redirects() -> Policy {
    Policy::custom(|attempt| {
        let from = attempt.previous().last();
        let is_here = from.is_some_and(|from| from.origin() == attempt.url().origin());
        let (status, origin) = (attempt.status(), attempt.url().origin().ascii_serialization());
        let keeps = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        let refused = match (is_here, keeps) {
            (false, _) => format!("redirects to another origin, {origin}, which is not followed"),
            (true, false) => {
                let keeping = "which is not followed: only 307 and 308 keep the message";
                format!("redirects to {origin} with {}, {keeping}", status.as_u16())
            }
            (true, true) if attempt.previous().len() > MOST_REDIRECTS => {
                "redirects too many times".to_owned()
            }
            (true, true) => return attempt.follow(),
        };
        attempt.error(HttpError::Other(Reason::new(refused)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> Headers {
        let pairs = all.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        Some(Arc::new(pairs.collect()))
    }

    #[test]
    fn a8_a_token_is_renewed_and_any_other_header_stays() {
        let forwarded = Forwarded::default();
        assert!(forwarded.headers().is_none());
        let first = headers(&[("authorization", "Bearer a"), ("x-user", "ann")]);
        assert!(forwarded.follow(first));
        let renewed = headers(&[("authorization", "Bearer b"), ("x-user", "ann")]);
        assert!(forwarded.follow(renewed.clone()));
        for other in [headers(&[("authorization", "Bearer b"), ("x-user", "bob")]), None] {
            assert!(!forwarded.follow(other));
        }
        assert_eq!(forwarded.headers(), renewed);
    }
}
