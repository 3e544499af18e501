//! VS Code: `servers` in `mcp.json`, or `mcp.servers` in its settings.

use super::{
    file_context::FileContext,
    node::{Member, Node},
    permissions::{Ruling, plain},
    shape::{Keys, Means, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "VS Code", servers, keys: KEYS, style: Style::Dollar, elsewhere };

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

fn servers<'n>(root: &'n Node, _: &FileContext<'_>) -> Vec<&'n Node> {
    let of_settings = root.get("mcp").filter(|mcp| is_settings(mcp)).and_then(|mcp| mcp.get("servers"));
    root.get("servers").into_iter().chain(of_settings).collect()
}

/// Settings that name servers or their tools. `chat.tools.eligibleForAutoApproval` names tools as `server/tool`, or as
/// `mcp_server_tool`; those that are not eligible are asked about. A bare name may be that of a built-in tool, and is not
/// taken for a server's.
fn elsewhere(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
    let eligible = root.get(ELIGIBLE).into_iter().flat_map(Node::members);
    let asked = eligible.filter(|tool| tool.node.as_bool() == Some(false));
    let prefixes = [format!("{name}/"), format!("mcp_{}_", plain(name))];
    let own =
        |tool: &Member| prefixes.iter().find_map(|prefix| tool.name.strip_prefix(prefix)).map(str::to_owned);
    let asked = asked.filter_map(own).collect();
    // Its keys are such as `Global in Code: server`.
    let mut sampling = root.get(SAMPLING).into_iter().flat_map(Node::members);
    let is_named = sampling.any(|server| server.name.rsplit(": ").next() == Some(name));
    Ruling { asked, is_named, ..Ruling::default() }
}

/// Which tools may run without a question.
const ELIGIBLE: &str = "chat.tools.eligibleForAutoApproval";

/// Which servers may ask for samples of which models.
const SAMPLING: &str = "chat.mcp.serverSampling";

/// Whether `mcp` is part of VS Code's settings, not an opencode file with a server named "servers".
pub(super) fn is_settings(mcp: &Node) -> bool {
    let own = ["type", "command", "url", "enabled"];
    mcp.get("servers")
        .is_some_and(|servers| own.iter().all(|key| servers.get(key).is_none_or(Node::is_table)))
}
