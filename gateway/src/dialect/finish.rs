//! Adapts results and errors to the protocol era.

use mcp_disclosure_core::{Era, ListHints, RawObject};
use mcp_disclosure_transport::{ErrorText, Json, beside::aside, code};

/// The result of a list method that has its items in this member.
pub(crate) fn list_result(era: Era, member: &str, items: &[RawObject], hints: &ListHints) -> Json {
    // Lists are long: the text is written once into a buffer of its final size. Copying took half of the time
    // that the first client of a kind waits.
    let length: usize = items.iter().map(|item| item.text().len() + 1).sum();
    let mut text = String::with_capacity(length + 128);
    text.push_str("{\"");
    text.push_str(member);
    text.push_str("\":[");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(item.text());
    }
    text.push(']');
    let rest = hints.meta.iter().fold(RawObject::empty(), |rest, meta| rest.with("_meta", meta.text()));
    let rest = if era == Era::Stateless { cacheable(rest, hints) } else { rest };
    if !rest.is_empty() {
        text.push(',');
        text.push_str(&rest.text()[1..rest.text().len() - 1]);
    }
    text.push('}');
    text.into()
}

/// A `resources/read` result. An `input_required` result has no contents, and no cache hints.
pub(crate) fn read_result(era: Era, result: Json) -> Json {
    match (era, RawObject::parse(result.as_str())) {
        (Era::Stateless, Ok(object)) if asks_for_input(&object) => result,
        (Era::Stateless, Ok(object)) => cacheable(object, &ListHints::NONE).into(),
        _ => result,
    }
}

/// Whether a result is `input_required`, after which the client sends the request again.
pub(crate) fn asks_for_input(result: &RawObject) -> bool {
    result.member("resultType") == Some(r#""input_required""#)
}

/// Any other result.
pub(crate) fn complete(era: Era, result: Json) -> Json {
    if era == Era::Session {
        return result;
    }
    let text = result.as_str();
    // Nearly every result is an object without the member, which need not be read to get it.
    let may_have_it = text.contains("resultType") || text.contains("\\u");
    let members = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    if let Some(members) = members.filter(|_| !may_have_it) {
        let between = if members.trim().is_empty() { "" } else { "," };
        return ["{", members, between, r#""resultType":"complete"}"#].concat().into();
    }
    let object = aside(result.as_str().len(), || RawObject::parse(result.as_str()));
    object.map_or(result, |object| complete_object(object).into())
}

/// The error as the client's era represents it.
pub(crate) fn era_error(era: Era, error: ErrorText) -> ErrorText {
    match era {
        Era::Stateless if error.code() == code::RESOURCE_NOT_FOUND => error.recoded(code::INVALID_PARAMS),
        _ => error,
    }
}

/// Adds cache hints to a result.
pub(crate) fn cacheable(result: RawObject, hints: &ListHints) -> RawObject {
    let time_to_live = u64::try_from(hints.time_to_live.as_millis()).unwrap_or(u64::MAX);
    let result = with_absent(complete_object(result), "ttlMs", &time_to_live.to_string());
    with_absent(result, "cacheScope", if hints.private { "\"private\"" } else { "\"public\"" })
}

fn complete_object(result: RawObject) -> RawObject {
    with_absent(result, "resultType", "\"complete\"")
}

fn with_absent(result: RawObject, key: &str, value: &str) -> RawObject {
    if result.member(key).is_some() { result } else { result.with(key, value) }
}
