//! `groups/list` and `groups/get` (docs/CONTRACT.md G4, G5, G10, G11, G17).

use mcp_disclosure_core::{Context, Era, Fault, Kind, Note, RawObject, given::shown};
use serde_json::json;

use crate::{Groups, GroupsConfig, wording};

/// Lists the groups that are not nested.
pub const LIST: &str = "groups/list";

/// Delivers one group.
pub const GET: &str = "groups/get";

/// The digits of a digest in a cursor.
const DIGITS: usize = 16;

/// The result of `groups/list`.
///
/// # Errors
/// [`Fault::InvalidParams`] for a cursor that this list did not issue.
pub fn list(
    cx: &Context<'_>,
    groups: &Groups,
    params: &RawObject,
    config: &GroupsConfig,
) -> Result<RawObject, Fault> {
    let mark = groups.digest().to_string();
    let mark = &mark[mark.len() - DIGITS..];
    let from = match params.member("cursor").filter(|given| *given != "null") {
        None => 0,
        Some(_) => {
            let cursor = params.string("cursor").unwrap_or_default();
            let start = cursor.strip_suffix(mark).and_then(|start| start.strip_suffix('-'));
            let start = start.and_then(|start| start.parse::<usize>().ok());
            start
                .filter(|start| (1..groups.top().len()).contains(start))
                .ok_or_else(|| Fault::InvalidParams(wording::FOREIGN_CURSOR.to_owned()))?
        }
    };
    let page = groups.top().skip(from).take(config.page.get());
    let result = RawObject::empty().with_list("groups", page.map(|group| &group.object));
    let next = from + config.page.get();
    let result = if next < groups.top().len() {
        result.with_value("nextCursor", &format!("{next}-{mark}"))
    } else {
        result
    };
    Ok(hinted(cx, result))
}

/// The result of `groups/get`.
///
/// # Errors
/// [`Fault::InvalidParams`] without a name, [`Fault::NotFound`] if there is no such group for the caller.
pub fn get(cx: &Context<'_>, groups: &Groups, params: &RawObject) -> Result<RawObject, Fault> {
    let name = params.string("name");
    let name = name.ok_or_else(|| Fault::InvalidParams(wording::NAME_NOT_A_STRING.to_owned()))?;
    let Some(group) = groups.named(&name) else {
        tracing::info!(session = cx.session, "unknown group requested");
        return Err(Fault::NotFound {
            message: wording::NOT_FOUND.to_owned(),
            data: json!({"name": shown(&name)}),
        });
    };
    tracing::info!(session = cx.session, group = group.name, "group delivered");
    cx.note(Note::Delivered);
    Ok(hinted(cx, groups.contents(cx.view, group)))
}

/// Results with the cache hints of the stateless era. What is in groups depends on what the client declares.
fn hinted(cx: &Context<'_>, result: RawObject) -> RawObject {
    if cx.client.era == Era::Session {
        return result;
    }
    let kinds = [Kind::Tools, Kind::Prompts, Kind::Resources].into_iter();
    let time_to_live = kinds.map(|kind| cx.view.hints(kind).time_to_live).min().unwrap_or_default();
    let milliseconds = u64::try_from(time_to_live.as_millis()).unwrap_or(u64::MAX);
    let result = result.with_value("resultType", "complete").with_value("ttlMs", &milliseconds);
    result.with_value("cacheScope", "private")
}
