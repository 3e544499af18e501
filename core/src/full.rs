//! The plainest strategy: complete definitions, as any MCP server would send them.

use serde::Deserialize;

use crate::{
    context::ClientTraits,
    listing::Listing,
    strategy::{DisclosureStrategy, Profile, Role},
    view::View,
};

/// The strategy's name, as in flags, addresses and offers.
pub const NAME: &str = "full";

/// Lists the complete definitions, field for field as the upstream sent them, and passes everything
/// through.
#[derive(Debug)]
pub struct Full(Profile);

/// `full` has no settings.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FullConfig {}

impl Full {
    /// Makes the strategy.
    pub fn new(_: FullConfig) -> Self {
        Self(Profile {
            name: NAME.into(),
            summary: "Complete tool definitions, as any MCP server sends them".into(),
            needs: "nothing".into(),
            role: Role::Presenter,
            withholds_schemas: false,
        })
    }
}

impl DisclosureStrategy for Full {
    fn profile(&self) -> &Profile {
        &self.0
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        Listing::complete(view)
    }
}
