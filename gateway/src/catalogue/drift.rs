//! The warning that upstreams' definitions are not those that decisions were made from.

use mcp_disclosure_core::{Drift, Snapshot};

/// Maximum number of tools that one warning names.
const MAX_NAMED: usize = 3;

/// One warning for all tools of a snapshot that drifted.
pub(super) fn warning(snapshot: &Snapshot) -> Option<String> {
    let drifted: Vec<&Drift> = snapshot.drifted().collect();
    (!drifted.is_empty()).then(|| message(&drifted))
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
