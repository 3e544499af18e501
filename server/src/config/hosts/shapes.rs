//! All shapes of hosts' files, and the tables of those that no other shares.

use mcp_disclosure_core::Pattern;

use super::{
    FileContext, KEYS, Keys, Means, Ruling, Shape, Style, is_of_gemini, mcp_servers,
    node::{Member, Node},
    of_tools, plain,
};

/// Each file has one of them; Claude Code and Gemini CLI extend the one that most hosts share.
#[rustfmt::skip]
pub(crate) const SHAPES: &[Shape] = &[
    Shape { hosts: "Claude Code", servers: mcp_servers::of_claude_code, keys: KEYS, style: Style::Dollar, elsewhere: mcp_servers::rules_of_claude_code },
    Shape { hosts: "Gemini CLI", servers: mcp_servers::of_gemini, keys: KEYS, style: Style::BareDollar, elsewhere: mcp_servers::listed },
    Shape { hosts: "Claude Desktop", servers: mcp_servers::of_claude_desktop, keys: KEYS, style: Style::Literal, elsewhere: nothing },
    Shape { hosts: "Claude, Cursor, Windsurf, Cline, Roo", servers: mcp_servers::shared, keys: KEYS, style: Style::Dollar, elsewhere: mcp_servers::rules_of_claude_code },
    Shape { hosts: "VS Code", servers: of_vscode, keys: KEYS, style: Style::Dollar, elsewhere: rules_of_vscode },
    Shape { hosts: "Zed", servers: |_, _| vec![vec!["context_servers"]], keys: ZED_KEYS, style: Style::Literal, elsewhere: rules_of_zed },
    Shape { hosts: "opencode", servers: of_opencode, keys: OPENCODE_KEYS, style: Style::Braces, elsewhere: rules_of_opencode },
    Shape { hosts: "Continue", servers: of_continue, keys: CONTINUE_KEYS, style: Style::Secrets, elsewhere: nothing },
    Shape { hosts: "Codex", servers: |_, _| vec![vec!["mcp_servers"]], keys: CODEX_KEYS, style: Style::Literal, elsewhere: approval_modes },
];

fn nothing(_: &Node, _: &FileContext<'_>, _: &str) -> Ruling {
    Ruling::default()
}

/// VS Code: `servers` in `mcp.json`, or `mcp.servers` in its settings, with the keys that most hosts share.
fn of_vscode<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    let of_settings = root.get("mcp").filter(|mcp| is_settings(mcp)).map(|_| vec!["mcp", "servers"]);
    [vec!["servers"]].into_iter().chain(of_settings).collect()
}

/// Settings that name servers or their tools. `chat.tools.eligibleForAutoApproval` names tools as `server/tool`, or as
/// `mcp_server_tool`; those that are not eligible are asked about. A bare name may be that of a built-in tool, and is not
/// taken for a server's.
fn rules_of_vscode(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let eligible = root.members_at(&[ELIGIBLE]).iter();
    let asked = eligible.filter(|tool| tool.node.as_bool() == Some(false));
    let prefixes = [format!("{name}/"), format!("mcp_{}_", plain(name))];
    let own =
        |tool: &Member| prefixes.iter().find_map(|prefix| tool.name.strip_prefix(prefix)).map(str::to_owned);
    let asked = asked.filter_map(own).collect();
    // Its keys are such as `Global in Code: server`.
    let mut sampling = root.members_at(&[SAMPLING]).iter();
    let is_named = sampling.any(|server| server.name.rsplit(": ").next() == Some(name));
    Ruling { asked, is_named, ..Ruling::default() }
}

/// Which tools may run without a question.
const ELIGIBLE: &str = "chat.tools.eligibleForAutoApproval";

/// Which servers may ask for samples of which models.
const SAMPLING: &str = "chat.mcp.serverSampling";

/// Whether `mcp` is part of VS Code's settings, not an opencode file with a server named "servers".
fn is_settings(mcp: &Node) -> bool {
    let own = ["type", "command", "url", "enabled"];
    mcp.get("servers")
        .is_some_and(|servers| own.iter().all(|key| servers.get(key).is_none_or(Node::is_table)))
}

/// Zed: `context_servers` in its settings, and the tools enabled in the agent's profile.
const ZED_KEYS: Keys = &[
    ("source", Means::Transport),
    ("command", Means::Command),
    ("args", Means::Arguments),
    ("env", Means::Environment),
    ("url", Means::Address),
    ("headers", Means::Headers),
    ("enabled", Means::Switch(false)),
];

/// The default profile of the agent, and the only built-in one that enables all context servers.
const ALL: &str = "write";

/// The server's tools in the agent's default profile.
///
/// A profile enables the tools that it lists, and all others only with `enable_all_context_servers`, which is true for the
/// built-in profile `write` by default. A profile that is defined in another file is assumed to enable nothing.
fn rules_of_zed(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
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
    let mut profiles = root.members_at(&["agent", "profiles"]).iter();
    let is_named = profiles.any(|profile| profile.node.path(&["context_servers", name]).is_some());
    Ruling { hidden, allow, asked: permitted("confirm"), is_named, ..Ruling::default() }
}

