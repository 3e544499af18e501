//! The headers of Streamable HTTP, and those that repeat parts of a request's body (since 2026-07-28, SEP-2243).

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_disclosure_core::RawObject;

use crate::{connection::Headers, meta};

/// The header with the protocol revision.
pub const VERSION: &str = "mcp-protocol-version";
/// The header with the method.
pub const METHOD: &str = "mcp-method";
/// The header with the subject of the request, see [`named_in`].
pub const NAME: &str = "mcp-name";

/// The header with the session id.
pub const SESSION: &str = "mcp-session-id";
/// The header with the last received event id, to resume a stream.
pub const LAST_EVENT_ID: &str = "last-event-id";

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// The value of a request's `Mcp-Name` header: the tool, prompt, resource or task.
pub fn named_in<'p>(method: &str, params: &'p RawObject) -> Option<Cow<'p, str>> {
    params.decoded(match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    })
}

/// The revision in a request's parameters; `None` for a request in a session.
pub fn version_of(params: &RawObject) -> Option<Cow<'_, str>> {
    params.meta()?.decoded(meta::PROTOCOL_VERSION)
}

/// The headers of a stateless request, with the arguments to repeat. `None` for a request in a session.
pub(crate) fn standard(method: &str, params: &RawObject, mirrored: &[(String, String)]) -> Option<Headers> {
    let mut headers =
        vec![(VERSION.to_owned(), version_of(params)?.into_owned()), (METHOD.to_owned(), encoded(method))];
    headers.extend(named_in(method, params).map(|name| (NAME.to_owned(), encoded(&name))));
    headers.extend(mirrored.iter().map(|(name, value)| (name.clone(), encoded(value))));
    Some(headers)
}

/// Encodes a header value: plain if possible, otherwise Base64.
fn encoded(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && value.trim() == value
        && !(value.starts_with(OPENING) && value.ends_with(CLOSING));
    if is_plain { value.to_owned() } else { format!("{OPENING}{}{CLOSING}", STANDARD.encode(value)) }
}

/// Decodes a header value; `None` for invalid Base64 or UTF-8.
pub fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = value.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING)) else {
        return Some(value.into());
    };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_through_a_header_and_come_out_the_same() {
        for (value, carried) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            assert_eq!(encoded(value), carried);
            assert_eq!(decoded(carried).as_deref(), Some(value));
        }
        assert_eq!(decoded("=?base64?!?="), None);
    }
}
