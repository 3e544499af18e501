//! VS Code: `servers` in `mcp.json`, or `mcp.servers` in its settings.

use super::{
    node::Node,
    scene::Scene,
    shape::{Elsewhere, Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "VS Code", servers, keys: KEYS, style: Style::Dollar, elsewhere: Elsewhere::nothing };

const KEYS: Keys = &[
    ("type", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("envFile", Means::EnvironmentFile),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("headers", Means::Headers),
    ("disabled", Means::Disabled),
    ("enabled", Means::Enabled),
];

fn servers<'n>(root: &'n Node, _: &Scene<'_>) -> Vec<&'n Node> {
    let of_settings = root.get("mcp").filter(|mcp| is_settings(mcp)).and_then(|mcp| mcp.get("servers"));
    root.get("servers").into_iter().chain(of_settings).collect()
}

/// Whether `mcp` is part of VS Code's settings, not an opencode file with a server named "servers".
pub(super) fn is_settings(mcp: &Node) -> bool {
    let own = ["type", "command", "url", "enabled"];
    mcp.get("servers")
        .is_some_and(|servers| own.iter().all(|key| servers.get(key).is_none_or(Node::is_table)))
}

/// The definition of an input, which VS Code prompts the user for.
pub(super) fn input<'n>(root: &'n Node, id: &str) -> Option<&'n Node> {
    let inputs = root.get("inputs").or_else(|| root.path(&["mcp", "inputs"]))?;
    inputs.items().iter().find(|input| input.get("id").and_then(Node::text) == Some(id))
}
