//! HTTP endpoints.

use std::{fmt, sync::Arc};

use reqwest::{
    Url,
    header::{HeaderMap, HeaderName},
};

use super::Authorizer;

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

/// A caller whose headers are passed on.
pub trait Forwarding: fmt::Debug + Send + Sync {
    /// Its headers, as far as any endpoint is sent them.
    fn headers(&self) -> Option<Arc<HeaderMap>>;
}

/// Which of MCP's HTTP transports an endpoint serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndpointKind {
    /// Streamable HTTP, or else HTTP+SSE: found out by the specification's rules for backwards compatibility.
    #[default]
    Detect,
    /// Streamable HTTP.
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
