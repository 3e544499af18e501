//! Revisions of MCP.

use mcp_disclosure_core::Era;
use strum::IntoEnumIterator;

/// A revision of MCP, oldest first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    strum::Display,
    strum::EnumIter,
    strum::EnumString
)]
pub enum Revision {
    /// The first revision.
    #[strum(serialize = "2024-11-05")]
    V2024_11_05,
    /// Added Streamable HTTP.
    #[strum(serialize = "2025-03-26")]
    V2025_03_26,
    /// Added structured results and elicitation.
    #[strum(serialize = "2025-06-18")]
    V2025_06_18,
    /// The last revision with sessions.
    #[strum(serialize = "2025-11-25")]
    V2025_11_25,
    /// Stateless.
    #[strum(serialize = "2026-07-28")]
    V2026_07_28,
}

impl Revision {
    /// What is proposed to servers in the session era, and offered to clients that request an unknown revision.
    pub const LATEST_WITH_SESSIONS: Self = Self::V2025_11_25;

    /// Parses a revision.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// Whether it has sessions, opened by `initialize`.
    pub fn has_sessions(self) -> bool {
        self <= Self::LATEST_WITH_SESSIONS
    }

    /// Whether calls can be tasks: in 2025-11-25, and by an extension since.
    pub fn has_tasks(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Its era.
    pub fn era(self) -> Era {
        if self.has_sessions() { Era::Session } else { Era::Stateless }
    }

    /// All names, newest first.
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> = Self::iter().map(|revision| revision.to_string()).collect();
        names.reverse();
        names
    }
}
