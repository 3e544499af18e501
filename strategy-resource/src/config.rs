//! Settings of `resource`: the section `[strategy.resource]`.

use mcp_disclosure_core::{FetchBounds, SettingKind, SettingValue, settings};
use serde::Deserialize;

settings! {
    /// Bounds of requests, and of answers to unknown names.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ResourceConfig {
        /// `available_tools` contains every listed name if there are at most this many. Default: 100.
        pub available_tools: usize = FetchBounds::default().available_tools,
        /// If there are more, it contains this many of the most similar names. Default: 20.
        pub nearest_tools: usize = FetchBounds::default().nearest_tools,
        /// Maximum number of tools in one fetch. Default: 64.
        pub most_names: usize = FetchBounds::default().most_names,
        /// The proof of a fetch in sessions: "session", the default, or "signed", for hosts that open a session per call.
        pub receipts: SessionReceipts = SessionReceipts::default(),
    }
}

/// The proof of a fetch in sessions (docs/CONTRACT.md R8, R14; decision 0023). Without sessions it is always signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionReceipts {
    /// A mark in the session, which is valid there only.
    #[default]
    Session,
    /// A signed receipt in the delivered schema, which calls must contain: for hosts that open a session per call.
    Signed,
}

impl ResourceConfig {
    /// The bounds of fetches.
    pub(crate) fn bounds(&self) -> FetchBounds {
        let Self { available_tools, nearest_tools, most_names, .. } = *self;
        FetchBounds { available_tools, nearest_tools, most_names }
    }
}

impl SettingValue for SessionReceipts {
    const KIND: SettingKind = SettingKind::Word(&["session", "signed"]);
}
