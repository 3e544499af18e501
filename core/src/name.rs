//! Newtypes for the protocol's strings, made by parsing.

use std::{borrow::Borrow, fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Error, raw::RawObject};

macro_rules! text {
    ($(#[$docs:meta])* $name:ident, $what:literal) => {
        $(#[$docs])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Accepts any text that is not empty.
            pub fn parse(text: &str) -> Result<Self, Error> {
                if text.is_empty() {
                    return Err(Error::EmptyName { what: $what });
                }
                Ok(Self(text.into()))
            }

            /// The text as received.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;
            fn try_from(text: String) -> Result<Self, Error> {
                Self::parse(&text)
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, formatter)
            }
        }
    };
}

text!(
    /// A tool's name, exact and case-sensitive. Names of real servers violate the specification's advice on characters
    /// and length, so only the empty name is refused.
    ToolName,
    "tool name"
);

text!(
    /// An upstream's name: the prefix of conflicting tool names, and the name in messages about the upstream.
    UpstreamName,
    "upstream name"
);

impl ToolName {
    /// The name of a tool that several upstreams have: `<upstream>__<tool>`.
    pub fn qualified(upstream: &UpstreamName, tool: &Self) -> Self {
        Self(format!("{upstream}__{tool}").into())
    }
}

/// The extension's id, in `capabilities.extensions` and under the same key in `capabilities.experimental`.
pub const EXTENSION: &str = "io.github.mcp-disclosure/progressive-disclosure";

/// The id of the extension by which servers offer groups of tools, prompts and resources (docs/drafts.md).
pub const GROUPS: &str = "io.modelcontextprotocol/groups";

/// The id of the extension by which servers offer pages (MCP Apps).
pub const UI: &str = "io.modelcontextprotocol/ui";

/// The id of the extension by which servers offer skills (SEP-2640).
pub const SKILLS: &str = "io.modelcontextprotocol/skills";

/// The index of skills in drafts of that extension, a resource: those of several servers are one.
pub const SKILLS_INDEX: &str = "skill://index.json";

/// Whether a server with these capabilities offers groups.
pub fn offers_groups(capabilities: &RawObject) -> bool {
    capabilities.object("extensions").is_some_and(|extensions| extensions.object(GROUPS).is_some())
}

/// The four kinds of things that MCP lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `prompts/list`.
    Prompts,
}

impl Kind {
    /// All of them, by their places.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];
}
