//! An MCP server over Streamable HTTP that speaks one revision only, and checks every request it receives against that
//! revision.
//!
//! It lists, calls, reports progress, elicits, and announces changed lists. `State::faults` has what
//! requests lacked; the server answers such requests all the same, so that one test sees every fault.

mod answers;
mod checks;
mod server;

pub use server::RevisionServer;

/// A revision of MCP that has Streamable HTTP. 2024-11-05 has another transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// The first with Streamable HTTP.
    V2025_03_26,
    /// The first with elicitation, and with the version header.
    V2025_06_18,
    /// The last with sessions.
    V2025_11_25,
    /// The first without.
    V2026_07_28,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Self; 4] = [Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether `initialize` begins it.
    pub fn has_sessions(self) -> bool {
        self < Self::V2026_07_28
    }

    /// Whether servers may ask for elicitation.
    pub fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }
}
