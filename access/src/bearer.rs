//! The bearer token of a request, and the challenge without one (RFC 6750, MCP's authorization chapter).

use http::{HeaderMap, HeaderValue, StatusCode, header::AUTHORIZATION};
use mcp_disclosure_gateway::Denied;
use mcp_disclosure_transport::{ErrorText, code};

use crate::{jwt::Rejection, metadata::location_for, settings::Jwt};

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
    challenge.push_str(&format!("resource_metadata=\"{}\"", quoted(&location_for(jwt, headers))));
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
