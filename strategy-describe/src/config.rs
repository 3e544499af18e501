//! Settings of `describe`: the section `[strategy.describe]`.

use mcp_disclosure_core::{CHEAP_SCHEMA_BYTES, SettingKind, SettingValue, settings};
use serde::Deserialize;

settings! {
    /// The settings of the strategy.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct DescribeConfig {
        /// The handling of texts of more than 60 UTF-16 code units: "shorten-derived", the default, shortens descriptions and
        /// refuses briefs that the operator wrote; "shorten" shortens both, "reject" refuses both.
        pub long_briefs: LongBriefs = LongBriefs::default(),
        /// Ordinary clients are listed a tool with its schema if that has at most this many bytes; 0: never. Default: 200.
        pub inline_schema_bytes: usize = CHEAP_SCHEMA_BYTES,
    }
}

/// The handling of long texts: briefs that the operator wrote, and upstreams' descriptions of tools without one
/// (docs/CONTRACT.md D1, B4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongBriefs {
    /// Shorten descriptions, and refuse the operator's briefs at the start, whose author can write a shorter one.
    #[default]
    ShortenDerived,
    /// Refuse both, as Delta-MCP does when a tool is registered.
    Reject,
    /// Shorten both.
    Shorten,
}

impl SettingValue for LongBriefs {
    const KIND: SettingKind = SettingKind::Word(&["shorten-derived", "reject", "shorten"]);
}
