//! The members of a listed tool that a host shows to its model.

use mcp_disclosure_core::{RawObject, size};
use serde::Serialize;

/// Which members of a listed tool a host shows to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum HostKind {
    /// `name`, `description` and `inputSchema`: what APIs of models take.
    #[default]
    Ordinary,
    /// Every member, as listed.
    Verbatim,
}

impl HostKind {
    /// What the model sees of a listed tool.
    pub(crate) fn shown(self, tool: &RawObject) -> RawObject {
        match self {
            Self::Ordinary => size::shown(tool),
            Self::Verbatim => tool.clone(),
        }
    }

    /// The members, in words.
    pub fn members(self) -> &'static str {
        match self {
            Self::Ordinary => "name, description and inputSchema of a tool",
            Self::Verbatim => "every member of a tool",
        }
    }
}
