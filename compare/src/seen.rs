//! The texts of messages that a model reads or writes, and that are counted. `docs/compare.md` defines them.

use mcp_disclosure_core::RawObject;
use serde_json::Value;

use crate::{connection::Exchange, report::StepTokens, tokenizer::Counter};

/// Listed items as one compact JSON array, with members in the original order, as in requests to model APIs.
pub(crate) fn array<'a>(items: impl IntoIterator<Item = &'a RawObject>) -> String {
    let items: Vec<_> = items.into_iter().map(RawObject::compact).collect();
    let texts: Vec<&str> = items.iter().map(RawObject::text).collect();
    format!("[{}]", texts.join(","))
}

/// The tokens in each direction.
pub(crate) fn tokens(exchanges: &[Exchange], counter: &Counter) -> StepTokens {
    let count =
        |text: fn(&Exchange) -> String| exchanges.iter().map(|exchange| counter.count(&text(exchange))).sum();
    StepTokens { request_tokens: count(written), answer_tokens: count(read) }
}

/// The text that a model writes for this request: the parameters, without the host's `_meta`.
pub(crate) fn written(exchange: &Exchange) -> String {
    let params = exchange.request.object("params").unwrap_or_default();
    params.retain(|key| key != "_meta").compact().text().to_owned()
}

/// The text of the response that a host shows to the model: texts of a result as they are, other results and errors as
/// JSON. A tool's `structuredContent` repeats its texts, and is counted only if there are none.
pub(crate) fn read(exchange: &Exchange) -> String {
    let answer = exchange.answer.clone().unwrap_or_default();
    let Some(result) = answer.object("result") else {
        return answer.object("error").unwrap_or_default().compact().text().to_owned();
    };
    let texts = match &*exchange.method {
        "tools/call" => texts(&result, "content"),
        "resources/read" => texts(&result, "contents"),
        _ => None,
    };
    texts.unwrap_or_else(|| {
        let shown = result.object("structuredContent").unwrap_or(result);
        shown.retain(|key| key != "_meta").compact().text().to_owned()
    })
}

fn texts(result: &RawObject, member: &str) -> Option<String> {
    let parts: Vec<Value> = result.value(member)?;
    let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(method: &str, request: &str, answer: &str) -> Exchange {
        let object = |text: &str| RawObject::parse(text).unwrap();
        let (request, answer) = (object(request), Some(object(answer)));
        Exchange { method: method.to_owned(), request, answer, reached: 0 }
    }

    #[test]
    fn a_model_sees_texts_and_not_envelopes() {
        let call = exchange(
            "tools/call",
            r#"{"id":1,"params":{"_meta":{"progressToken":1},"name":"a", "arguments":{}}}"#,
            r#"{"id":1,"result":{"content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two"}],"structuredContent":{"n":1}}}"#,
        );
        assert_eq!((&*written(&call), &*read(&call)), (r#"{"name":"a","arguments":{}}"#, "one\ntwo"));
        let bare = r#"{"result":{"content":[],"structuredContent":{"n": 1}}}"#;
        assert_eq!(read(&exchange("tools/call", "{}", bare)), r#"{"n":1}"#);
        let read_resource = r#"{"result":{"contents":[{"uri":"u","text":"all of it"}]}}"#;
        assert_eq!(read(&exchange("resources/read", "{}", read_resource)), "all of it");
        let described = r#"{"result":{"tools": [ {"name":"a"} ],"_meta":{}}}"#;
        assert_eq!(read(&exchange("tools/describe", "{}", described)), r#"{"tools":[{"name":"a"}]}"#);
        let refused = r#"{"error":{"code":-32602, "message":"no"}}"#;
        assert_eq!(read(&exchange("tools/describe", "{}", refused)), r#"{"code":-32602,"message":"no"}"#);
    }
}
