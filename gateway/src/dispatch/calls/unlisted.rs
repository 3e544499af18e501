//! Calls while upstreams start: of names that no upstream lists, which any of them may list, and of tools that are listed as in an
//! earlier run of the program.

use futures::{StreamExt, stream::FuturesUnordered};
use mcp_disclosure_core::{RawObject, given::shown, inner_call};
use mcp_disclosure_transport::ErrorText;
use tokio::time::timeout;

use super::call::read_call;
use crate::{
    catalogue::Page,
    dispatch::{Caller, Watch},
    slot::Recollection,
};

/// Waits for upstreams that were not tried yet, for as long as none of them lists the called tool; for one that lists it as in an
/// earlier run of the program, since it may list another definition now, or none. Returns whether it waited.
pub(crate) async fn looked_for(caller: &Caller, page: &Page, params: &RawObject, watch: &Watch<'_>) -> bool {
    let backend = &caller.backend;
    if backend.progress.is_complete() {
        return false;
    }
    let Some(name) = meant(page, params) else { return false };
    if let Some(tool) = page.view.tool(&name) {
        let tool = tool.tool();
        let slot = backend.slot(tool.upstream()).ok();
        let remembered = slot.filter(|slot| slot.status().recollection == Recollection::Offered);
        let Some(slot) = remembered else { return false };
        watch.finds(tool.upstream(), tool.upstream_name());
        let _too_late = timeout(slot.patience, backend.listed(&slot)).await;
        return true;
    }
    let slots = backend.slots();
    let trying = slots.iter().map(|slot| timeout(slot.patience, backend.listed(slot)));
    let mut trying: FuturesUnordered<_> = trying.collect();
    let is_unlisted = |page: &Page| meant(page, params).is_some_and(|tool| page.view.tool(&tool).is_none());
    while trying.next().await.is_some() && is_unlisted(&caller.page()) {}
    true
}

/// The error for a name that no tool has. It says which upstreams might have one, as they never listed anything so far.
pub(super) fn unknown(caller: &Caller, name: &str) -> ErrorText {
    let slots = caller.backend.slots();
    // Which upstreams there are is not for everyone.
    let unstarted = slots.iter().filter(|slot| caller.principal.permits().see_all() && slot.is_unstarted());
    let names: Vec<String> = unstarted.filter_map(|slot| Some(format!("'{}'", slot.name()?))).collect();
    let name = shown(name);
    match names.is_empty() {
        true => ErrorText::invalid_params(format_args!("Unknown tool: {name}")),
        false => ErrorText::invalid_params(format_args!(
            "Unknown tool: {name}; of these upstreams it is not known yet what they list: {}",
            names.join(", ")
        )),
    }
}

/// The tool of an upstream that a call is of: that of its name, or the one within the arguments of a tool of the strategy that calls
/// others. `None` for what a strategy answers by itself.
pub(crate) fn meant(page: &Page, params: &RawObject) -> Option<String> {
    let call = read_call(params).ok()?;
    match page.view.reserves(&call.name) {
        true => inner_call::members(&call).ok()?.string("tool"),
        false => Some(call.name.to_string()),
    }
}
