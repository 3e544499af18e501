//! JSON-RPC messages. Parameters, results and errors remain the received text.

use std::{borrow::Cow, fmt, sync::Arc};

use mcp_disclosure_core::{RawObject, take::Text};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{Bound, ErrorText, Json, Outline, code, depth::is_deeper_than};

/// Maximum length of the id and of the method of a request, in bytes: both are kept, logged and repeated in answers.
pub(crate) const LONGEST_LABEL: usize = 1024;

/// A request id: a string or a number, kept as received. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Arc<str>);

impl Id {
    /// A numeric id.
    pub fn number(number: u64) -> Self {
        Self(number.to_string().into())
    }

    /// Parses an id from JSON text; `None` if it is neither a string nor a number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = text.starts_with(['"', '-']) || text.starts_with(|first: char| first.is_ascii_digit());
        fits.then(|| Self(text.into()))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its id.
    pub id: Id,
    /// Its method.
    pub method: String,
    /// Its parameters; an empty object if absent.
    pub params: RawObject,
}

/// A notification.
#[derive(Clone, Debug)]
pub struct Notification {
    /// Its method.
    pub method: Cow<'static, str>,
    /// Its parameters; an empty object if absent.
    pub params: RawObject,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The request's id; `None` if it could not be read.
    pub id: Option<Id>,
    /// The result or the error, as text.
    pub outcome: Result<Json, ErrorText>,
}

/// Any message.
#[derive(Clone, Debug)]
pub enum Message {
    /// A request.
    Request(Request),
    /// A notification.
    Notification(Notification),
    /// A response.
    Response(Response),
}

#[derive(Deserialize)]
#[serde(expecting = "a JSON object")]
struct Raw<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Distinguishes `null` from absent.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl Message {
    /// Parses one message with at most this nesting depth.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8], depth: Bound) -> Result<Self, ErrorText> {
        let invalid = |message: fmt::Arguments<'_>| ErrorText::new(code::INVALID_REQUEST, message);
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ErrorText::new(code::PARSE_ERROR, format_args!("not UTF-8: {error}")))?;
        let parsed = serde_json::from_str(text);
        // serde accepts an array of the right length as a struct.
        if text.trim_ascii_start().starts_with('[') && (parsed.is_ok() || is_json(text)) {
            return Err(invalid(format_args!("batches are not supported; send one message at a time")));
        }
        let raw: Raw<'_> = parsed.map_err(|error| match is_json(text) {
            true => invalid(format_args!("not a JSON-RPC message: {error}")),
            false => ErrorText::new(code::PARSE_ERROR, format_args!("not JSON: {error}")),
        })?;
        // Parsing so far skipped values without recursion; later processing may recurse.
        if is_deeper_than(bytes, depth.most) {
            let (most, setting) = (depth.most, depth.in_brackets());
            return Err(invalid(format_args!("the message is nested deeper than {most} levels{setting}")));
        }
        if raw.jsonrpc.is_none_or(|Text(version)| version != "2.0") {
            return Err(invalid(format_args!("'jsonrpc' must be \"2.0\"")));
        }
        // What has a result or an error is never answered, whatever else it has.
        let asks = raw.result.is_none() && raw.error.is_none();
        let Some(Text(method)) = raw.method.filter(|_| asks) else {
            let outcome = match (raw.result, raw.error) {
                (Some(result), None) => Ok(result.to_owned().into()),
                (None, Some(error)) => Err(ErrorText::relayed(error.to_owned().into())),
                _ => {
                    return Err(invalid(format_args!(
                        "a message needs 'method', or else 'result' or 'error'"
                    )));
                }
            };
            let id = raw.id.and_then(|id| Id::parse(id.get()));
            return Ok(Self::Response(Response { id, outcome }));
        };
        if method.len() > LONGEST_LABEL {
            return Err(invalid(format_args!("'method' must have at most {LONGEST_LABEL} bytes")));
        }
        let params = raw.params.map_or(Ok(RawObject::empty()), |params| RawObject::parse(params.get()));
        let params = params.map_err(|_| {
            let message = format_args!("{method}: 'params' must be an object of at most 100000 members");
            ErrorText::invalid_params(message)
        })?;
        let Some(id) = raw.id else {
            return Ok(Self::Notification(Notification { method: Cow::Owned(method.into_owned()), params }));
        };
        match Id::parse(id.get()).filter(|id| id.as_str().len() <= LONGEST_LABEL) {
            Some(id) => Ok(Self::Request(Request { id, method: method.into_owned(), params })),
            None => Err(invalid(format_args!(
                "'id' must be a string or a number of at most {LONGEST_LABEL} bytes"
            ))),
        }
    }

    /// Parses one message of a client, whose responses are never answered: it could take that for the answer to a request of its own.
    ///
    /// # Errors
    /// As of [`Outline::refuse`].
    pub fn from_client(bytes: &[u8], depth: Bound) -> Result<Self, Response> {
        let mut parsed = Self::parse(bytes, depth);
        if let Ok(Self::Response(response)) = &mut parsed {
            let body = response.outcome.as_ref().unwrap_or_else(ErrorText::text);
            if !body.as_str().starts_with('{') {
                let message = "the 'result' or 'error' of a response must be an object";
                response.outcome = Err(ErrorText::new(code::INVALID_REQUEST, message));
            }
        }
        parsed.or_else(|refused| Outline::of(bytes).refuse(refused))
    }

    /// The message as one line of JSON, without a line terminator.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Request(request) => request_line(request.id.as_str(), &request.method, &request.params),
            Self::Notification(notification) => notification.encode(),
            Self::Response(response) => response.encode(),
        }
    }
}

