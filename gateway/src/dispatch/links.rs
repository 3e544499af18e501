//! Removes links to hidden resources, and hidden embedded resources, from results.
//!
//! A result without hidden resources keeps its original text, and without resource rules no result is
//! inspected.

use std::borrow::Cow;

use mcp_disclosure_core::{RawObject, RawText, View};
use mcp_disclosure_transport::{ErrorText, Json, code};

/// The members that hold blocks, one or several: of results, of messages, and of requests that a result asks a client for.
const CONTAINERS: [&str; 5] = ["content", "contents", "messages", "params", REQUESTS];

/// The container whose blocks have names.
const REQUESTS: &str = "inputRequests";

/// How deep blocks are nested at most: a requested message has blocks, of which the result of a tool has others. What is deeper
/// is none.
const DEEPEST: usize = 8;

/// Filters a `resources/read` result; `None` if all of its contents are hidden.
///
/// # Errors
/// As of [`shown`].
pub(super) fn readable(view: &View, upstream: &str, result: Json) -> Result<Option<Json>, ErrorText> {
    Ok(match looked_through(view, upstream, &result)? {
        Rest::Whole => Some(result),
        Rest::Part(rest) => (rest.member("contents") != Some("[]")).then(|| rest.into()),
        Rest::Nothing => None,
    })
}

/// Filters the result of a call or of a prompt.
///
/// # Errors
/// -32000 if it may refer to a resource and cannot be looked through.
pub(super) fn shown(view: &View, upstream: &str, result: Json) -> Result<Json, ErrorText> {
    match looked_through(view, upstream, &result)? {
        Rest::Whole => Ok(result),
        Rest::Part(rest) => Ok(rest.into()),
        Rest::Nothing => Err(illegible(upstream)),
    }
}

/// That a result is not passed on, since it cannot be looked through for what is hidden.
pub(super) fn illegible(upstream: &str) -> ErrorText {
    ErrorText::new(
        code::UPSTREAM_FAILED,
        format_args!(
            "upstream '{upstream}' sent a result that cannot be looked through for hidden resources"
        ),
    )
}

fn looked_through(view: &View, upstream: &str, result: &Json) -> Result<Rest, ErrorText> {
    let text = result.as_str();
    // Every block about a resource has a `uri`; the key may be written with escapes.
    if !view.guards_resources() || !(text.contains("\"uri\"") || text.contains("\\u")) {
        return Ok(Rest::Whole);
    }
    let result = RawObject::parse(text).map_err(|_| illegible(upstream))?;
    Ok(rest_of(view, upstream, &result, 0))
}

/// What is left of a block.
enum Rest {
    Whole,
    Part(RawObject),
    Nothing,
}

/// What is left of a block that may have others in its [containers](CONTAINERS).
fn rest_of(view: &View, upstream: &str, block: &RawObject, depth: usize) -> Rest {
    if depth > DEEPEST || hides(view, upstream, block) {
        return Rest::Nothing;
    }
    let mut rest = Rest::Whole;
    for (container, text) in block.iter().filter(|(key, _)| CONTAINERS.contains(key)) {
        let kept = match text.as_bytes().first() {
            Some(b'[') => shown_of(view, upstream, text, depth + 1),
            Some(b'{') => {
                let Ok(inner) = RawObject::parse(text) else { return Rest::Nothing };
                let inner = match container {
                    REQUESTS => each_of(view, upstream, &inner, depth + 1),
                    _ => rest_of(view, upstream, &inner, depth + 1),
                };
                match inner {
                    Rest::Whole => None,
                    Rest::Part(part) => Some(part.text().to_owned()),
                    Rest::Nothing => return Rest::Nothing,
                }
            }
            _ => None,
        };
        if let Some(kept) = kept {
            let before = if let Rest::Part(part) = &rest { part } else { block };
            rest = Rest::Part(before.with(container, &kept));
        }
    }
    rest
}

/// The blocks of a list that are kept, as JSON; `None` if all of it is. What is no object or list refers to nothing.
fn shown_of(view: &View, upstream: &str, blocks: &str, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return Some("[]".to_owned());
    }
    let blocks: Vec<RawText> = serde_json::from_str(blocks).ok()?;
    let mut is_whole = true;
    let mut kept: Vec<Cow<'_, str>> = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let text = block.get();
        let part = match text.as_bytes().first() {
            Some(b'{') => match RawObject::of(block)
                .map_or(Rest::Nothing, |block| rest_of(view, upstream, &block, depth))
            {
                Rest::Whole => None,
                Rest::Part(part) => Some(part.text().to_owned()),
                Rest::Nothing => {
                    is_whole = false;
                    continue;
                }
            },
            Some(b'[') => shown_of(view, upstream, text, depth + 1),
            _ => None,
        };
        is_whole &= part.is_none();
        kept.push(part.map_or(Cow::Borrowed(text), Cow::Owned));
    }
    (!is_whole).then(|| format!("[{}]", kept.join(",")))
}

/// What is left of blocks that have names.
fn each_of(view: &View, upstream: &str, blocks: &RawObject, depth: usize) -> Rest {
    let mut rest = Rest::Whole;
    for (name, text) in blocks.iter() {
        let left =
            RawObject::parse(text).map_or(Rest::Nothing, |block| rest_of(view, upstream, &block, depth));
        let before = if let Rest::Part(part) = &rest { part } else { blocks };
        rest = match left {
            Rest::Whole => continue,
            Rest::Part(part) => Rest::Part(before.with(name, part.text())),
            Rest::Nothing => Rest::Part(before.retain(|key| key != name)),
        };
    }
    rest
}

/// Whether a block refers to a hidden resource: contents and links have a `uri`, and so has an embedded
/// `resource`.
fn hides(view: &View, upstream: &str, block: &RawObject) -> bool {
    // A client may take any of several members of the same name.
    let uris = |block: &RawObject| -> Vec<String> {
        let values = block.iter().filter(|(key, _)| *key == "uri").map(|(_, value)| value);
        values.filter_map(|value| serde_json::from_str(value).ok()).collect()
    };
    let embedded = block.iter().filter(|(key, _)| *key == "resource");
    let embedded =
        embedded.filter(|(_, value)| value.starts_with('{')).map(|(_, value)| RawObject::parse(value));
    let mut found = uris(block);
    for resource in embedded {
        let Ok(resource) = resource else { return true };
        found.extend(uris(&resource));
    }
    found.iter().any(|uri| view.hides_resource(uri)(upstream))
}
