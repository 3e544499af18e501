//! A child's stderr: logged within a rate limit, and its last lines kept to explain why the child exited.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use tokio::io::AsyncRead;

use crate::{Connection, Line, Lines, line_limit::LineLimit, printable};

/// Longer lines are skipped.
const LONGEST_LINE: usize = 64 * 1024;

/// The last lines a child wrote to stderr.
#[derive(Clone, Debug, Default)]
pub(super) struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    const KEPT: usize = 5;

    fn keep(&self, line: String) {
        let mut lines = self.0.lock();
        if lines.len() == Self::KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines for the operator; `None` if there are none.
    pub(super) fn shown(&self) -> Option<String> {
        let lines = self.0.lock();
        let shown = || lines.iter().map(String::as_str).collect::<Vec<_>>().join(" | ");
        (!lines.is_empty()).then(|| format!("last stderr lines: {}", shown()))
    }
}

/// Logs lines within the rate limit and keeps the last ones, until the child closes its stderr.
pub(super) async fn log(errors: impl AsyncRead + Unpin, connection: Arc<Connection>, last: LastLines) {
    let bounds = *connection.bounds();
    let mut lines = Lines::new(errors, LONGEST_LINE);
    let limit = LineLimit::new("stderr lines", bounds.stderr_lines);
    while let Ok(Some(line)) = lines.next().await {
        let Line::Text(text) = line else { continue };
        let text = printable::line(String::from_utf8_lossy(&text).trim_end(), bounds.stderr_characters);
        if limit.admits(&connection.name()) {
            tracing::info!(target: "upstream", upstream = connection.name(), "{text}");
        }
        last.keep(text);
    }
    limit.finish(&connection.name());
}
