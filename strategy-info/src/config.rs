//! Settings of `info`: the section `[strategy.info]`.

use mcp_disclosure_core::{CHEAP_SCHEMA_BYTES, Executors, SettingKind, SettingValue, settings};
use serde::Deserialize;

settings! {
    /// The settings of the strategy.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct InfoConfig {
        /// How the other tools are listed: "stubs", the default, each with its brief; "entry-only", not at all.
        pub tools: OtherTools = OtherTools::default(),
        /// Which tools call others under `entry-only`: "one", the default, or "by-effect", which also lists `invoke_read_only`.
        pub executors: Executors = Executors::default(),
        /// A tool is shown with its parameters, in the list or in its category, if its schema has at most this many bytes; 0:
        /// never. Default: 200.
        pub inline_schema_bytes: usize = CHEAP_SCHEMA_BYTES,
        /// Maximum number of topics in one request. Default: 16.
        pub most_topics: usize = 16,
    }
}

/// How the other tools are listed (docs/CONTRACT.md I7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherTools {
    /// Each with its brief and the permissive schema. They are called by their own names.
    #[default]
    Stubs,
    /// Not at all: they are called with `invoke`.
    EntryOnly,
}

impl SettingValue for OtherTools {
    const KIND: SettingKind = SettingKind::Word(&["stubs", "entry-only"]);
}
