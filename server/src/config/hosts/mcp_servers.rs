//! `mcpServers` of Claude Desktop, Claude Code (`.mcp.json`), Cursor, Windsurf, Cline and Roo.

use super::{
    claude_code,
    file_context::FileContext,
    gemini,
    node::Node,
    shape::{Elsewhere, Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape = Shape {
    hosts: "Claude, Cursor, Windsurf, Cline, Roo",
    servers,
    keys: KEYS,
    style: Style::Dollar,
    elsewhere: Elsewhere::nothing,
};

/// The keys of all these hosts; a key has the same meaning in each host that uses it.
pub(super) const KEYS: Keys = &[
    ("type", Means::Transport),
    ("transport", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("envFile", Means::EnvironmentFile), // Cursor
    ("cwd", Means::Directory),           // Cline, Roo, Gemini CLI
    ("url", Means::Address),
    ("serverUrl", Means::Address),   // Windsurf
    ("httpUrl", Means::HttpAddress), // Gemini CLI
    ("headers", Means::Headers),
    ("disabled", Means::Disabled), // Windsurf, Cline, Roo
    ("enabled", Means::Enabled),
    ("disabledTools", Means::Hidden), // Windsurf, Roo
    ("excludeTools", Means::Hidden),  // Gemini CLI
    ("includeTools", Means::Allowed), // Gemini CLI
];

fn servers<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<&'n Node> {
    let is_anothers = claude_code::is_its_own(root) || gemini::is_its_own(root, context);
    table(root).into_iter().filter(|_| !is_anothers).collect()
}

/// `mcpServers`, where it is a table.
pub(super) fn table(node: &Node) -> Option<&Node> {
    node.get("mcpServers").filter(|servers| !servers.is_list())
}
