//! Headers of a caller that upstreams of its own are sent.

use std::sync::Arc;

use axum::http::{HeaderMap, header::AUTHORIZATION};
use mcp_disclosure_transport::http::Forwarding;
use parking_lot::Mutex;

/// Those of its latest request.
#[derive(Debug, Default)]
pub struct Forwarded(Mutex<Option<Headers>>);

/// Headers; `None` for none.
pub(crate) type Headers = Option<Arc<HeaderMap>>;

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
}

impl Forwarding for Forwarded {
    fn headers(&self) -> Headers {
        self.0.lock().clone().flatten()
    }
}

fn rest(headers: &Headers) -> HeaderMap {
    let mut rest = headers.as_deref().cloned().unwrap_or_default();
    rest.remove(AUTHORIZATION);
    rest
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
