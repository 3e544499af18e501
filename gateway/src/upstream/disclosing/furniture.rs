//! What an upstream lists only to disclose by: our clients are served by a strategy of ours, and would be confused.

use mcp_disclosure_core::{RawObject, RawText, UpstreamLists};

use super::Channel;
use crate::upstream::Introduction;

/// The tool by which gateways of this program offer their channel to clients that know none.
const BRIDGE: &str = "describe_tools";

/// The lists without the channel of the upstream. A tool is left out only of a gateway of this program, whose bridge it
/// is: another server may have one of that name.
pub(super) fn removed(introduction: &Introduction, channel: &Channel, lists: UpstreamLists) -> UpstreamLists {
    let UpstreamLists { mut tools, mut resources, mut templates, .. } = lists;
    if introduction.extension().is_some() {
        remove(&mut tools, "name", |name| name == BRIDGE);
    }
    if let Channel::Resource { uri } = channel {
        remove(&mut resources, "uri", |listed| listed == uri);
        remove(&mut templates, "uriTemplate", |listed| {
            listed.strip_prefix(&**uri).is_some_and(|rest| rest.starts_with(['{', '?']))
        });
    }
    UpstreamLists { tools, resources, templates, ..lists }
}

fn remove(items: &mut Vec<RawText>, key: &str, is_furniture: impl Fn(&str) -> bool) {
    items.retain(|item| {
        let named = RawObject::of(item).ok().and_then(|item| item.string(key));
        named.is_none_or(|name| !is_furniture(&name))
    });
}
