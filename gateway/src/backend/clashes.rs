//! Names that several tools have.

use std::sync::Arc;

use mcp_disclosure_core::{ClientTraits, Era, Principal, Snapshot, Stack, View};

use crate::problem::Problem;

/// Tools whose name clashes, with another or with a strategy's own, even in its long form. Only the first tool of such a
/// name is served.
pub fn clashes(strategies: &[Arc<Stack>], snapshot: &Arc<Snapshot>) -> Vec<Problem> {
    let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
    let with_bridge = ClientTraits { bridge: true, filter_bridge: true, ..ClientTraits::plain(Era::Session) };
    let own = strategies.iter().flat_map(|strategy| strategy.reserved_names(&everything, &with_bridge));
    let own: Vec<String> = own.collect();
    let reserved: Vec<&str> = own.iter().map(String::as_str).collect();
    let mut names = snapshot.unresolvable(&reserved);
    names.sort();
    names.dedup();
    let message = |name| format!("tool '{name}': the name is taken, and so is <upstream>__<tool>");
    let hint = "give the upstream another name";
    names.iter().map(|name| Problem::new(message(name)).hint(hint)).collect()
}
