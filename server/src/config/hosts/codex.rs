//! Codex: `[mcp_servers.NAME]` in `config.toml`.

use super::{
    file_context::FileContext,
    node::Node,
    shape::{Elsewhere, Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "Codex", servers, keys: KEYS, style: Style::Literal, elsewhere };

const KEYS: Keys = &[
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("env_vars", Means::Inherited),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("http_headers", Means::Headers),
    ("env_http_headers", Means::HeadersFromVariables),
    ("bearer_token_env_var", Means::BearerFromVariable),
    ("enabled", Means::Enabled),
    ("enabled_tools", Means::Allowed),
    ("disabled_tools", Means::Hidden),
];

fn servers<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    root.get("mcp_servers").into_iter().collect()
}

/// The tools that have an approval mode of their own, unless it is the one that never asks.
fn elsewhere(root: &Node, _: &FileContext<'_>, name: &str) -> Elsewhere {
    let tools = root.path(&["mcp_servers", name, "tools"]).into_iter().flat_map(Node::members);
    let asked = tools.filter(|tool| {
        let mode = tool.node.get("approval_mode");
        mode.is_some_and(|mode| mode.text() != Some("approve"))
    });
    Elsewhere { asked: asked.map(|tool| tool.name.clone()).collect(), ..Elsewhere::default() }
}
