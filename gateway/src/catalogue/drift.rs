//! The warning that upstreams' definitions are not those that decisions were made from.

use mcp_disclosure_core::{Drift, Snapshot};

/// Maximum number of tools that one warning names.
const MAX_NAMED: usize = 3;

/// Logs one warning for all tools of a snapshot that drifted, unless it would be the same as for the snapshot before.
pub(super) fn warn(before: Option<&Snapshot>, now: &Snapshot) {
    let drifted: Vec<&Drift> = now.drifted().collect();
    let is_known = before.is_some_and(|before| before.drifted().eq(drifted.iter().copied()));
    if !drifted.is_empty() && !is_known {
        tracing::warn!("{}", message(&drifted));
    }
}

fn message(drifted: &[&Drift]) -> String {
    let named: Vec<String> = drifted.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    let more = match drifted.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (count, named) = (drifted.len(), named.join(", "));
    let tools = if count == 1 { "tool" } else { "tools" };
    format!(
        "the upstream's definition of {count} {tools} is not the recorded one: {named}{more}; \
         review them (check lists all), then record them with export --accept-drift"
    )
}
