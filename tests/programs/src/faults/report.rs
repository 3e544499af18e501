//! The table.

use std::{fmt::Write as _, time::Duration};

use super::{Fault, Outcome};

/// A fault and what was seen.
#[derive(Debug)]
pub struct Row {
    fault: Fault,
    outcome: Outcome,
    wall: Duration,
}

impl Row {
    pub(super) fn new(fault: Fault, outcome: Outcome, wall: Duration) -> Self {
        Self { fault, outcome, wall }
    }

    /// Whether what must hold did.
    pub fn held(&self) -> bool {
        self.outcome.is_ok()
    }
}

/// The table of these rows, as Markdown.
pub fn table(rows: &[Row]) -> String {
    let mut text =
        "| rule | what was done | what must hold | what was seen | outcome | time (s) |\n|---|---|---|---|---|--:|\n"
            .to_owned();
    for Row { fault, outcome, wall } in rows {
        let (Ok(seen) | Err(seen)) = outcome;
        let held = if outcome.is_ok() { "held" } else { "**FAILED**" };
        // A line break or a bar would end the cell.
        let seen = seen.replace('|', "\\|").replace('\n', " ");
        let cells = [fault.rule, fault.done, fault.must, &seen, held];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {:.1} |", cells.join(" | "), wall.as_secs_f32());
    }
    text
}
