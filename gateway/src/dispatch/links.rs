//! Removes links to hidden resources, and hidden embedded resources, from results.
//!
//! A result without hidden resources keeps its original text, and without resource rules no result is
//! inspected.

use mcp_disclosure_core::{RawObject, RawText, View};
use mcp_disclosure_transport::Json;

/// Filters a `resources/read` result; `None` if all of its contents are hidden.
pub(super) fn readable(view: &View, upstream: &str, result: Json) -> Option<Json> {
    let Some(object) = guarded(view, &result) else { return Some(result) };
    let kept = object.member("contents").and_then(|contents| shown_of(view, upstream, contents, 0));
    match kept {
        None => Some(result),
        Some(kept) if kept.is_empty() => None,
        Some(kept) => Some(object.with_value("contents", &kept).into()),
    }
}

/// Filters a `tools/call` result.
pub(super) fn of_call(view: &View, upstream: &str, result: Json) -> Json {
    filtered(view, upstream, result, "content")
}

/// Filters a `prompts/get` result.
pub(super) fn of_prompt(view: &View, upstream: &str, result: Json) -> Json {
    filtered(view, upstream, result, "messages")
}

fn filtered(view: &View, upstream: &str, result: Json, member: &str) -> Json {
    let Some(object) = guarded(view, &result) else { return result };
    let kept = object.member(member).and_then(|blocks| shown_of(view, upstream, blocks, 0));
    kept.map_or(result, |kept| object.with_value(member, &kept).into())
}

/// The result as an object, if it may refer to a hidden resource.
fn guarded(view: &View, result: &Json) -> Option<RawObject> {
    let text = result.as_str();
    // Every block about a resource has a `uri`; the key may be written with escapes.
    let may_be = view.guards_resources() && (text.contains("\"uri\"") || text.contains("\\u"));
    may_be.then(|| RawObject::parse(text).ok()).flatten()
}

/// How deep contents are nested at most: a message has blocks, of which the result of a tool has others. What is deeper is none.
const DEEPEST: usize = 4;

/// What is left of a block.
enum Rest {
    Whole,
    Part(RawObject),
    Nothing,
}

/// The blocks to keep; `None` if none is hidden.
fn shown_of(view: &View, upstream: &str, blocks: &str, depth: usize) -> Option<Vec<RawText>> {
    let mut blocks: Vec<RawText> = serde_json::from_str(blocks).ok()?;
    let mut is_whole = true;
    blocks.retain_mut(|block| {
        let rest =
            RawObject::of(block).map_or(Rest::Nothing, |object| rest_of(view, upstream, &object, depth));
        is_whole &= matches!(rest, Rest::Whole);
        if let Rest::Part(part) = &rest {
            *block = part.clone().into_text();
        }
        !matches!(rest, Rest::Nothing)
    });
    (!is_whole).then_some(blocks)
}

/// What is left of a block: messages and results of tools have others in their `content`, one or several.
fn rest_of(view: &View, upstream: &str, block: &RawObject, depth: usize) -> Rest {
    if depth > DEEPEST || hides(view, upstream, block) {
        return Rest::Nothing;
    }
    let Some(content) = block.member("content") else { return Rest::Whole };
    match block.object("content").map(|inner| rest_of(view, upstream, &inner, depth + 1)) {
        Some(Rest::Part(part)) => Rest::Part(block.with("content", part.text())),
        Some(rest) => rest,
        None => shown_of(view, upstream, content, depth + 1)
            .map_or(Rest::Whole, |kept| Rest::Part(block.with_value("content", &kept))),
    }
}

/// Whether a block refers to a hidden resource: contents and links have a `uri`, and so has an embedded
/// `resource`.
fn hides(view: &View, upstream: &str, block: &RawObject) -> bool {
    let own = block.string("uri");
    let embedded = block.object("resource").and_then(|resource| resource.string("uri"));
    own.into_iter().chain(embedded).any(|uri| view.hides_resource(&uri)(upstream))
}
