//! Fetches an upstream's lists, page by page; that of tools as far as it changed, where the upstream has a manifest (SEP-2636).

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use mcp_disclosure_core::{Digest, Era, Kind, ListHints, Mirrored, RawObject, RawText, UpstreamLists, given};
use mcp_disclosure_drafts::manifest::{DESCRIBE, Held, MANIFEST, Mismatch, Reconciliation, digest};
use mcp_disclosure_transport::{ErrorText, code};
use tokio::task::spawn_blocking;

use super::{CallError, Upstream};

/// Maximum pages per list.
const MOST_PAGES: usize = 10_000;

/// Fetches, concurrently, all lists that the upstream's capabilities declare. Of tools that are held, those that did not
/// change are not fetched again where the upstream offers a manifest. `announced`: it said that something changed.
pub(super) async fn fetch(
    upstream: &Upstream,
    held: Option<&UpstreamLists>,
    announced: bool,
) -> Result<UpstreamLists, CallError> {
    let (tools, resources, templates, prompts) = futures::try_join!(
        tools(upstream, held, announced),
        pages(upstream, "resources", "resources/list", "resources"),
        pages(upstream, "resources", "resources/templates/list", "resourceTemplates"),
        pages(upstream, "prompts", "prompts/list", "prompts"),
    )?;
    let hints = [
        (Kind::Tools, tools.hints),
        (Kind::Resources, resources.hints),
        (Kind::Templates, templates.hints),
        (Kind::Prompts, prompts.hints),
    ];
    Ok(UpstreamLists {
        name: upstream.name().clone(),
        self_named: upstream.is_self_named(),
        tools: tools.items,
        resources: resources.items,
        templates: templates.items,
        prompts: prompts.items,
        server_info: upstream.introduction().server_info.clone(),
        instructions: upstream.introduction().instructions.clone(),
        hints: hints.into_iter().filter_map(|(kind, hints)| Some((kind, hints?))).collect(),
        supplements: HashMap::new(),
        concerns: Vec::new(),
        follows_choices: false,
        groups: Vec::new(),
        info: None,
    })
}

/// All pages of a list, and the hints for the list as a whole.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) items: Vec<RawText>,
    pub(super) hints: Option<ListHints>,
}

async fn tools(
    upstream: &Upstream,
    held: Option<&UpstreamLists>,
    announced: bool,
) -> Result<Listed, CallError> {
    let held = held.filter(|held| !held.tools.is_empty() && upstream.offers_manifest());
    if let Some(held) = held
        && let Some(listed) = reconcile(upstream, &held.tools, announced).await?
    {
        return Ok(listed);
    }
    let params = digest::comparable(&upstream.introduction().capabilities);
    pages_from(upstream, "tools", "tools/list", "tools", params).await
}

/// Removes tools whose arguments cannot be repeated in headers as their schemas require (SEP-2243), where there are
/// headers.
pub(super) fn offerable(upstream: &Upstream, mut lists: UpstreamLists) -> UpstreamLists {
    if !(upstream.is_remote() && upstream.introduction().eras.stateless) {
        return lists;
    }
    let fits = |tool: &RawText| {
        let Ok(tool) = RawObject::of(tool) else { return true };
        let Err(reason) = Mirrored::find_in(tool.member("inputSchema").unwrap_or("{}")) else { return true };
        let name = tool.string("name").unwrap_or_default();
        tracing::warn!(upstream = %upstream.name(), tool = ?name, reason, "tool removed from the list");
        false
    };
    lists.tools.retain(|tool| fits(tool));
    lists
}

async fn pages(
    upstream: &Upstream,
    capability: &str,
    method: &str,
    member: &str,
) -> Result<Listed, CallError> {
    pages_from(upstream, capability, method, member, RawObject::empty()).await
}

/// All pages of a list; `params` are those of the first request.
async fn pages_from(
    upstream: &Upstream,
    capability: &str,
    method: &str,
    member: &str,
    params: RawObject,
) -> Result<Listed, CallError> {
    if !upstream.introduction().has(capability) {
        return Ok(Listed::default());
    }
    all_pages(upstream, method, member, params).await
}

/// What an item of a list takes in memory beside its text: 300,000 resources of 33 bytes took 450 each, 100,000 tools of 48 bytes
/// 1,300.
const ITEM_BYTES: usize = 1_024;

