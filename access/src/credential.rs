//! The token of a request (RFC 6750 §2.1): one `Authorization` header, and nothing else.

use http::{HeaderMap, header::AUTHORIZATION};

use crate::{jwt::Rejection, metadata::Why};

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
