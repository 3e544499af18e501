//! opencode: `mcp`, and switches of tools by pattern.

use mcp_disclosure_core::Pattern;

use super::{
    file_context::FileContext,
    mcp_servers::is_of_gemini,
    node::Node,
    permissions::{Ruling, of_tools, plain},
    shape::{Keys, Means, Shape},
    variables::Style,
    vscode,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "opencode", servers, keys: KEYS, style: Style::Braces, elsewhere };

const KEYS: Keys = &[
    ("type", Means::Transport),
    ("command", Means::Command),
    ("environment", Means::Environment),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("headers", Means::Headers),
    ("enabled", Means::Enabled),
];

fn servers<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<&'n Node> {
    let is_anothers = |mcp: &&Node| vscode::is_settings(mcp) || is_of_gemini(root, context);
    root.get("mcp").filter(|mcp| !is_anothers(mcp)).into_iter().collect()
}

/// opencode names a tool `server_tool`, with `_` for every character other than ASCII letters, digits, `_` and `-`. Patterns
/// of these names under `tools`, in newer files under `permission`, disable tools, or ask before each call.
fn elsewhere(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let switched = root.get("tools").into_iter().flat_map(Node::members);
    let switched = switched.filter(|tool| tool.node.as_bool() == Some(false));
    let permission = root.get("permission");
    let denied = permission.into_iter().flat_map(Node::members).filter(|tool| denies(&tool.node));
    let patterns = switched.chain(denied).map(|tool| tool.name.as_str());
    let patterns = patterns.chain(permission.filter(|all| denies(all)).map(|_| "*"));
    let prefix = format!("{}_", plain(name));
    let of_tools = |pattern: &str| of_tools(pattern, &prefix);
    let hidden = patterns.flat_map(of_tools).collect();
    let asked = questions(root).into_iter().flat_map(of_tools).collect();
    Ruling { hidden, asked, ..Ruling::default() }
}

/// The patterns of tools that are asked about, and of those that an agent of the file may not use or asks about.
fn questions(root: &Node) -> Vec<&str> {
    let permission = root.get("permission").into_iter().flat_map(Node::members);
    let asked = permission.filter(|tool| says("ask", &tool.node)).map(|tool| tool.name.as_str());
    let agents = ["agent", "mode"].iter().filter_map(|key| root.get(key)).flat_map(Node::members);
    let of_agents = agents.flat_map(|agent| {
        let switched = agent.node.get("tools").into_iter().flat_map(Node::members);
        let switched = switched.filter(|tool| tool.node.as_bool() == Some(false));
        let permission = agent.node.get("permission").into_iter().flat_map(Node::members);
        let restricted = permission.filter(|tool| says("ask", &tool.node) || denies(&tool.node));
        switched.chain(restricted).map(|tool| tool.name.as_str())
    });
    asked.chain(of_agents).collect()
}

fn denies(permission: &Node) -> bool {
    says("deny", permission)
}

/// Whether a permission is this one, or is for a pattern that matches all arguments. MCP tools request `*`, so rules for
/// particular arguments do not apply to them.
fn says(wanted: &str, permission: &Node) -> bool {
    let is_wanted = |node: &Node| node.text() == Some(wanted);
    let mut any = permission.members().iter().filter(|rule| Pattern::new(&rule.name).matches("*"));
    is_wanted(permission) || any.any(|rule| is_wanted(&rule.node))
}
