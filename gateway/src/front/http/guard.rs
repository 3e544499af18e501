//! Protection against DNS rebinding: accepted hosts and origins, and what browsers require before pages of an allowed origin may send
//! requests (CORS, Fetch standard).

use std::{fmt::Display, net::IpAddr};

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, uri::Authority},
    response::{IntoResponse, Response},
};

use super::{Proxies, refused::Refused};

/// Names of this machine.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// Response headers that pages may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");

/// How long browsers may cache a preflight response, in seconds; two hours is the maximum that any honours.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

const ALLOW_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
const REQUEST_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-request-private-network");

/// Accepted hosts and origins, and proxies whose forwarding headers are trusted.
///
/// A rebound name resolves to this machine without belonging to it, so names must be listed. Addresses cannot
/// be rebound, and are accepted if the server listens on all of them.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
    any_address: bool,
    /// The proxies whose forwarding headers are trusted.
    pub(super) proxies: Proxies,
}

impl Guard {
    /// Accepts this machine's names, the address listened on, and the given hosts and origins.
    pub fn new(listening: IpAddr, hosts: &[String], origins: &[String]) -> Self {
        let own = match listening {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let ours = LOOPBACK.iter().map(|name| (*name).to_owned()).chain([own]);
        Self {
            hosts: ours.chain(hosts.iter().cloned()).collect(),
            origins: origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase()).collect(),
            any_address: listening.is_unspecified(),
            proxies: Proxies::default(),
        }
    }

    /// Trusts the forwarding headers of these proxies.
    pub fn behind(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }

    /// The answer to a request that the guard admits, with CORS headers; otherwise its refusal.
    pub(super) async fn answering<A: Future<Output = Response>>(
        &self,
        request: Request,
        answer: impl FnOnce(Request) -> A,
    ) -> Response {
        let mut response = match self.admit(request.uri(), request.headers()) {
            Err(refused) => refused.into_response(),
            Ok(None) => answer(request).await,
            Ok(Some(origin)) => {
                let is_preflight = request.method() == Method::OPTIONS
                    && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
                let mut response = if is_preflight {
                    preflight(request.headers())
                } else {
                    let mut response = answer(request).await;
                    response.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
                    response
                };
                response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                response
            }
        };
        // Caches must not share responses between origins.
        response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
        response
    }

    /// Checks a request's target and all of its `Host` and `Origin` headers. Returns its origin, if it has
    /// one.
    ///
    /// # Errors
    /// Why the request is rejected.
    fn admit(&self, target: &Uri, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refused> {
        let mut hosts = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok());
        let host = match (hosts.next().flatten(), hosts.next()) {
            (Some(host), None) => host,
            (None, _) => return Err(not_ours()),
            _ => return Err(contradiction("there must be one Host header")),
        };
        if !self.is_ours(host) {
            return Err(not_ours());
        }
        if let Some(authority) = target.authority() {
            self.agrees(authority, host)?;
        }
        let origins = headers.get_all(header::ORIGIN).iter();
        let origins = origins.map(|origin| Some(origin.to_str().ok()?.to_ascii_lowercase()));
        let origins: Option<Vec<String>> = origins.collect();
        let origins = origins.ok_or_else(|| forbidden("the Origin header has invalid characters"))?;
        match origins.iter().find(|origin| !self.is_allowed(origin)) {
            Some(origin) => Err(forbidden(format_args!(
                "requests from origin '{origin}' are refused; it is not an allowed origin"
            ))),
            None if origins.len() > 1 => Err(contradiction("there must be at most one Origin header")),
            None => Ok(headers.get(header::ORIGIN).cloned()),
        }
    }

    /// Whether an absolute-form target names the same host as the `Host` header.
    fn agrees(&self, authority: &Authority, host: &str) -> Result<(), Refused> {
        let target = authority.as_str();
        if target.contains('@') {
            return Err(contradiction("the request target must not name a user"));
        }
        if !self.is_ours(target) {
            return Err(not_ours());
        }
        // A URL without a port means port 80.
        let [target, host] = [target, host].map(|text| text.strip_suffix(":80").unwrap_or(text));
        if !target.eq_ignore_ascii_case(host) {
            return Err(contradiction("the request target and the Host header name different hosts"));
        }
        Ok(())
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        let is_address = || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        let is_it = |known: &String| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name);
        self.hosts.iter().any(is_it) || (self.any_address && is_address())
    }

    fn is_allowed(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let is_local = host.is_some_and(|host| LOOPBACK.contains(&without_port(host)));
        is_local || self.origins.iter().any(|allowed| allowed == origin)
    }
}

fn preflight(asked: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    // Any: a page of an allowed origin may send what every other client may, such as headers that are forwarded to upstreams.
    if let Some(wanted) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    // Private network access: pages from public addresses need a further permission.
    if asked.contains_key(REQUEST_PRIVATE_NETWORK) {
        headers.insert(ALLOW_PRIVATE_NETWORK, HeaderValue::from_static("true"));
    }
    response
}

fn contradiction(reason: &str) -> Refused {
    Refused::because(StatusCode::BAD_REQUEST, reason)
}

fn forbidden(reason: impl Display) -> Refused {
    Refused::because(StatusCode::FORBIDDEN, reason)
}

fn not_ours() -> Refused {
    forbidden("the Host header does not name this server or an allowed host")
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn status(guard: &Guard, target: &str, headers: &[(HeaderName, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        guard.admit(&target.parse().unwrap(), &map).map_or_else(|refused| refused.status.as_u16(), |_| 200)
    }

    fn admits(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let origin = origin.map(|origin| (header::ORIGIN, origin));
        let headers: Vec<_> = [(header::HOST, host)].into_iter().chain(origin).collect();
        status(guard, "/mcp", &headers) == 200
    }

    fn local() -> Guard {
        Guard::new(Ipv4Addr::LOCALHOST.into(), &["proxy.example".into()], &["https://app.example/".into()])
    }

    #[test]
    fn lets_ours_through_and_nothing_rebound() {
        let local = local();
        for host in ["127.0.0.1:8848", "localhost", "LOCALHOST:1", "[::1]:8848", "proxy.example:443"] {
            assert!(admits(&local, host, None), "{host}");
        }
        for host in ["evil.example", "evil.example:8848", "10.0.0.7", "127.0.0.1.evil.example", ""] {
            assert!(!admits(&local, host, None), "{host}");
        }
        for (origin, admitted) in [
            ("http://localhost:5173", true),
            ("https://app.example", true),
            ("HTTPS://APP.example", true),
            ("https://evil.example", false),
            ("http://localhost.evil.example", false),
            ("evil://localhost", false),
            ("http://localhost/evil", false),
            ("https://app.example, https://evil.example", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(admits(&local, "localhost", Some(origin)), admitted, "{origin}");
        }
        let everywhere = Guard::new(Ipv4Addr::UNSPECIFIED.into(), &[], &[]);
        assert!(admits(&everywhere, "10.0.0.7:8848", None) && !admits(&everywhere, "evil.example", None));
        assert_eq!(status(&everywhere, "/mcp", &[]), 403);
    }
}
