//! Settings of `describe`: what `[strategy.describe]` may hold.

use serde::Deserialize;

/// How short texts come about.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DescribeConfig {
    /// What is done with a brief, or a description where there is none, over 60 UTF-16 code units.
    pub long_briefs: LongBriefs,
}

/// What is done with long briefs (contract D1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LongBriefs {
    /// They are objected to at the start, as 003 does when a tool is registered.
    #[default]
    Reject,
    /// Shorter ones are derived from them.
    Shorten,
}
