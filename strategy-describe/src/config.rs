//! Settings of `describe`: the section `[strategy.describe]`.

use mcp_disclosure_core::CHEAP_SCHEMA_BYTES;
use serde::Deserialize;

/// The settings of the strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DescribeConfig {
    /// The handling of a brief, or a description if there is none, of more than 60 UTF-16 code units.
    pub long_briefs: LongBriefs,
    /// Ordinary clients are listed a tool with its schema if that has at most this many bytes; 0: never.
    pub inline_schema_bytes: usize,
}

impl Default for DescribeConfig {
    fn default() -> Self {
        Self { long_briefs: LongBriefs::default(), inline_schema_bytes: CHEAP_SCHEMA_BYTES }
    }
}

/// The handling of long briefs (docs/CONTRACT.md D1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LongBriefs {
    /// Refuse them at the start, as Delta-MCP does when a tool is registered.
    #[default]
    Reject,
    /// Derive shorter ones.
    Shorten,
}
