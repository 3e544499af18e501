//! Channels: how servers deliver definitions.

use mcp_disclosure_core::delivered;

use crate::{Preferences, Server};

/// How a server delivers complete definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// In `tools/list` itself: `full`, and every strategy that this client does not know, whose lists are
    /// self-explanatory.
    List,
    /// By `resources/read` of this URI with `?tools=A,B`, before the first call (tool-descriptions-resource).
    Resource {
        /// The URI without its query.
        uri: String,
    },
    /// By the method `tools/describe` (delta-mcp).
    Method,
    /// By the tool `info` (three-level-info).
    InfoTool,
    /// In groups, by `groups/list` and `groups/get`. What is in none is listed.
    Groups,
    /// By the tool `search_tools`. Tools are not listed, and called by their own names.
    SearchTool,
}

/// The URI of the descriptions resource of this project's gateway.
const DESCRIPTIONS: &str = "resource:///tool_descriptions";

impl Channel {
    /// The channel of the strategy that serves this client. Filters before the presenter, as in
    /// `concerns+describe`, do not change how it delivers.
    pub(crate) fn of(server: &Server, preferences: &Preferences) -> Self {
        let by_name = server.selected.as_deref().map(Self::of_strategy);
        // Groups are negotiated by an extension of their own, with servers that know of no strategies as well.
        let is_grouped = server.offers_groups() && preferences.wants_groups();
        match by_name {
            None | Some(Self::Groups) if is_grouped => Self::Groups,
            None | Some(Self::Groups) => Self::List,
            Some(channel) => channel,
        }
    }

    /// The channel of a strategy by its name, as servers say it. This is the only place where names are compared.
    pub fn of_strategy(name: &str) -> Self {
        match name.rsplit('+').next() {
            Some("resource") => Self::Resource { uri: DESCRIPTIONS.to_owned() },
            Some("describe") => Self::Method,
            Some("info") => Self::InfoTool,
            Some("search") => Self::SearchTool,
            Some("groups") => Self::Groups,
            _ => Self::List,
        }
    }

    /// The channel of a server that lists this resource without supporting the extension, recognized as in
    /// tool-descriptions-guide "Agent Implementation".
    pub(crate) fn by_resource(uri: &str) -> Option<Self> {
        delivered::is_descriptions(uri).then(|| Self::Resource { uri: uri.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::RawObject;

    use super::*;
    use crate::{Revision, handshake::Introduced};

    #[test]
    fn the_presenter_determines_the_channel_and_unknown_strategies_use_the_list() {
        let nothing = Introduced::new(RawObject::empty(), RawObject::empty(), Revision::V2025_11_25);
        let mut server = Server::read(nothing);
        for (selected, expected) in [
            (None, Channel::List),
            (Some("full"), Channel::List),
            (Some("someones-own"), Channel::List),
            (Some("concerns"), Channel::List),
            (Some("describe"), Channel::Method),
            (Some("concerns+info"), Channel::InfoTool),
            (Some("search"), Channel::SearchTool),
            (Some("a+b+resource"), Channel::Resource { uri: DESCRIPTIONS.to_owned() }),
        ] {
            server.selected = selected.map(str::to_owned);
            assert_eq!(Channel::of(&server, &Preferences::default()), expected);
        }
    }
}