/// The server's tools that `agent.tool_permissions` names, as `mcp:server:tool`, with this default.
fn permissions(root: &Node, name: &str, wanted: &str) -> Vec<String> {
    let tools = root.members_at(&["agent", "tool_permissions", "tools"]).iter();
    let tools = tools.filter(|tool| tool.node.get("default").and_then(Node::text) == Some(wanted));
    let prefix = format!("mcp:{name}:");
    tools.filter_map(|tool| tool.name.strip_prefix(&prefix).map(str::to_owned)).collect()
}

/// opencode: `mcp`, and switches of tools by pattern.
const OPENCODE_KEYS: Keys = &[
    ("type", Means::Transport),
    ("command", Means::Command),
    ("environment", Means::Environment),
    ("cwd", Means::Directory),
    ("url", Means::Address),
    ("headers", Means::Headers),
    ("enabled", Means::Switch(false)),
];

fn of_opencode<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    let is_anothers = root.get("mcp").is_some_and(is_settings) || is_of_gemini(root, context);
    if is_anothers { Vec::new() } else { vec![vec!["mcp"]] }
}

/// opencode names a tool `server_tool`, with `_` for every character other than ASCII letters, digits, `_` and `-`. Patterns
/// of these names under `tools`, in newer files under `permission`, disable tools, or ask before each call.
fn rules_of_opencode(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let prefix = format!("{}_", plain(name));
    let of_tools = |pattern: &str| of_tools(pattern, &prefix);
    let all = root.get("permission").filter(|all| says("deny", all)).map(|_| "*");
    let denied: Vec<&str> = restricted(root, "deny").chain(all).collect();
    let of_any = denied.iter().filter(|pattern| !pattern.starts_with(&prefix));
    let of_any = of_any.flat_map(|pattern| of_tools(pattern)).collect();
    let hidden = denied.iter().flat_map(|pattern| of_tools(pattern)).collect();
    // What an agent may not use, others may.
    let agents = ["agent", "mode"].iter().flat_map(|key| root.members_at(&[*key]));
    let of_agents =
        agents.flat_map(|agent| restricted(&agent.node, "ask").chain(restricted(&agent.node, "deny")));
    let asked = restricted(root, "ask").chain(of_agents).flat_map(of_tools).collect();
    Ruling { hidden, of_any, asked, ..Ruling::default() }
}

/// The patterns of the tools that a file, or an agent in it, asks about or denies.
fn restricted<'n>(node: &'n Node, wanted: &'static str) -> impl Iterator<Item = &'n str> {
    let switched = node.members_at(&["tools"]).iter();
    let switched = switched.filter(move |tool| wanted == "deny" && tool.node.as_bool() == Some(false));
    let permission = node.members_at(&["permission"]).iter().filter(move |tool| says(wanted, &tool.node));
    switched.chain(permission).map(|tool| tool.name.as_str())
}

/// Whether a permission is this one, or is for a pattern that matches all arguments. MCP tools request `*`, so rules for
/// particular arguments do not apply to them.
fn says(wanted: &str, permission: &Node) -> bool {
    let is_wanted = |node: &Node| node.text() == Some(wanted);
    let mut any = permission.members().iter().filter(|rule| Pattern::new(&rule.name).matches("*"));
    is_wanted(permission) || any.any(|rule| is_wanted(&rule.node))
}

/// Codex: `[mcp_servers.NAME]` in `config.toml`.
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
    ("enabled", Means::Switch(false)),
    ("enabled_tools", Means::Allowed),
    ("disabled_tools", Means::Hidden),
];

/// The tools that have an approval mode of their own, unless it is the one that never asks.
fn approval_modes(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let tools = root.members_at(&["mcp_servers", name, "tools"]).iter();
    let asked = tools.filter(|tool| {
        let mode = tool.node.get("approval_mode");
        mode.is_some_and(|mode| mode.text() != Some("approve"))
    });
    Ruling { asked: asked.map(|tool| tool.name.clone()).collect(), ..Ruling::default() }
}

/// Continue: a list under `mcpServers`, in YAML or JSON; older files have it under `experimental`.
const HUB: &str = "copy its definition from the hub into the file";

#[rustfmt::skip]
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
    ("transport", Means::Parts(&[
        ("type", Means::Transport), ("command", Means::Command), ("args", Means::Arguments), ("env", Means::Environment),
        ("cwd", Means::Directory), ("url", Means::Address), ("requestOptions", Means::Parts(&[("headers", Means::Headers)])),
    ])),
];

fn of_continue<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    let mut paths = vec![vec!["mcpServers"], vec!["experimental", "modelContextProtocolServers"]];
    paths.retain(|path| root.path(path).is_some_and(Node::is_list));
    paths
}
