//! The message parser: lines of JSON-RPC from untrusted peers.

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{Bound, ErrorText, Id, Line, Message, Response, code};
use serde_json::value::RawValue;

use crate::{lines, object};

/// Maximum depth of a message.
pub(crate) const DEPTH: Bound = Bound { most: 128, setting: "limits.message_depth" };

/// Maximum number of lines of an input that are parsed.
const MOST_LINES: usize = 64;

/// Reads the input as lines, and parses each line, and the whole, as a message.
///
/// # Panics
/// If a property does not hold.
pub fn check(input: &[u8]) {
    check_one(input);
    for line in lines::check(input).into_iter().take(MOST_LINES) {
        match line {
            Line::Text(line) if line != input => check_one(&line),
            Line::Text(_) | Line::TooLong(..) => {}
        }
    }
}

fn check_one(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).ok();
    let object = text.and_then(|text| RawObject::parse(text).ok());
    if let Some(object) = &object {
        object::check(object);
    }
    match Message::parse(bytes, DEPTH) {
        Ok(message) => accepted(object.as_ref(), &message),
        Err(refusal) => refused(text, &refusal),
    }
}

/// A parsed message has the content of its text, and is encoded such that it parses to the same message.
fn accepted(object: Option<&RawObject>, message: &Message) {
    let object = object.expect("a message is an object");
    assert_eq!(object.string("jsonrpc").as_deref(), Some("2.0"));
    let member = |key: &str| object.member(key).map(str::to_owned);
    match message {
        Message::Request(request) => {
            assert_eq!(Some(request.id.as_str().to_owned()), member("id"));
            assert_eq!(Some(&request.method), object.string("method").as_ref());
            assert_eq!(request.params.text(), params_of(object));
        }
        Message::Notification(notification) => {
            assert_eq!(member("id"), None);
            assert_eq!(Some(&*notification.method), object.string("method").as_deref());
            assert_eq!(notification.params.text(), params_of(object));
        }
        Message::Response(response) => {
            let id = response.id.as_ref().map(|id| id.as_str().to_owned());
            assert_eq!(id, member("id").filter(|id| Id::parse(id).is_some()));
            match &response.outcome {
                Ok(result) => assert_eq!(Some(result.as_str().to_owned()), member("result")),
                Err(error) => assert_eq!(Some(error.text().as_str().to_owned()), member("error")),
            }
        }
    }
    let encoded = message.encode();
    is_one_line(&encoded);
    let again = Message::parse(&encoded, DEPTH).expect("an encoded message parses");
    assert_eq!(shown(&again), shown(message));
    assert_eq!(again.encode(), encoded);
}

/// `params` as they are passed on.
fn params_of(object: &RawObject) -> &str {
    object.member("params").filter(|params| *params != "null").unwrap_or("{}")
}

/// A message's content as text. Line breaks within it are white space, and are encoded as spaces; empty `params` of a
/// notification are not encoded.
fn shown(message: &Message) -> String {
    let shown = match message {
        Message::Notification(sent) if sent.params.is_empty() => sent.method.to_string(),
        message => format!("{message:?}"),
    };
    shown.replace(['\n', '\r'], " ")
}

/// A refusal is a valid error response with the code of its cause.
fn refused(text: Option<&str>, error: &ErrorText) {
    assert!(error.is_sound(), "{error:?}");
    let is_json = text.is_some_and(|text| serde_json::from_str::<&RawValue>(text).is_ok());
    match error.code() {
        code::PARSE_ERROR => assert!(!is_json, "{error:?}"),
        code::INVALID_REQUEST | code::INVALID_PARAMS => assert!(is_json, "{error:?}"),
        _ => panic!("{error:?}"),
    }
    let encoded = Response { id: None, outcome: Err(error.clone()) }.encode();
    is_one_line(&encoded);
    match Message::parse(&encoded, DEPTH) {
        // What is read from others is of others, so the errors differ in that.
        Ok(Message::Response(again)) => {
            assert_eq!(again.outcome.map_err(|again| again.text().clone()), Err(error.text().clone()))
        }
        other => panic!("{other:?}"),
    }
}

fn is_one_line(encoded: &[u8]) {
    assert!(!encoded.contains(&b'\n') && !encoded.contains(&b'\r'));
    let text = std::str::from_utf8(encoded).expect("JSON is UTF-8");
    serde_json::from_str::<&RawValue>(text).expect("a message is JSON");
}
