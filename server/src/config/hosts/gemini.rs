//! Gemini CLI: `settings.json`, with `httpUrl`, and lists of servers that may run.

use super::{
    claude_code,
    file_context::FileContext,
    mcp_servers,
    node::Node,
    shape::{Elsewhere, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "Gemini CLI", servers, keys: mcp_servers::KEYS, style: Style::BareDollar, elsewhere };

/// Keys of the lists of servers, current and older ones.
const ALLOWED: &[&[&str]] = &[&["mcp", "allowed"], &["allowMCPServers"]];
const EXCLUDED: &[&[&str]] = &[&["mcp", "excluded"], &["excludeMCPServers"]];

/// Keys of the lists of tools that do not exist, of whatever server.
const EXCLUDED_TOOLS: &[&[&str]] = &[&["tools", "exclude"], &["excludeTools"]];

/// Keys that no other host uses.
const MARKS: &[&str] = &["httpUrl", "includeTools", "excludeTools", "trust"];

pub(super) fn is_its_own(root: &Node, context: &FileContext<'_>) -> bool {
    let lists = ALLOWED.iter().chain(EXCLUDED).any(|names| root.path(names).is_some());
    let servers = root.get("mcpServers").into_iter().flat_map(Node::members);
    let mut marks = servers.flat_map(|server| MARKS.iter().map(|mark| server.node.get(mark)));
    !claude_code::is_its_own(root) && (context.is_in(".gemini") || lists || marks.any(|mark| mark.is_some()))
}

fn servers<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<&'n Node> {
    mcp_servers::table(root).into_iter().filter(|_| is_its_own(root, context)).collect()
}

fn elsewhere(root: &Node, _: &FileContext<'_>, name: &str) -> Elsewhere {
    let mut allowed = ALLOWED.iter().filter_map(|names| root.path(names));
    let is_named = allowed.clone().any(|list| lists(list, name));
    let mut excluded = EXCLUDED.iter().filter_map(|names| root.path(names));
    let off = if excluded.any(|list| lists(list, name)) {
        Some("mcp.excluded")
    } else if allowed.any(|list| !lists(list, name)) {
        Some("mcp.allowed, which does not name it")
    } else {
        None
    };
    Elsewhere { off, hidden: excluded_tools(root, name), is_named, ..Elsewhere::default() }
}

/// The tools of the server that a list for all tools excludes, by their names alone or behind the server's.
fn excluded_tools(root: &Node, server: &str) -> Vec<String> {
    let lists = EXCLUDED_TOOLS.iter().filter_map(|names| root.path(names)).flat_map(Node::items);
    // With arguments in parentheses, it is a command of the shell.
    let names = lists.filter_map(Node::text).filter(|name| !name.contains('('));
    let prefixes = [format!("{server}__"), format!("mcp_{server}_")];
    let own = |name: &str| {
        let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        rest.unwrap_or(name).to_owned()
    };
    names.map(own).filter(|name| !name.is_empty()).collect()
}

/// Whether a list names the server. Gemini CLI compares names trimmed and in lower case.
fn lists(list: &Node, name: &str) -> bool {
    let same = |text: &str| text.trim().to_lowercase() == name.trim().to_lowercase();
    list.items().iter().chain([list]).any(|item| item.text().is_some_and(same))
}
