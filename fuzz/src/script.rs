//! Conversations as text: requests as in the `.http` files of editors, with a few shorthands.
//!
//! ```text
//! # A request. The headers of an ordinary client (Host, Content-Type, Accept) are added if they are missing.
//! POST /mcp
//! mcp-session-id: {session}
//!
//! {"jsonrpc":"2.0","id":1,"method":"ping"}
//! ### the next one, without an Accept header; the third is sent before the response to this one
//! GET /mcp &
//! -accept
//! ```
//!
//! `&` after the path sends the request and continues; `!` does the same and closes the connection at the end.
//! `{session}` is the id of the last opened session, `{receipt}` the last receipt. A `content-length` beyond the body
//! means a body whose rest never arrives.

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header},
};
use bytes::Bytes;
use futures::{StreamExt, stream};
use mcp_disclosure_transport::{Message, Response};

/// The headers of an ordinary client.
const ORDINARY: &[(HeaderName, &str)] = &[
    (header::HOST, "localhost"),
    (header::CONTENT_TYPE, "application/json"),
    (header::ACCEPT, "application/json, text/event-stream"),
];

/// The state of a client from earlier responses.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The id of the last opened session.
    pub(crate) session: String,
    /// The last receipt.
    pub(crate) receipt: String,
}

/// When a client continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goes {
    /// After the response.
    Answered,
    /// At once; it reads the response at the end.
    On,
    /// At once; it closes the connection at the end.
    Away,
}

/// One request, ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) goes: Goes,
}

/// The requests of a conversation, as text.
pub(crate) fn requests(input: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut texts = vec![Vec::new()];
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        match texts.last_mut() {
            Some(text) if !line.starts_with(b"###") => text.extend_from_slice(line),
            _ => texts.push(Vec::new()),
        }
    }
    texts.into_iter()
}

impl Memory {
    /// A request's text with the placeholders replaced.
    pub(crate) fn fill(&self, text: &[u8]) -> Vec<u8> {
        let text = replace(text, b"{session}", self.session.as_bytes());
        replace(&text, b"{receipt}", self.receipt.as_bytes())
    }

    /// Stores a receipt: 43 characters of base64url, given as a constant.
    pub(crate) fn learn(&mut self, answer: &[u8]) {
        let Some(place) = find(answer, b"disclosure_receipt") else { return };
        let Some(after) = find(&answer[place..], b"const") else { return };
        let is_of_receipt = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let receipt =
            answer[place + after..].split(|byte| !is_of_receipt(byte)).find(|word| word.len() == 43);
        if let Some(receipt) = receipt {
            self.receipt = String::from_utf8_lossy(receipt).into_owned();
        }
    }
}

impl Sent {
    /// Parses a request; `None` if no server would accept it as one.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let mut lines = text.split_inclusive(|byte| *byte == b'\n');
        let is_content = |line: &&[u8]| !line.starts_with(b"#") && !line.trim_ascii().is_empty();
        let first = lines.by_ref().find(is_content)?;
        let mut words = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let method = Method::from_bytes(words.next()?).ok()?;
        let uri = Uri::try_from(words.next()?).ok()?;
        let goes = match words.next() {
            Some(b"&") => Goes::On,
            Some(b"!") => Goes::Away,
            _ => Goes::Answered,
        };
        let mut headers: HeaderMap =
            ORDINARY.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
        let mut given = HeaderMap::new();
        for line in lines.by_ref().take_while(|line| !line.trim_ascii().is_empty()) {
            if let Some(name) = line.strip_prefix(b"-") {
                headers.remove(HeaderName::from_bytes(name.trim_ascii()).ok()?);
                continue;
            }
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            headers.remove(&name);
            given.append(name, HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?);
        }
        headers.extend(given);
        let body: Vec<u8> = lines.flatten().copied().collect();
        let body = body.strip_suffix(b"\n").unwrap_or(&body);
        Some(Self { method, uri, headers, body: Bytes::copy_from_slice(body), goes })
    }

    /// The request.
    pub(crate) fn request(&self) -> Request {
        let text = stream::iter([Ok::<_, std::convert::Infallible>(self.body.clone())]);
        let body = if self.is_incomplete() {
            Body::from_stream(text.chain(stream::pending()))
        } else {
            Body::from(self.body.clone())
        };
        let mut request = Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Whether `content-length` exceeds the body.
    pub(crate) fn is_incomplete(&self) -> bool {
        let announced = self.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        announced.and_then(|length| length.parse().ok()).is_some_and(|length: usize| length > self.body.len())
    }

    /// The message in the body.
    pub(crate) fn message(&self) -> Result<Message, Response> {
        Message::from_client(&self.body, crate::message::DEPTH)
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut rest = text;
    let mut replaced = Vec::with_capacity(text.len());
    while let Some(place) = find(rest, from) {
        replaced.extend_from_slice(&rest[..place]);
        replaced.extend_from_slice(to);
        rest = &rest[place + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
