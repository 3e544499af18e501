//! Settings of `info`: the section `[strategy.info]`.

use mcp_disclosure_core::{CHEAP_SCHEMA_BYTES, Executors};
use serde::Deserialize;

/// The settings of the strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InfoConfig {
    /// How the other tools are listed: "stubs", the default, each with its brief; "entry-only", not at all.
    pub tools: OtherTools,
    /// Which tools call others under `entry-only`: "one", the default, or "by-effect", which also lists `invoke_read_only`.
    pub executors: Executors,
    /// A tool is shown with its parameters, in the list or in its category, if its schema has at most this many bytes; 0:
    /// never. Default: 200.
    pub inline_schema_bytes: usize,
    /// Maximum number of topics in one request. Default: 16.
    pub most_topics: usize,
}

impl Default for InfoConfig {
    fn default() -> Self {
        Self {
            tools: OtherTools::default(),
            executors: Executors::default(),
            inline_schema_bytes: CHEAP_SCHEMA_BYTES,
            most_topics: 16,
        }
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
