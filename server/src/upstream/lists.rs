//! Everything an upstream lists, page by page.

use std::collections::HashSet;

use mcp_disclosure_core::{RawObject, UpstreamLists};
use serde_json::value::RawValue;

use super::{CallError, Upstream};
use crate::wire::{ErrorText, code};

/// An upstream that never stops paging is stopped here.
const MOST_PAGES: usize = 10_000;

/// Fetches all lists that the upstream's capabilities promise, at the same time.
pub(super) async fn fetch(upstream: &Upstream) -> Result<UpstreamLists, CallError> {
    let (tools, resources, templates, prompts) = futures::try_join!(
        pages(upstream, "tools", "tools/list", "tools"),
        pages(upstream, "resources", "resources/list", "resources"),
        pages(upstream, "resources", "resources/templates/list", "resourceTemplates"),
        pages(upstream, "prompts", "prompts/list", "prompts"),
    )?;
    let instructions = upstream.introduction().instructions.clone();
    Ok(UpstreamLists { name: upstream.name().clone(), tools, resources, templates, prompts, instructions })
}

async fn pages(
    upstream: &Upstream,
    capability: &str,
    method: &str,
    member: &str,
) -> Result<Vec<Box<RawValue>>, CallError> {
    let mut items = Vec::new();
    if !upstream.introduction().has(capability) {
        return Ok(items);
    }
    let mut params = RawObject::empty();
    let mut seen = HashSet::new();
    for _ in 0..MOST_PAGES {
        let page = upstream.connection().request(method, params, None, upstream.patience()).await;
        let page = match page {
            Ok(page) => page,
            // Many servers with resources know no templates, and say so.
            Err(CallError::Answered(error)) if error.code() == code::METHOD_NOT_FOUND => break,
            Err(error) => return Err(error),
        };
        let nonsense = |what: &str| {
            CallError::Answered(ErrorText::new(
                code::UPSTREAM_FAILED,
                format_args!("its {method} has {what}"),
            ))
        };
        let page = RawObject::parse(page.as_str()).map_err(|_| nonsense("no object for result"))?;
        let listed = page.member(member).ok_or_else(|| nonsense(&format!("no '{member}'")))?;
        let listed: Vec<Box<RawValue>> =
            serde_json::from_str(listed).map_err(|_| nonsense(&format!("a '{member}' that is no array")))?;
        items.extend(listed);
        match page.string("nextCursor") {
            Some(cursor) if seen.insert(cursor.clone()) => {
                params = RawObject::empty().with_value("cursor", &cursor)
            }
            _ => break,
        }
    }
    Ok(items)
}
