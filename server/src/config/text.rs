//! Places in a file's text.

use std::sync::Arc;

use mcp_disclosure_gateway::Place;

/// A text and where its lines begin, since a place is asked for with each of thousands of sections.
#[derive(Debug)]
pub(super) struct Places<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Places<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The place of a byte offset.
    pub(super) fn place(&self, file: &Arc<str>, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = self.starts.partition_point(|start| *start <= before.len());
        let column = before[self.starts[line - 1]..].chars().count() + 1;
        Place { file: Arc::clone(file), line, column }
    }
}
