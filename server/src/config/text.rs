//! Places in a file's text.

use std::sync::Arc;

use mcp_disclosure_gateway::Place;

/// The place of a byte offset in a file's text.
pub(super) fn place(file: &Arc<str>, text: &str, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
    Place { file: Arc::clone(file), line, column }
}
