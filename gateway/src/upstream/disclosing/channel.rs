//! How servers deliver the definitions that they do not list, and what they list only for that: our clients are served by a
//! strategy of ours, and would be confused.

use std::fmt;

use mcp_disclosure_client::Channel as Known;
use mcp_disclosure_core::{RawText, UpstreamLists, delivered::is_descriptions};

use crate::upstream::Introduction;

/// How a server delivers definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// By `resources/read` of this URI with `?tools=A,B`, before the first call (tool-descriptions-resource).
    Resource {
        /// The URI without its query.
        uri: String,
    },
    /// By the method `tools/describe` (delta-mcp).
    Method,
}

impl Channel {
    /// The channel of a server that listed this; `None` if its lists are complete, or nothing is known to complete them.
    pub(super) fn of(introduction: &Introduction, lists: &UpstreamLists) -> Option<Self> {
        if lists.tools.is_empty() {
            return None;
        }
        let mut uris = lists.resources.iter().filter_map(|resource| resource.string("uri"));
        if let Some(uri) = uris.find(|uri| is_descriptions(uri)) {
            return Some(Self::Resource { uri });
        }
        let delta = introduction.says("tools", "progressiveDisclosure");
        let selected = introduction.extension().and_then(|settings| settings.string("selected"));
        let describes = selected.is_some_and(|name| Known::of_strategy(&name) == Known::Method);
        (delta || describes).then_some(Self::Method)
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource { uri } => write!(formatter, "the resource {uri}"),
            Self::Method => formatter.write_str("tools/describe"),
        }
    }
}

/// The tool by which gateways of this program offer their channel to clients that know none.
const BRIDGE: &str = "describe_tools";

/// The lists without the channel of the upstream. A tool is left out only of a gateway of this program, whose bridge it
/// is: another server may have one of that name.
pub(super) fn without_channel(
    introduction: &Introduction,
    channel: &Channel,
    lists: UpstreamLists,
) -> UpstreamLists {
    let UpstreamLists { mut tools, mut resources, mut templates, .. } = lists;
    if introduction.extension().is_some() {
        remove(&mut tools, "name", |name| name == BRIDGE);
    }
    let channel = match channel {
        Channel::Resource { uri } => Some(uri.clone()),
        Channel::Method => None,
    };
    if let Some(uri) = &channel {
        remove(&mut resources, "uri", |listed| listed == uri);
        remove(&mut templates, "uriTemplate", |listed| {
            listed.strip_prefix(&**uri).is_some_and(|rest| rest.starts_with(['{', '?']))
        });
    }
    UpstreamLists { tools, resources, templates, channel, ..lists }
}

fn remove(items: &mut Vec<RawText>, key: &str, is_furniture: impl Fn(&str) -> bool) {
    items.retain(|item| item.string(key).is_none_or(|name| !is_furniture(&name)));
}

#[cfg(test)]
mod tests {
    use mcp_disclosure_core::{
        EXTENSION, RawObject,
        fixtures::{named, raw},
    };
    use serde_json::json;

    use super::*;
    use crate::{lineage::Chain, upstream::Eras};

    fn channel(capabilities: &str, uri: &str) -> Option<Channel> {
        let introduction = Introduction {
            capabilities: RawObject::parse(capabilities.replace("ID", EXTENSION)).unwrap(),
            server_info: RawObject::empty(),
            instructions: None,
            eras: Eras { session: true, stateless: false },
            leads_to: Chain::default(),
        };
        let lists = UpstreamLists { resources: vec![raw(&json!({"uri": uri}))], ..named("u", ["a"]) };
        Channel::of(&introduction, &lists)
    }

    #[test]
    fn u16_servers_are_recognized_by_what_they_say_and_list() {
        let uri = "x:///tool_descriptions";
        assert_eq!(channel("{}", uri), Some(Channel::Resource { uri: uri.to_owned() }));
        for (capabilities, method) in [
            (r#"{"tools":{"progressiveDisclosure":true}}"#, true),
            (r#"{"extensions":{"ID":{"selected":"concerns+describe"}}}"#, true),
            (r#"{"experimental":{"ID":{"selected":"describe"}}}"#, true),
            (r#"{"extensions":{"ID":{"selected":"full"}}}"#, false),
            (r#"{"extensions":{"ID":{"selected":"info"}}}"#, false),
            (r#"{"tools":{"progressiveDisclosure":"true"}}"#, false),
            (r#"{"tools":true,"extensions":7}"#, false),
        ] {
            assert_eq!(
                channel(capabilities, "x:///doc"),
                method.then_some(Channel::Method),
                "{capabilities}"
            );
        }
    }
}
