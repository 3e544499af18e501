//! Addresses that an upstream asks people to open (URL elicitation): `https:`, or `http:` of this machine.
//!
//! A client may open whatever it is given, and `javascript:`, `file:` or a program's own scheme would then run or read
//! something with the person's rights. They come as a request, in an `input_required` result, and in the error that says
//! that one is required (-32042); each is looked through by shape, whatever its method or code says, and as the most
//! lenient of clients reads it: names in any case, a list or an object.

use mcp_disclosure_core::{
    RawObject,
    given::{self, may_have},
};
use mcp_disclosure_transport::{CallError, ErrorText, Json, beside::aside, http::is_loopback};
use reqwest::Url;

/// How many items of a list are looked at.
const MOST: usize = 100_000;

/// What stands for the scheme of an address where the text cannot be read, though some client may.
const ILLEGIBLE: &str = "what cannot be looked through";

/// What replaces another address.
const REFUSED: &str = "it asks people to open a URL that is neither https nor http of this machine";

/// What is said of a text in which there may be another address.
const UNKNOWN: &str = "it cannot be looked through for URLs that people are asked to open";

/// The scheme of the first other address that the parameters of a request name.
pub(super) fn refused_in(params: &RawObject) -> Option<String> {
    params.like("url").find_map(refused)
}

fn illegible() -> Option<String> {
    Some(ILLEGIBLE.to_owned())
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
        Ok(result) => aside(result.as_str().len(), || in_result(result.as_str())),
        Err(CallError::Answered(error)) => in_error(error.text().as_str()),
        Err(_) => None,
    };
    match scheme {
        Some(shown) if shown == ILLEGIBLE => Err(CallError::Invalid { what: UNKNOWN.into(), shown }),
        Some(shown) => Err(CallError::Invalid { what: REFUSED.into(), shown }),
        None => answered,
    }
}

fn in_result(text: &str) -> Option<String> {
    if !may_have(text, &["inputRequests", "elicitations"]) {
        return None;
    }
    let Ok(result) = RawObject::parse(text) else { return illegible() };
    // The state of a task that has failed.
    let failed = result.like("error").filter(|error| error.starts_with('{')).find_map(in_error);
    let asked = result.like("inputRequests").flat_map(objects).find_map(|request| {
        let Some(request) = request else { return illegible() };
        let mut params = request.like("params").filter(|params| params.starts_with('{'));
        params.find_map(|params| {
            RawObject::parse(params).map_or_else(|_| illegible(), |params| refused_in(&params))
        })
    });
    failed.or(asked)
}

fn in_error(text: &str) -> Option<String> {
    if !may_have(text, &["elicitations"]) {
        return None;
    }
    let Ok(error) = RawObject::parse(text) else { return illegible() };
    error.like("data").filter(|data| data.starts_with('{')).find_map(|data| {
        let Ok(data) = RawObject::parse(data) else { return illegible() };
        let mut asked = data.like("elicitations").flat_map(objects);
        asked.find_map(|one| one.map_or_else(illegible, |one| refused_in(&one)))
    })
}

/// The objects in a list or an object. What is none here can be one to some client: a key that is no text, or more members than are
/// read.
fn objects(text: &str) -> Vec<Option<RawObject>> {
    let object = |value: &str| value.starts_with('{').then(|| RawObject::parse(value).ok());
    match text.as_bytes().first() {
        Some(b'[') => match given::items(text, MOST) {
            Some(list) if list.len() <= MOST => list.into_iter().filter_map(object).collect(),
            _ => vec![None],
        },
        Some(b'{') => match RawObject::parse(text) {
            Ok(all) => all.iter().filter_map(|(_, value)| object(value)).collect(),
            Err(_) => vec![None],
        },
        _ => Vec::new(),
    }
}

/// The scheme of an address that is not passed on, from its JSON text. A null has none.
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

    const BAD: [&str; 13] = [
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " javascript:alert(1)",
        "\u{1}javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "http://auth.example/",
        "http://10.0.0.1/",
        "http://127.0.0.1.evil.example/",
        "//auth.example/",
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
        for (urls, are_refused) in [(&BAD[..], true), (&GOOD, false)] {
            for url in urls {
                let (request, result, error) = forms(url);
                let escaped = result.replace("inputRequests", "input\\u0052equests");
                let request = RawObject::parse(request.to_string()).unwrap();
                let found = [refused_in(&request), in_result(&result), in_result(&escaped), in_error(&error)];
                assert_eq!(found.map(|scheme| scheme.is_some()), [are_refused; 4], "{url:?}");
                let folded = [in_result(&result.replace("inputRequests", "inputReque\u{17f}ts"))];
                assert_eq!(folded.map(|scheme| scheme.is_some()), [are_refused], "{url:?}");
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
        for result in [
            json!({"inputRequests": [{"params": one}]}),
            json!({"INPUTREQUESTS": {"a": {"Params": one}}}),
            json!({"status": "failed", "error": {"code": -32042, "data": {"elicitations": [one]}}}),
        ] {
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

    #[test]
    fn f3_what_cannot_be_looked_through_is_refused() {
        let lone = |text: &str| text.replace("KEY", r#""\ud800":1"#);
        let many = |text: &str| {
            let members: Vec<String> = (0..=100_000).map(|at| format!("\"k{at}\":1")).collect();
            text.replace("KEY", &members.join(","))
        };
        for result in [
            r#"{KEY,"inputRequests":{"a":{"params":{"url":"javascript:x"}}}}"#,
            r#"{"inputRequests":{KEY,"a":{"params":{"url":"javascript:x"}}}}"#,
            r#"{"inputRequests":{"a":{KEY,"params":{"url":"javascript:x"}}}}"#,
            r#"{"inputRequests":[{"params":{KEY,"url":"javascript:x"}}]}"#,
        ] {
            assert!(in_result(&lone(result)).is_some() && in_result(&many(result)).is_some(), "{result}");
        }
        for error in [
            r#"{"code":-32042,"message":"m","data":{KEY,"elicitations":[{"url":"javascript:x"}]}}"#,
            r#"{"code":-32042,"message":"m","data":{"elicitations":[{KEY,"url":"javascript:x"}]}}"#,
        ] {
            assert!(in_error(&lone(error)).is_some() && in_error(&many(error)).is_some(), "{error}");
        }
        assert_eq!(in_result(r#"{"inputRequests":{"a":{"method":"roots/list","params":null}}}"#), None);
    }
}
