//! The token of a request, and what a client without one needs to know: the metadata of this resource (RFC 9728), and the challenge that leads to
//! it (RFC 6750, MCP's authorization chapter).

use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{AUTHORIZATION, HOST},
};
use mcp_disclosure_core::RawObject;
use mcp_disclosure_gateway::{Arriving, Denied};
use mcp_disclosure_transport::{ErrorText, code};
use serde_json::json;

use crate::{jwt::Rejection, settings::Jwt};

/// The path of the metadata; that of the resource may follow it.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The path of the resource, where its URL is not given.
const ENDPOINT: &str = "/mcp";

/// The document, if that is what a request asks for.
pub(crate) fn document(jwt: Option<&Jwt>, request: &Arriving<'_>) -> Option<RawObject> {
    let rest = request.target.path().strip_prefix(WELL_KNOWN)?;
    let resource = resource(jwt, request.headers);
    // Where challenges lead, too: a proxy may serve this server at another path.
    let is_named = location(&resource).ends_with(request.target.path()) && !rest.is_empty();
    let is_ours = rest.is_empty() || rest == "/" || rest == ENDPOINT || rest.starts_with("/mcp/") || is_named;
    if *request.method != Method::GET || !is_ours {
        return None;
    }
    let mut document = json!({
        "resource": resource,
        "bearer_methods_supported": ["header"],
        "resource_name": "mcp-disclosure",
    });
    if let Some(jwt) = jwt {
        document["authorization_servers"] = json!([jwt.issuer]);
        if !jwt.required_scopes.is_empty() {
            document["scopes_supported"] = json!(jwt.required_scopes);
        }
    }
    RawObject::parse(document.to_string()).ok()
}

/// The URL of this resource: the audience of tokens, if that is one, else where the client found it.
fn resource(jwt: Option<&Jwt>, headers: &HeaderMap) -> String {
    let audience = jwt.map(|jwt| jwt.audience.as_str());
    let is_url = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
    audience.filter(is_url).map_or_else(
        || {
            // The front has checked that it names this server.
            let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
            format!("http://{host}{ENDPOINT}")
        },
        str::to_owned,
    )
}

/// Where the document of a resource is: its path follows the well-known one (RFC 9728 §3.1).
fn location(resource: &str) -> String {
    let (scheme, rest) = resource.split_once("://").unwrap_or(("http", resource));
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    match path {
        "" => format!("{scheme}://{authority}{WELL_KNOWN}"),
        path => format!("{scheme}://{authority}{WELL_KNOWN}/{path}"),
    }
}

/// What a request without an acceptable token is answered. That of an unknown, an expired and a malformed token is the
/// same.
pub(crate) fn denied(jwt: Option<&Jwt>, headers: &HeaderMap, why: Why) -> Denied {
    let (status, kind, message) = match why {
        Why::NoToken => {
            (StatusCode::UNAUTHORIZED, None, "authentication is required: send Authorization: Bearer <token>")
        }
        Why::Rejected(Rejection::NoKeys) => {
            let message = "tokens cannot be checked at present; try again later";
            let error = ErrorText::new(code::INVALID_REQUEST, message);
            return Denied { status: StatusCode::SERVICE_UNAVAILABLE, challenge: None, error };
        }
        Why::Rejected(Rejection::Scope) => {
            (StatusCode::FORBIDDEN, Some("insufficient_scope"), "the token lacks a scope that is required")
        }
        Why::Rejected(_) => (StatusCode::UNAUTHORIZED, Some("invalid_token"), "the token is not accepted"),
        Why::Several => {
            (StatusCode::BAD_REQUEST, Some("invalid_request"), "there must be one Authorization header")
        }
    };
    let mut challenge = String::from("Bearer ");
    if let Some(kind) = kind {
        challenge.push_str(&format!("error=\"{kind}\", error_description=\"{message}\", "));
    }
    let scopes = jwt.map(|jwt| jwt.required_scopes.join(" ")).filter(|scopes| !scopes.is_empty());
    if let Some(scopes) = scopes {
        challenge.push_str(&format!("scope=\"{}\", ", quoted(&scopes)));
    }
    challenge.push_str(&format!("resource_metadata=\"{}\"", quoted(&location(&resource(jwt, headers)))));
    Denied {
        status,
        // What cannot stand in a header is left out; the status says it, too.
        challenge: HeaderValue::try_from(challenge).ok(),
        error: ErrorText::new(code::INVALID_REQUEST, message),
    }
}

fn quoted(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '"' | '\\')).collect()
}

/// Why a request is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has no token, or one of another scheme.
    NoToken,
    /// It has several headers, which proxies and servers may read differently.
    Several,
    /// Its token is not accepted.
    Rejected(Rejection),
}

/// A longer token is refused before anything is done with it.
const MOST_BYTES: usize = 16 * 1024;

/// What can be no token of ours.
const UNUSABLE: Why = Why::Rejected(Rejection::Malformed);

/// The token that a request brings, which may be one of ours.
///
/// # Errors
/// Why there is none.
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, Why> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(Why::NoToken)?;
    if values.next().is_some() {
        return Err(Why::Several);
    }
    let text = value.to_str().map_err(|_| UNUSABLE)?;
    let (scheme, token) = text.split_once(' ').ok_or(Why::NoToken)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Why::NoToken);
    }
    let token = token.trim();
    let is_usable = !token.is_empty() && token.len() <= MOST_BYTES && !token.contains([' ', ',']);
    if is_usable { Ok(token) } else { Err(UNUSABLE) }
}
