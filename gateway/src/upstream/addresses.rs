//! Addresses that an upstream asks people to open (URL elicitation): `https:`, or `http:` of this machine.
//!
//! A client may open whatever it is given, and `javascript:`, `file:` or a program's own scheme would then run or read
//! something with the person's rights. They come as a request, in an `input_required` result, and in the error that says
//! that one is required (-32042); each is looked through by shape, whatever its method or code says, and as the most
//! lenient of clients reads it: names in any case, a list or an object.

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{CallError, ErrorText, Json, http::is_loopback};
use memchr::memchr_iter;
use reqwest::Url;
use serde_json::value::RawValue;

/// What is said of another address.
const REFUSED: &str = "it asks people to open a URL that is neither https nor http of this machine";

/// The scheme of the first other address that the parameters of a request name.
pub(super) fn refused_in(params: &RawObject) -> Option<String> {
    members(params, "url").find_map(refused)
}

/// The error that answers such a request.
pub(super) fn refusal(scheme: &str) -> ErrorText {
    ErrorText::invalid_params(format_args!(
        "params.url: must be https, or http of this machine; got {scheme}"
    ))
}

/// An answer, unless it names such an address.
pub(super) fn checked(answered: Result<Json, CallError>) -> Result<Json, CallError> {
    let scheme = match &answered {
        Ok(result) => in_result(result.as_str()),
        Err(CallError::Answered(error)) => in_error(error.text().as_str()),
        Err(_) => None,
    };
    match scheme {
        Some(shown) => Err(CallError::Invalid { what: REFUSED, shown }),
        None => answered,
    }
}

fn in_result(text: &str) -> Option<String> {
    let result = read(text, "inputRequests")?;
    members(&result, "inputRequests").flat_map(objects).find_map(|request| {
        members(&request, "params").find_map(|params| refused_in(&RawObject::parse(params).ok()?))
    })
}

fn in_error(text: &str) -> Option<String> {
    let error = read(text, "elicitations")?;
    let mut data = members(&error, "data").filter_map(|data| RawObject::parse(data).ok());
    data.find_map(|data| members(&data, "elicitations").flat_map(objects).find_map(|one| refused_in(&one)))
}

/// The object, if it can have this member: results are large, and nearly all have not. A key may be written in escapes.
fn read(text: &str, member: &str) -> Option<RawObject> {
    let bytes = text.as_bytes();
    let is_member = |at: usize| {
        let key = bytes.get(at + 1..at + 1 + member.len());
        key.is_some_and(|key| key.eq_ignore_ascii_case(member.as_bytes()))
    };
    let may_have = memchr_iter(b'"', bytes).any(is_member)
        || memchr_iter(b'\\', bytes).any(|at| bytes.get(at + 1) == Some(&b'u'));
    may_have.then(|| RawObject::parse(text).ok()).flatten()
}

/// All members of this name in any case, as some clients decode them: which of them a client takes is not known.
fn members<'a>(object: &'a RawObject, name: &'a str) -> impl Iterator<Item = &'a str> {
    object.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The objects in a list or an object.
fn objects(text: &str) -> Vec<RawObject> {
    let parsed = |value: &str| RawObject::parse(value).ok();
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(list) => list.into_iter().filter_map(|value| parsed(value.get())).collect(),
        Err(_) => {
            parsed(text).iter().flat_map(RawObject::iter).filter_map(|(_, value)| parsed(value)).collect()
        }
    }
}

/// The scheme of an address that is not passed on, from its JSON text. A null is none.
fn refused(value: &str) -> Option<String> {
    if value == "null" {
        return None;
    }
    let Ok(text) = serde_json::from_str::<String>(value) else { return Some("no text".to_owned()) };
    // Parsers differ in what they make of these.
    let is_plain = !text.contains(|character: char| character.is_control() || character.is_whitespace());
    match Url::parse(&text) {
        Ok(url) if is_plain && (url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url)) => {
            None
        }
        Ok(url) => Some(format!("'{}:'", url.scheme())),
        Err(_) => Some("no URL".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BAD: [&str; 16] = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "\u{1}javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "vscode://extension/install",
        "http://auth.example/",
        "http://10.0.0.1/",
        "http://127.0.0.1.evil.example/",
        "//auth.example/",
        "/relative",
        "",
        "https://",
        "https://auth.example/ onclick=x",
    ];

    const GOOD: [&str; 5] = [
        "https://auth.example/connect?id=1#x",
        "HTTPS://auth.example",
        "http://127.0.0.1:8080/",
        "http://[::1]/",
        "http://localhost:3000/a",
    ];

    #[test]
    fn f3_other_addresses_are_recognized_in_every_form() {
        let forms = |url: &str| {
            let one = json!({"mode": "url", "url": url, "elicitationId": "1", "message": "m"});
            let result = json!({"resultType": "input_required", "inputRequests": {
                "a": {"method": "elicitation/create", "params": {"mode": "form", "message": "m"}},
                "b": {"method": "elicitation/create", "params": one},
            }});
            let error = json!({"code": -32042, "message": "m", "data": {"elicitations": [{"x": 1}, one]}});
            (one, result.to_string(), error.to_string())
        };
        for (urls, are_refused) in [(&BAD[..], true), (&GOOD[..], false)] {
            for url in urls {
                let (request, result, error) = forms(url);
                let escaped = result.replace("inputRequests", "input\\u0052equests");
                let request = RawObject::parse(request.to_string()).unwrap();
                let found = [refused_in(&request), in_result(&result), in_result(&escaped), in_error(&error)];
                assert_eq!(found.map(|scheme| scheme.is_some()), [are_refused; 4], "{url:?}");
            }
        }
        for params in [
            r#"{"url":["https://a.example"]}"#,
            r#"{"url":"javascript:x","url":"https://a.example"}"#,
            r#"{"url":"https://a.example","url":"javascript:x"}"#,
            r#"{"mode":"form","\u0075rl":"javascript:x"}"#,
            r#"{"url":"https://a.example","URL":"javascript:x"}"#,
            r#"{"url":null,"Url":"javascript:x"}"#,
        ] {
            assert!(refused_in(&RawObject::parse(params).unwrap()).is_some(), "{params}");
        }
        let one = json!({"URL": "javascript:x"});
        for result in
            [json!({"inputRequests": [{"params": one}]}), json!({"INPUTREQUESTS": {"a": {"Params": one}}})]
        {
            assert!(in_result(&result.to_string()).is_some(), "{result}");
        }
        for error in [json!({"data": {"elicitations": {"a": one}}}), json!({"Data": {"Elicitations": [one]}})]
        {
            assert!(in_error(&error.to_string()).is_some(), "{error}");
        }
        // What is no request to open something is left alone.
        let form = RawObject::parse(r#"{"mode":"form","message":"m","url": null }"#).unwrap();
        assert_eq!(refused_in(&form), None);
        for result in
            [json!({"content": [{"type": "text", "text": "inputRequests javascript:x"}]}), json!({})]
        {
            assert_eq!(in_result(&result.to_string()), None);
        }
    }
}
