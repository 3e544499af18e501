//! All shapes of hosts' files, and the tables of Codex and Continue.

use std::path::{Path, PathBuf};

use super::{
    super::environment::own,
    file_context::FileContext,
    mcp_servers,
    node::{self, Node},
    opencode,
    permissions::Ruling,
    shape::{Keys, Means, Shape},
    variables::Style,
    vscode, zed,
};

/// Each file has one of them; Claude Code and Gemini CLI extend the one that most hosts share.
pub(super) const SHAPES: &[&Shape] = &[
    &mcp_servers::CLAUDE_CODE,
    &mcp_servers::GEMINI,
    &mcp_servers::SHARED,
    &vscode::SHAPE,
    &zed::SHAPE,
    &opencode::SHAPE,
    &CONTINUE,
    &CODEX,
];

/// Whether a text is a host's file that names servers.
pub(in crate::config) fn names_servers(path: &Path, text: &str) -> bool {
    let context = FileContext::new(path, PathBuf::new(), &own);
    let root = node::parse(path, text.trim_start_matches('\u{feff}'));
    root.is_ok_and(|root| SHAPES.iter().any(|shape| !(shape.servers)(&root, &context).is_empty()))
}

/// Codex: `[mcp_servers.NAME]` in `config.toml`.
const CODEX: Shape = Shape {
    hosts: "Codex",
    servers: of_codex,
    keys: CODEX_KEYS,
    style: Style::Literal,
    elsewhere: approval_modes,
};

const CODEX_KEYS: Keys = &[
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

fn of_codex<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    root.get("mcp_servers").into_iter().collect()
}

/// The tools that have an approval mode of their own, unless it is the one that never asks.
fn approval_modes(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let tools = root.path(&["mcp_servers", name, "tools"]).into_iter().flat_map(Node::members);
    let asked = tools.filter(|tool| {
        let mode = tool.node.get("approval_mode");
        mode.is_some_and(|mode| mode.text() != Some("approve"))
    });
    Ruling { asked: asked.map(|tool| tool.name.clone()).collect(), ..Ruling::default() }
}

/// Continue: a list under `mcpServers`, in YAML or JSON; older files have it under `experimental`.
const CONTINUE: Shape = Shape {
    hosts: "Continue",
    servers: of_continue,
    keys: CONTINUE_KEYS,
    style: Style::Secrets,
    elsewhere: |_, _, _| Ruling::default(),
};

const HUB: &str = "copy its definition from the hub into the file";

const CONTINUE_KEYS: Keys = &[
    ("type", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("apiKey", Means::Bearer),
    ("requestOptions", Means::Parts(&[("headers", Means::Headers)])),
    ("uses", Means::Foreign(HUB)),
    ("namespace", Means::Foreign(HUB)),
    (
        "transport",
        Means::Parts(&[
            ("type", Means::Transport),
            ("command", Means::Command),
            ("args", Means::Arguments),
            ("env", Means::Environment),
            ("cwd", Means::Directory),
            ("url", Means::Address),
            ("requestOptions", Means::Parts(&[("headers", Means::Headers)])),
        ]),
    ),
];

fn of_continue<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    let older = root.path(&["experimental", "modelContextProtocolServers"]);
    root.get("mcpServers").into_iter().chain(older).filter(|servers| servers.is_list()).collect()
}
