//! The table.

use std::{fmt, time::Duration};

use super::{
    Attack,
    scene::{Measured, Verdict},
};

/// An attack, how it went, and what was measured.
#[derive(Debug)]
pub struct Row {
    attack: Attack,
    verdict: Verdict,
    memory: Option<u64>,
    slowest: Option<Duration>,
    wall: Duration,
}

impl Row {
    pub(super) fn new(attack: Attack, verdict: Verdict, measured: &Measured, wall: Duration) -> Self {
        let figures = measured.so_far();
        let (memory, slowest) = (figures.memory, figures.slowest);
        Self { attack, verdict, memory, slowest, wall }
    }

    /// Whether the rule held.
    pub fn held(&self) -> bool {
        self.verdict.is_ok()
    }

    fn cells(&self) -> [String; 6] {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let outcome = match &self.verdict {
            Ok(()) => "held".to_owned(),
            // A line break or a bar would end the cell.
            Err(reason) => format!("**FAILED**: {}", reason.replace('|', "\\|").escape_debug()),
        };
        [
            self.attack.rule.to_owned(),
            self.attack.name.replace('|', "\\|"),
            outcome,
            or_dash(self.memory.map(|bytes| (bytes >> 20).to_string())),
            or_dash(self.slowest.map(|time| time.as_millis().to_string())),
            format!("{:.1}", self.wall.as_secs_f32()),
        ]
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "| {} |", self.cells().join(" | "))
    }
}

/// The table of these rows, as Markdown.
pub fn table(rows: &[Row]) -> String {
    let head = "| rule | attack | outcome | memory added (MB) | slowest ping (ms) | time (s) |\n|---|---|---|--:|--:|--:|\n";
    head.to_owned() + &rows.iter().map(|row| format!("{row}\n")).collect::<String>()
}