impl Notification {
    /// A notification to send.
    pub fn new(method: &'static str, params: RawObject) -> Self {
        Self { method: Cow::Borrowed(method), params }
    }

    /// See [`Message::encode`].
    pub fn encode(&self) -> Vec<u8> {
        let method = quoted(&self.method);
        if self.params.is_empty() {
            return line(&[("method", method.as_bytes())]);
        }
        line(&[("method", method.as_bytes()), ("params", self.params.text().as_bytes())])
    }
}

impl Response {
    /// A response to a request.
    pub fn new(id: Id, outcome: Result<Json, ErrorText>) -> Self {
        Self { id: Some(id), outcome }
    }

    /// See [`Message::encode`].
    pub fn encode(&self) -> Vec<u8> {
        let id = ("id", self.id.as_ref().map_or("null", Id::as_str).as_bytes());
        match &self.outcome {
            Ok(result) => line(&[id, ("result", result.as_bytes())]),
            Err(error) => line(&[id, ("error", error.text().as_bytes())]),
        }
    }
}

/// A request as one line of JSON, without a line terminator.
pub(crate) fn request_line(id: &str, method: &str, params: &RawObject) -> Vec<u8> {
    let method = quoted(method);
    line(&[("id", id.as_bytes()), ("method", method.as_bytes()), ("params", params.text().as_bytes())])
}

/// A string as JSON, which it always has.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Assembles `{"jsonrpc":"2.0",…}`. Line breaks in relayed JSON are replaced by spaces, since they would end
/// the line or the SSE event.
fn line(members: &[(&str, &[u8])]) -> Vec<u8> {
    let length: usize = members.iter().map(|(key, value)| key.len() + value.len() + 4).sum();
    // With capacity for a line terminator.
    let mut line = Vec::with_capacity(length + 19);
    line.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    for (key, value) in members {
        line.extend_from_slice(b",\"");
        line.extend_from_slice(key.as_bytes());
        line.extend_from_slice(b"\":");
        line.extend_from_slice(value);
    }
    line.push(b'}');
    // Branch-free, so that it is vectorized: it runs over every list that is sent.
    for byte in &mut line {
        *byte = if matches!(*byte, b'\n' | b'\r') { b' ' } else { *byte };
    }
    line
}

/// The id of an outgoing request: a number, unique in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

impl RequestId {
    /// The request id in a peer's message: some peers return numbers as strings, or with a zero fraction.
    pub(crate) fn of(id: &Id) -> Option<Self> {
        let text = id.as_str().trim_matches('"');
        text.strip_suffix(".0").unwrap_or(text).parse().ok().map(Self)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTH: Bound = Bound { most: 128, setting: "limits.message_depth" };

    fn error_of(text: &str) -> String {
        let refused = match Message::from_client(text.as_bytes(), DEPTH) {
            Ok(Message::Response(refused)) | Err(refused) => refused,
            other => panic!("{other:?}"),
        };
        String::from_utf8(refused.encode()).unwrap()
    }

    #[test]
    fn reads_and_writes_without_touching_what_is_inside() {
        let text = r#"{"jsonrpc":"2.0","id":"a","result":{"big":12345678901234567890123,"f":1.0}}"#;
        let message = Message::parse(text.as_bytes(), DEPTH).unwrap();
        assert_eq!(String::from_utf8(message.encode()).unwrap(), text);
        let pretty = "{\n \"jsonrpc\": \"2.0\", \"id\": 1,\r\n \"method\": \"m\", \"params\": {\n}}";
        let line = Message::parse(pretty.as_bytes(), DEPTH).unwrap().encode();
        assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
    }

    #[test]
    fn says_what_is_wrong_under_the_id_it_finds() {
        let long = |key: &str| {
            let long = format!(r#""{key}":"{}""#, "x".repeat(LONGEST_LABEL + 1));
            let other = if key == "id" { r#""method":"m""# } else { r#""id":1"# };
            format!(r#"{{"jsonrpc":"2.0",{other},{long}}}"#)
        };
        for (text, expected) in [
            ("", r#""id":null,"error":{"code":-32700"#),
            ("\u{a0}{}", r#""id":null,"error":{"code":-32700"#),
            (r#"["2.0",1,"m",{},null,null]"#, r#""id":null,"error":{"code":-32600,"message":"batches"#),
            ("{\"jsonrpc\":\"2.0\",", r#""id":null,"error":{"code":-32700"#),
            ("[]", r#""id":null,"error":{"code":-32600,"message":"batches"#),
            ("7", r#""message":"not a JSON-RPC message: invalid type: integer `7`, expected a JSON object"#),
            (r#"{"id":1,"method":"m"}"#, r#""id":1,"error":{"code":-32600,"message":"'jsonrpc'"#),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, r#""id":1,"error":{"code":-32600"#),
            (r#"{"jsonrpc":"2.0","id":1}"#, r#""id":1,"error":{"code":-32600"#),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, r#""id":null,"error":{"code":-32600"#),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#, r#""id":1,"error":{"code":-32602"#),
            (&long("method"), r#""id":1,"error":{"code":-32600,"message":"'method' must"#),
            (&long("id"), r#""id":null,"error":{"code":-32600,"message":"'id' must"#),
        ] {
            assert!(error_of(text).contains(expected), "{text}: {}", error_of(text));
        }
        assert!(Message::parse(b"\xff", DEPTH).is_err());
    }

    #[test]
    fn ids_are_recognized_in_the_forms_that_servers_send_back() {
        for (text, expected) in
            [("7", Some(7)), (r#""7""#, Some(7)), ("7.0", Some(7)), ("7.5", None), (r#""a""#, None)]
        {
            assert_eq!(Id::parse(text).as_ref().and_then(RequestId::of), expected.map(RequestId), "{text}");
        }
    }
}
