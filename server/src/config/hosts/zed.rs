//! Zed: `context_servers` in its settings, and the tools enabled in the agent's profile.

use super::{
    file_context::FileContext,
    node::Node,
    permissions::Ruling,
    shape::{Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape = Shape { hosts: "Zed", servers, keys: KEYS, style: Style::Literal, elsewhere };

const KEYS: Keys = &[
    ("source", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("url", Means::Address),
    ("headers", Means::Headers),
    ("enabled", Means::Enabled),
];

/// The default profile of the agent, and the only built-in one that enables all context servers.
const ALL: &str = "write";

fn servers<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    root.get("context_servers").into_iter().collect()
}

/// The server's tools in the agent's default profile.
///
/// A profile enables the tools that it lists, and all others only with `enable_all_context_servers`, which is true for the
/// built-in profile `write` by default. A profile that is defined in another file is assumed to enable nothing.
fn elsewhere(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let default = root.path(&["agent", "default_profile"]);
    let default = default.map_or(Some(ALL), Node::text);
    let profile = default.and_then(|default| root.path(&["agent", "profiles", default]));
    let tools = profile.and_then(|profile| profile.path(&["context_servers", name, "tools"]));
    let switched = |on: bool| {
        let tools = tools.into_iter().flat_map(Node::members);
        let tools = tools.filter(move |tool| (tool.node.as_bool() == Some(true)) == on);
        tools.map(|tool| tool.name.clone()).collect::<Vec<_>>()
    };
    let all = match profile.and_then(|profile| profile.get("enable_all_context_servers")) {
        Some(all) => all.as_bool() == Some(true),
        None => default == Some(ALL),
    };
    let allow = (!all).then(|| switched(true));
    let permitted = |wanted| permissions(root, name, wanted);
    let hidden = [switched(false), permitted("deny")].concat();
    let mut profiles = root.path(&["agent", "profiles"]).into_iter().flat_map(Node::members);
    let is_named = profiles.any(|profile| profile.node.path(&["context_servers", name]).is_some());
    Ruling { hidden, allow, asked: permitted("confirm"), is_named, ..Ruling::default() }
}

/// The server's tools that `agent.tool_permissions` names, as `mcp:server:tool`, with this default.
fn permissions(root: &Node, name: &str, wanted: &str) -> Vec<String> {
    let tools = root.path(&["agent", "tool_permissions", "tools"]).into_iter().flat_map(Node::members);
    let tools = tools.filter(|tool| tool.node.get("default").and_then(Node::text) == Some(wanted));
    let prefix = format!("mcp:{name}:");
    tools.filter_map(|tool| tool.name.strip_prefix(&prefix).map(str::to_owned)).collect()
}