/// All pages of a list that the upstream offers.
pub(super) async fn all_pages(
    upstream: &Upstream,
    method: &str,
    member: &str,
    mut params: RawObject,
) -> Result<Listed, CallError> {
    let mut all = Listed::default();
    let era = upstream.introduction().eras.nearest(Era::Session);
    let mut seen = HashSet::new();
    let mut room = upstream.limits().upstream_list_bytes;
    for _ in 0..MOST_PAGES {
        let page = upstream.query(method, params).await;
        let page = match page {
            Ok(page) => page,
            // Many servers have resources but do not implement `resources/templates/list`. Of others it counts that they have no
            // such list.
            Err(CallError::Answered(error))
                if error.code() == code::METHOD_NOT_FOUND && ![MANIFEST, "skills/list"].contains(&method) =>
            {
                break;
            }
            Err(error) => return Err(error),
        };
        let invalid = |what: &str| {
            CallError::Answered(ErrorText::new(
                code::UPSTREAM_FAILED,
                format_args!("the result of {method} is invalid: {what}"),
            ))
        };
        let too_large = || {
            let bytes = upstream.limits().upstream_list_bytes;
            invalid(&format!(
                "more than {bytes} bytes, and {ITEM_BYTES} for each item (limits.upstream_list_bytes)"
            ))
        };
        room = room.checked_sub(page.as_str().len()).ok_or_else(too_large)?;
        let page = RawObject::parse(page.as_str()).map_err(|_| invalid("not an object"))?;
        let listed = page.member(member).ok_or_else(|| invalid(&format!("'{member}' is missing")))?;
        // No more are read than there is room for: an item of one digit takes fifty times as much as the list's text.
        let listed = given::values(listed, room / ITEM_BYTES)
            .ok_or_else(|| invalid(&format!("'{member}' is not an array")))?;
        room = room.checked_sub(listed.len() * ITEM_BYTES).ok_or_else(too_large)?;
        all.items.extend(listed.into_iter().map(|item| RawText::from(item.to_owned())));
        let hints = hints(&page, era);
        all.hints = Some(match all.hints {
            Some(first) => first.continued(hints),
            None => hints,
        });
        match page.string("nextCursor") {
            Some(cursor) if seen.insert(cursor.clone()) => {
                params = RawObject::empty().with_value("cursor", &cursor)
            }
            _ => break,
        }
    }
    Ok(all)
}

/// A page's cache hints. The stateless era requires them; a list without any is treated as not cacheable.
fn hints(page: &RawObject, era: Era) -> ListHints {
    let unsaid = match era {
        Era::Session => ListHints::default(),
        Era::Stateless => ListHints { time_to_live: Duration::ZERO, private: true, meta: None },
    };
    let scope = page.string("cacheScope");
    ListHints {
        time_to_live: page.member("ttlMs").map_or(unsaid.time_to_live, milliseconds),
        private: scope.map_or(unsaid.private, |scope| scope != "public"),
        meta: page.object("_meta"),
    }
}

/// A number of milliseconds that clients can represent; zero if negative or not a number.
fn milliseconds(text: &str) -> Duration {
    const LONGEST: f64 = 9_007_199_254_740_991.0;
    let number = text.parse::<f64>().unwrap_or_default().clamp(0.0, LONGEST);
    Duration::from_millis(number as u64)
}

/// How often it is tried: the list may change between the manifest and the definitions.
const TRIES: usize = 2;

/// Why there is no list yet.
enum Unreconciled {
    /// What was fetched is not what the manifest says.
    Mismatch(Mismatch),
    /// The upstream refuses, or [`Reconciliation::why_list`] says why.
    Useless(String),
    /// There is no answer.
    Failed(CallError),
}

impl From<Mismatch> for Unreconciled {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

impl From<CallError> for Unreconciled {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Answered(error) => Self::Useless(error.message()),
            error => Self::Failed(error),
        }
    }
}

/// The upstream's list of tools, made of those that are held and those that changed. `None` if `tools/list` has to be
/// asked. `announced`: the upstream said that something changed.
///
/// # Errors
/// If the upstream does not answer.
async fn reconcile(
    upstream: &Upstream,
    held: &[RawText],
    announced: bool,
) -> Result<Option<Listed>, CallError> {
    let held = held.to_vec();
    let parsing = spawn_blocking(move || {
        let held = Held::new(held.iter().map(parsed).collect());
        (held.digest(), held)
    });
    let Ok((stated, held)) = parsing.await else { return Ok(None) };
    for _ in 0..TRIES {
        match attempt(upstream, stated, held.clone(), announced).await {
            Ok(listed) => return Ok(Some(listed)),
            Err(Unreconciled::Failed(error)) => return Err(error),
            Err(Unreconciled::Useless(reason)) => {
                tracing::debug!(upstream = %upstream.name(), reason, "its list is fetched as a whole");
                return Ok(None);
            }
            Err(Unreconciled::Mismatch(mismatch)) => {
                tracing::debug!(upstream = %upstream.name(), %mismatch, "its manifest is out of date");
            }
        }
    }
    tracing::warn!(upstream = %upstream.name(), "its manifest does not fit its definitions; its list is fetched as a whole");
    Ok(None)
}

