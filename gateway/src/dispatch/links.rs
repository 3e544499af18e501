//! Resources that results refer to: links to hidden ones, and hidden embedded ones, are removed; where upstreams' URIs clash, the
//! others get those by which clients know them.
//!
//! A result in which nothing changes keeps its original text, and with one upstream and without resource rules no result is
//! inspected.

use std::borrow::Cow;

use mcp_disclosure_core::{RawObject, RawText, View, with_pages};
use mcp_disclosure_transport::{ErrorText, Json, code};

/// The members that hold blocks, one or several: of results, of messages, and of requests that a result asks a client for.
const CONTAINERS: [&str; 5] = ["content", "contents", "messages", "params", REQUESTS];

/// The container whose blocks have names.
const REQUESTS: &str = "inputRequests";

/// How deep blocks are nested at most: a requested message has blocks, of which the result of a tool has others. What is deeper
/// is none.
const DEEPEST: usize = 8;

/// Filters a `resources/read` result; `None` if all of its contents are hidden. `asked` is the URI that the upstream was asked for,
/// and the one that the client asked for.
///
/// # Errors
/// As of [`shown`].
pub(super) fn readable(
    view: &View,
    upstream: &str,
    result: Json,
    asked: (&str, &str),
) -> Result<Option<Json>, ErrorText> {
    Ok(match (Sight { view, upstream, asked: Some(asked) }).looked_through(&result)? {
        Rest::Whole => Some(result),
        Rest::Part(rest) => (rest.member("contents") != Some("[]")).then(|| rest.into()),
        Rest::Nothing => None,
    })
}

/// Filters the result of a call or of a prompt, in which resources get the URIs that clients know them by.
///
/// # Errors
/// -32000 if it may refer to a hidden resource and cannot be looked through.
pub(super) fn shown(view: &View, upstream: &str, result: Json) -> Result<Json, ErrorText> {
    match (Sight { view, upstream, asked: None }).looked_through(&result)? {
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

/// What is left of a block.
enum Rest {
    Whole,
    Part(RawObject),
    Nothing,
}

/// Who sees what of an upstream's result.
#[derive(Clone, Copy)]
struct Sight<'a> {
    view: &'a View,
    upstream: &'a str,
    /// The resource that was asked for, as the upstream and as the client knows it.
    asked: Option<(&'a str, &'a str)>,
}

impl Sight<'_> {
    fn looked_through(self, result: &Json) -> Result<Rest, ErrorText> {
        let text = result.as_str();
        // Every block about a resource has a `uri`, and a page has a `resourceUri`; the key may be written with escapes.
        let may_refer = || text.contains("\"uri\"") || text.contains("ourceUri\"") || text.contains("\\u");
        if !(self.view.guards_resources() || self.renames()) || !may_refer() {
            return Ok(Rest::Whole);
        }
        match RawObject::parse(text) {
            Ok(result) => Ok(self.rest_of(&result, 0)),
            Err(_) => match self.unreadable() {
                Rest::Nothing => Err(illegible(self.upstream)),
                whole => Ok(whole),
            },
        }
    }

    /// What is left of what cannot be looked through: nothing, where anything is hidden.
    fn unreadable(self) -> Rest {
        if self.view.guards_resources() { Rest::Nothing } else { Rest::Whole }
    }

    /// What is left of a block that may have others in its [containers](CONTAINERS).
    fn rest_of(self, block: &RawObject, depth: usize) -> Rest {
        if depth > DEEPEST {
            return self.unreadable();
        }
        if self.hides(block) {
            return Rest::Nothing;
        }
        let mut rest = self.renamed(block).map_or(Rest::Whole, Rest::Part);
        for (container, text) in block.iter().filter(|(key, _)| CONTAINERS.contains(key)) {
            let kept = match text.as_bytes().first() {
                Some(b'[') => self.shown_of(text, depth + 1),
                Some(b'{') => {
                    let inner = match RawObject::parse(text) {
                        Err(_) => self.unreadable(),
                        Ok(inner) if container == REQUESTS => self.each_of(&inner, depth + 1),
                        Ok(inner) => self.rest_of(&inner, depth + 1),
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
    fn shown_of(self, blocks: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return matches!(self.unreadable(), Rest::Nothing).then(|| "[]".to_owned());
        }
        let blocks: Vec<RawText> = serde_json::from_str(blocks).ok()?;
        let mut is_whole = true;
        let mut kept: Vec<Cow<'_, str>> = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let text = block.get();
            let part = match text.as_bytes().first() {
                Some(b'{') => match RawObject::of(block)
                    .map_or_else(|_| self.unreadable(), |block| self.rest_of(&block, depth))
                {
                    Rest::Whole => None,
                    Rest::Part(part) => Some(part.text().to_owned()),
                    Rest::Nothing => {
                        is_whole = false;
                        continue;
                    }
                },
                Some(b'[') => self.shown_of(text, depth + 1),
                _ => None,
            };
            is_whole &= part.is_none();
            kept.push(part.map_or(Cow::Borrowed(text), Cow::Owned));
        }
        (!is_whole).then(|| format!("[{}]", kept.join(",")))
    }

    /// What is left of blocks that have names.
    fn each_of(self, blocks: &RawObject, depth: usize) -> Rest {
        let mut rest = Rest::Whole;
        for (name, text) in blocks.iter() {
            let left = RawObject::parse(text)
                .map_or_else(|_| self.unreadable(), |block| self.rest_of(&block, depth));
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
    fn hides(self, block: &RawObject) -> bool {
        if !self.view.guards_resources() {
            return false;
        }
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
        found.iter().any(|uri| self.view.hides_resource(uri)(self.upstream))
    }

    /// A block with the URIs by which clients know what it refers to; `None` if they are its own.
    fn renamed(self, block: &RawObject) -> Option<RawObject> {
        if !self.renames() {
            return None;
        }
        let own = self.with_served_uri(block);
        let pages = with_pages(own.as_ref().unwrap_or(block), |uri| self.served(uri).into());
        let own = pages.or(own);
        let embedded = block.object("resource").and_then(|resource| self.with_served_uri(&resource));
        let before = own.as_ref().unwrap_or(block);
        embedded.map(|resource| before.with("resource", resource.text())).or(own)
    }

    fn with_served_uri(self, block: &RawObject) -> Option<RawObject> {
        let uri = block.string("uri")?;
        let served = self.served(&uri);
        (served != uri).then(|| block.with_value("uri", &served))
    }

    fn served(self, uri: &str) -> String {
        match self.asked {
            Some((own, asked)) if own == uri => asked.to_owned(),
            _ => self.view.served_uri(self.upstream, uri).into_owned(),
        }
    }

    /// Whether clients may know a resource by another URI than the upstream does.
    fn renames(self) -> bool {
        self.view.shares_uris() || self.asked.is_some_and(|(own, asked)| own != asked)
    }
}
