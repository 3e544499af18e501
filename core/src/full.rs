//! The strategy `full`: complete definitions, as any MCP server sends them.

use serde::Deserialize;

use crate::{
    context::ClientTraits,
    listing::Listing,
    strategy::{DisclosureStrategy, Profile},
    view::View,
};

/// The strategy's name, as in flags, addresses and offers.
pub const NAME: &str = "full";

/// Lists the complete definitions as the upstream sent them, and passes everything through.
#[derive(Debug)]
pub struct Full;

/// The profile of `full`.
pub static PROFILE: Profile =
    Profile::presenter(NAME, "Complete tool definitions, as any MCP server sends them", "nothing")
        .listing_completely();

/// `full` has no settings.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl DisclosureStrategy for Full {
    fn profile(&self) -> &Profile {
        &PROFILE
    }

    fn list(&self, view: &View, _client: &ClientTraits) -> Listing {
        let tools = view.tools().map(|tool| tool.definition().into_owned()).collect();
        Listing { tools, ..Listing::without_tools(view) }
    }
}