async fn attempt(
    upstream: &Upstream,
    stated: Digest,
    held: Held,
    announced: bool,
) -> Result<Listed, Unreconciled> {
    let compares = digest::is_compared(&upstream.introduction().capabilities);
    let params = if compares { digest::stated(stated) } else { RawObject::empty() };
    let manifest = pages_from(upstream, "tools", MANIFEST, "entries", params).await?;
    let meta = manifest.hints.as_ref().and_then(|hints| hints.meta.clone());
    let hints = manifest.hints.map(|hints| {
        let meta = hints.meta.as_ref().and_then(digest::without);
        ListHints { meta, ..hints }
    });
    let items = |held: Held| held.into_tools().into_iter().map(RawObject::into_text).collect();
    if compares && meta.is_some_and(|meta| digest::is_unchanged(&meta)) {
        return Ok(Listed { items: aside(move || items(held)).await?, hints });
    }
    let compare = move || {
        let entries: Vec<RawObject> = manifest.items.iter().map(parsed).collect();
        Reconciliation::new(&entries, held)
    };
    let reconciliation = aside(compare).await??;
    if let Some(why) = reconciliation.why_list(announced) {
        return Err(Unreconciled::Useless(why));
    }
    let reconciliation = fetch_changed(upstream, reconciliation).await?;
    let items = aside(move || items(reconciliation.finish().unwrap_or_default())).await?;
    Ok(Listed { items, hints })
}

/// Does work on a whole list beside the workers that serve clients.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unreconciled> {
    spawn_blocking(work).await.map_err(|_| Unreconciled::Useless("comparing it panicked".to_owned()))
}

fn parsed(text: &RawText) -> RawObject {
    RawObject::of(text).unwrap_or_default()
}

/// Fetches what changed, in pieces that the upstream accepts.
async fn fetch_changed(
    upstream: &Upstream,
    mut reconciliation: Reconciliation,
) -> Result<Reconciliation, Unreconciled> {
    let useless = |reason: &str| Unreconciled::Useless(format!("{DESCRIBE}: {reason}"));
    let mut room = upstream.limits().upstream_list_bytes;
    while let Some(names) = reconciliation.next_batch() {
        let params = RawObject::empty().with_value("names", &names);
        let result = match upstream.query(DESCRIBE, params).await {
            Ok(result) => result,
            Err(CallError::Answered(error)) if error.code() == code::INVALID_PARAMS => {
                reconciliation.refused(&names, error.data().as_ref())?;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        room = room
            .checked_sub(result.as_str().len())
            .ok_or_else(|| useless("more bytes than a list may have (limits.upstream_list_bytes)"))?;
        let taking = aside(move || {
            let result = RawObject::parse(result.as_str()).ok();
            let tools = result.and_then(|result| serde_json::from_str(result.member("tools")?).ok());
            let accepted = tools.map(|tools| reconciliation.accept(&names, tools));
            accepted.map(|accepted| accepted.map(|()| reconciliation))
        });
        let taken = taking.await?;
        reconciliation = taken.ok_or_else(|| useless("no list of objects under 'tools'"))??;
    }
    Ok(reconciliation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u15_hints_are_read_and_what_an_era_demands_is_not_presumed() {
        let read = |page: &str, era| {
            let ListHints { time_to_live, private, .. } = hints(&RawObject::parse(page).unwrap(), era);
            (time_to_live.as_millis(), private)
        };
        for (page, session, stateless) in [
            (r#"{}"#, (60_000, false), (0, true)),
            (r#"{"ttlMs":300000,"cacheScope":"public"}"#, (300_000, false), (300_000, false)),
            (r#"{"ttlMs":0,"cacheScope":"private"}"#, (0, true), (0, true)),
            (r#"{"ttlMs":1500.0}"#, (1500, false), (1500, true)),
            (r#"{"ttlMs":-5,"cacheScope":"shared"}"#, (0, true), (0, true)),
            (r#"{"ttlMs":"soon","cacheScope":7}"#, (0, false), (0, true)),
            (r#"{"ttlMs":1e300}"#, (9_007_199_254_740_991, false), (9_007_199_254_740_991, true)),
        ] {
            assert_eq!(
                (read(page, Era::Session), read(page, Era::Stateless)),
                (session, stateless),
                "{page}"
            );
        }
    }
}
