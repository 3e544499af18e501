//! Fetches an upstream's lists, page by page; that of tools as far as it changed, where the upstream has a manifest (SEP-2636).

use mcp_disclosure_client::{
    lists::{self, Listed, Lister},
    manifest::{Reconciled, reconcile},
};
use mcp_disclosure_core::{Era, Kind, Mirrored, RawObject, RawText, UpstreamLists};
use mcp_disclosure_drafts::manifest::{Held, digest};
use mcp_disclosure_transport::{Bound, Json, code};

use super::{CallError, Owner, Upstream};

/// Fetches, concurrently, all lists that the upstream's capabilities declare. Of tools that are held, those that did not
/// change are not fetched again where the upstream offers a manifest. `announced`: it said that something changed.
pub(super) async fn fetch(
    upstream: &Upstream,
    held: Option<&UpstreamLists>,
    announced: bool,
) -> Result<UpstreamLists, CallError> {
    let (tools, resources, templates, prompts) = futures::try_join!(
        tools(upstream, held, announced),
        pages(upstream, "resources", "resources/list", "resources", RawObject::empty()),
        pages(upstream, "resources", "resources/templates/list", "resourceTemplates", RawObject::empty()),
        pages(upstream, "prompts", "prompts/list", "prompts", RawObject::empty()),
    )?;
    let hints = [
        (Kind::Tools, tools.hints),
        (Kind::Resources, resources.hints),
        (Kind::Templates, templates.hints),
        (Kind::Prompts, prompts.hints),
    ];
    Ok(UpstreamLists {
        self_named: upstream.configured.config.name.is_none(),
        tools: tools.items,
        resources: resources.items,
        templates: templates.items,
        prompts: prompts.items,
        server_info: upstream.introduction().server_info.clone(),
        instructions: upstream.introduction().instructions.clone(),
        hints: hints.into_iter().filter_map(|(kind, hints)| Some((kind, hints?))).collect(),
        ..UpstreamLists::empty(upstream.name().clone())
    })
}

async fn tools(
    upstream: &Upstream,
    held: Option<&UpstreamLists>,
    announced: bool,
) -> Result<Listed, CallError> {
    let held = held.filter(|held| !held.tools.is_empty() && upstream.offers_manifest());
    if let Some(held) = held
        && let Some(listed) = reconciled(upstream, &held.tools, announced).await?
    {
        return Ok(listed);
    }
    let params = digest::comparable(&upstream.introduction().capabilities);
    pages(upstream, "tools", "tools/list", "tools", params).await
}

/// The list by the upstream's manifest; `None` if `tools/list` has to be asked.
async fn reconciled(
    upstream: &Upstream,
    held: &[RawText],
    announced: bool,
) -> Result<Option<Listed>, CallError> {
    let parsed = |text: &RawText| RawObject::of(text).unwrap_or_default();
    let known = || Held::new(held.iter().map(parsed).collect());
    let capabilities = &upstream.introduction().capabilities;
    let reconciled = reconcile(upstream, capabilities, known, announced).await?;
    Ok(reconciled.map(|Reconciled { changed, hints }| {
        let changed = changed.map(|now| now.into_tools().into_iter().map(RawObject::into_text).collect());
        Listed { items: changed.unwrap_or_else(|| held.to_vec()), hints, ..Listed::default() }
    }))
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

/// All pages of a list; `params` are those of the first request.
async fn pages(
    upstream: &Upstream,
    capability: &str,
    method: &str,
    member: &str,
    params: RawObject,
) -> Result<Listed, CallError> {
    if !upstream.introduction().has(capability) {
        return Ok(Listed::default());
    }
    match lists::all_pages(upstream, method, member, params).await {
        // Many servers have resources but do not implement `resources/templates/list`.
        Err(CallError::Answered(error)) if error.code() == code::METHOD_NOT_FOUND => Ok(Listed::default()),
        Ok(listed) => {
            if listed.is_cut {
                let name = upstream.name();
                tracing::warn!(upstream = %name, method, "the pages of a list do not end, or a cursor is no string: those that came are served");
            }
            Ok(listed)
        }
        failed => failed,
    }
}

impl Lister for Upstream {
    fn name(&self) -> String {
        self.name().to_string()
    }

    fn era(&self) -> Era {
        self.introduction().eras.nearest(Era::Session)
    }

    fn room(&self) -> Bound {
        Bound { most: self.limits().upstream_list_bytes, setting: "limits.upstream_list_bytes" }
    }

    async fn ask(&self, method: &str, params: RawObject) -> Result<Json, CallError> {
        self.query(Owner::Ours, method, params).await
    }
}
