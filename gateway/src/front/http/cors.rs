//! CORS (Fetch standard): what browsers require before pages of an allowed origin may send requests, which the guard lets pass.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::Guard;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// Response headers that pages may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");

/// How long browsers may cache a preflight response, in seconds; two hours is the maximum that any honours.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

const ALLOW_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
const REQUEST_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-request-private-network");

/// The answer to a request that the guard admits, with CORS headers; otherwise its refusal.
pub(super) async fn guarded<A: Future<Output = Response>>(
    guard: &Guard,
    request: Request,
    answer: impl FnOnce(Request) -> A,
) -> Response {
    let mut response = match guard.admit(request.uri(), request.headers()) {
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
            // It was parsed from a header, so it is a valid value.
            if let Ok(origin) = HeaderValue::from_str(&origin) {
                response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            }
            response
        }
    };
    // Caches must not share responses between origins.
    response.headers_mut().append(header::VARY, HeaderValue::from_static("origin"));
    response
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
