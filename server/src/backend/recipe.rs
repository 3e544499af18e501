//! What backends are made of.

use mcp_disclosure_core::{About, RawObject, UpstreamName};

use crate::{
    catalogue::Files,
    upstream::{Patience, Target},
};

/// What a backend is made of, and any number of others like it.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The upstreams, and the operator's names for them.
    pub targets: Vec<(Option<UpstreamName>, Target)>,
    /// The description files laid over them.
    pub files: Files,
    /// What is declared of the catalogue as a whole; a name that is not is the upstream's own.
    pub about: About,
    /// How long upstreams may take.
    pub patience: Patience,
    /// Names that strategies need for tools of their own.
    pub reserved: Vec<String>,
}

impl Recipe {
    /// What the catalogue says of itself, of a server with this `serverInfo`.
    pub(super) fn about(&self, server_info: &RawObject) -> About {
        let or_own = |declared: &str, member: &str| match declared {
            "" => server_info.string(member).unwrap_or_default(),
            declared => declared.to_owned(),
        };
        let declared = &self.about;
        About {
            name: or_own(&declared.name, "name"),
            version: or_own(&declared.version, "version"),
            description: or_own(&declared.description, "description"),
            ..declared.clone()
        }
    }
}
