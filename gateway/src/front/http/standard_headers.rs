//! The headers that 2026-07-28 requires in requests (SEP-2243). They must match the body.

use std::borrow::Cow;

use axum::http::HeaderMap;
use mcp_disclosure_core::{
    Mirrored, RawObject,
    given::{self, shown},
};
use mcp_disclosure_transport::{
    ErrorText, Request, code,
    headers::{METHOD, NAME, VERSION, decoded, named_in, version_of},
};

use crate::dialect::RequestMeta;

/// Checks the standard headers of a stateless request against its body.
///
/// # Errors
/// -32020, naming the mismatch.
pub(super) fn check(headers: &HeaderMap, request: &Request, meta: &RequestMeta) -> Result<(), ErrorText> {
    compare(headers, VERSION, &meta.version, false)?;
    compare(headers, METHOD, &request.method, false)?;
    let named = named_in(&request.method, &request.params);
    // An official client may be older than the extension that requires the header.
    let is_needed = named.is_some() && !request.method.starts_with("tasks/");
    if !is_needed && !headers.contains_key(NAME) {
        return Ok(());
    }
    let named = named.or_else(|| also_named(&request.params));
    named.map_or(Ok(()), |name| compare(headers, NAME, &name, true))
}

/// What parameters name where the header is not required: a group, or a single tool to describe. If a client sends it
/// nevertheless, proxies may route by it.
fn also_named(params: &RawObject) -> Option<Cow<'_, str>> {
    params.decoded("name").or_else(|| match given::items(params.member("names")?, 1)?[..] {
        [name] => given::string(name),
        _ => None,
    })
}

/// Checks the headers that repeat arguments of a call. A header may be missing if the client was not given
/// the schema that requires it.
///
/// # Errors
/// -32020, naming the mismatch.
pub(super) fn check_mirrored(
    headers: &HeaderMap,
    request: &Request,
    mirrored: &[Mirrored],
    shown: bool,
) -> Result<(), ErrorText> {
    let arguments = request.params.member("arguments");
    for argument in mirrored.iter().filter(|argument| shown || headers.contains_key(&argument.header)) {
        let header = &argument.header;
        match argument.value(arguments).map_err(|wrong| mismatch(&wrong))? {
            Some(expected) => {
                let given = value_of(headers, header, true)?;
                if !Mirrored::agrees(&expected, &given) {
                    return Err(differs(header, &given, &expected));
                }
            }
            None if headers.contains_key(header) => {
                return Err(mismatch(&format!("{header} is present, but the argument is not")));
            }
            None => {}
        }
    }
    Ok(())
}

/// The error for a version header that differs from the version in the body, if both are present.
pub(super) fn version_mismatch(headers: &HeaderMap, request: &Request) -> Option<ErrorText> {
    headers.get(VERSION)?;
    compare(headers, VERSION, &version_of(&request.params)?, false).err()
}

fn compare(headers: &HeaderMap, header: &str, expected: &str, may_be_encoded: bool) -> Result<(), ErrorText> {
    let given = value_of(headers, header, may_be_encoded)?;
    if given == expected { Ok(()) } else { Err(differs(header, &given, expected)) }
}

fn value_of<'h>(
    headers: &'h HeaderMap,
    header: &str,
    may_be_encoded: bool,
) -> Result<Cow<'h, str>, ErrorText> {
    let mut values = headers.get_all(header).iter();
    let value = values.next().ok_or_else(|| mismatch(&format!("{header} is missing")))?;
    // A proxy may have gone by the other one.
    if values.next().is_some() {
        return Err(mismatch(&format!("{header} is given twice")));
    }
    let value = value.to_str().map_err(|_| mismatch(&format!("{header} has invalid characters")))?;
    let given = if may_be_encoded { decoded(value) } else { Some(value.into()) };
    given.ok_or_else(|| mismatch(&format!("{header} is not valid Base64 of UTF-8")))
}

fn mismatch(what: &str) -> ErrorText {
    ErrorText::new(code::HEADER_MISMATCH, format_args!("Header mismatch: {what}"))
}

fn differs(header: &str, given: &str, expected: &str) -> ErrorText {
    mismatch(&format!("{header} value '{}' does not match body value '{}'", shown(given), shown(expected)))
}

/// Whether the headers declare the stateless era, for requests whose body does not.
pub(super) fn claims_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|value| value.to_str().ok());
    version.is_some_and(|version| version > "2025-11-25")
}

/// Checks that the version header of a request in a session, if present, is a revision that has sessions.
///
/// # Errors
/// -32600 with the supported versions.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), ErrorText> {
    let Some(value) = headers.get(VERSION) else { return Ok(()) };
    let known = value.to_str().ok().and_then(crate::dialect::Revision::parse);
    if known.is_some_and(crate::dialect::Revision::has_sessions) {
        return Ok(());
    }
    let message = format_args!("MCP-Protocol-Version {value:?} is not a supported revision with sessions");
    Err(ErrorText::new(code::INVALID_REQUEST, message))
}
