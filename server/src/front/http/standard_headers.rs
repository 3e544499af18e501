//! The request headers that 2026-07-28 requires (SEP-2243): they must say what the body says.

use axum::http::HeaderMap;
use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    dialect::RequestMeta,
    wire::{ErrorText, Request, code},
};

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// Checks the standard headers of a stateless request against its body.
///
/// # Errors
/// -32020 with what does not match.
pub(super) fn check(headers: &HeaderMap, request: &Request, meta: &RequestMeta) -> Result<(), ErrorText> {
    compare(headers, VERSION, &meta.version, false)?;
    compare(headers, METHOD, &request.method, false)?;
    let named = match &*request.method {
        "tools/call" | "prompts/get" => request.params.string("name"),
        "resources/read" => request.params.string("uri"),
        _ => None,
    };
    named.map_or(Ok(()), |name| compare(headers, NAME, &name, true))
}

/// The error for a version header that says another version than the body, if both say one.
pub(super) fn version_mismatch(headers: &HeaderMap, request: &Request) -> Option<ErrorText> {
    headers.get(VERSION)?;
    compare(headers, VERSION, &RequestMeta::version_of(&request.params)?, false).err()
}

fn compare(headers: &HeaderMap, header: &str, expected: &str, may_be_encoded: bool) -> Result<(), ErrorText> {
    let mismatch =
        |what: String| ErrorText::new(code::HEADER_MISMATCH, format_args!("Header mismatch: {what}"));
    let value = headers.get(header).ok_or_else(|| mismatch(format!("{header} is missing")))?;
    let value =
        value.to_str().map_err(|_| mismatch(format!("{header} has characters that are not allowed")))?;
    let given = if may_be_encoded { decoded(value) } else { Some(value.to_owned()) };
    let given = given.ok_or_else(|| mismatch(format!("{header} is not valid Base64 of UTF-8")))?;
    if given == expected {
        return Ok(());
    }
    Err(mismatch(format!("{header} value '{given}' does not match body value '{expected}'")))
}

/// The value behind `=?base64?…?=`, or the value itself.
fn decoded(value: &str) -> Option<String> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(value.to_owned());
    };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

/// Whether the headers claim the stateless era, for requests whose body does not.
pub(super) fn claims_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|value| value.to_str().ok());
    version.is_some_and(|version| version > "2025-11-25")
}

/// Whether the version header of a request in a session names a revision that has sessions.
///
/// # Errors
/// -32600 with the versions that are spoken.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), ErrorText> {
    let Some(value) = headers.get(VERSION) else { return Ok(()) };
    let known = value.to_str().ok().and_then(crate::dialect::Revision::parse);
    if known.is_some_and(crate::dialect::Revision::has_sessions) {
        return Ok(());
    }
    let told = format_args!("MCP-Protocol-Version {value:?} is not one that sessions are spoken in");
    Err(ErrorText::new(code::INVALID_REQUEST, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_encoded() {
        assert_eq!(decoded("plain").as_deref(), Some("plain"));
        assert_eq!(decoded("=?base64?w7wgPw==?=").as_deref(), Some("ü ?"));
        assert_eq!(decoded("=?base64?!?="), None);
    }
}
