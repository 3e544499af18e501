//! Settings of `info`: what `[strategy.info]` may hold.

use serde::Deserialize;

/// What is listed beside `info`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InfoConfig {
    /// How the other tools are listed.
    pub tools: OtherTools,
}

/// How the other tools are listed (contract I7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherTools {
    /// Each by its brief, with a schema that says nothing. They are called by their own names.
    #[default]
    Stubs,
    /// Not at all: `invoke` calls them.
    EntryOnly,
}
