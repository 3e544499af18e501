//! The strategy `full`: complete definitions, as any MCP server sends them.

use serde::Deserialize;

use crate::strategy::{DisclosureStrategy, Profile};

/// The strategy's name, as in flags, addresses and offers.
pub const NAME: &str = "full";

/// Lists the complete definitions as the upstream sent them, and passes everything through.
#[derive(Debug)]
pub struct Full;

/// The profile of `full`.
pub static PROFILE: Profile =
    Profile::presenter(NAME, "Complete tool definitions, as any MCP server sends them", "nothing")
        .of_size("verbose");

/// `full` has no settings.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl DisclosureStrategy for Full {
    fn profile(&self) -> &Profile {
        &PROFILE
    }
}
