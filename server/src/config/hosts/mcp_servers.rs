//! `mcpServers` of Claude Desktop, Claude Code, Cursor, Windsurf, Cline, Roo and Gemini CLI.

use super::{
    FileContext, Keys, Means, Ruling, alternatives, is_all, is_of_any,
    node::{Member, Node},
    of_rule, plain,
};

/// The keys of all these hosts; a key has the same meaning in each host that uses it.
pub(crate) const KEYS: Keys = &[
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
    ("disabled", Means::Switch(true)), // Windsurf, Cline, Roo
    ("enabled", Means::Switch(false)),
    ("disabledTools", Means::Hidden), // Windsurf, Roo
    ("excludeTools", Means::Hidden),  // Gemini CLI
    ("includeTools", Means::Allowed), // Gemini CLI
];

/// Where the servers are.
const SERVERS: &str = "mcpServers";

pub(crate) fn shared<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    let is_anothers = is_of_claude_code(root) || is_of_gemini(root, context);
    table(root, !is_anothers && !context.is(OF_CLAUDE_DESKTOP))
}

/// The file of Claude Desktop, which fills in no variables.
const OF_CLAUDE_DESKTOP: &str = "claude_desktop_config.json";

pub(crate) fn of_claude_desktop<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    table(root, context.is(OF_CLAUDE_DESKTOP) && !is_of_claude_code(root))
}

/// The path of the table of servers, if there is one and the file is of this shape.
fn table(root: &Node, is_of_shape: bool) -> Vec<Vec<&'static str>> {
    let is_table = is_of_shape && root.get(SERVERS).is_some_and(|servers| !servers.is_list());
    if is_table { vec![vec![SERVERS]] } else { Vec::new() }
}

fn is_of_claude_code(root: &Node) -> bool {
    root.get("projects").is_some_and(Node::is_table)
}

/// `~/.claude.json`: servers of the user, and of each project.
pub(crate) fn of_claude_code<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    let of_project = project(root, context).map(|project| vec!["projects", project.name.as_str(), SERVERS]);
    of_project.into_iter().chain(table(root, is_of_claude_code(root))).collect()
}

/// What Claude Code says of a server by its name or those of its tools, `mcp__server__tool`: in its settings, and in
/// `~/.claude.json` project by project.
pub(crate) fn rules_of_claude_code(root: &Node, context: &FileContext<'_>, name: &str) -> Ruling {
    const SWITCHES: [&str; 3] = ["disabledMcpServers", "disabledMcpjsonServers", "enabledMcpjsonServers"];
    let lists = |node: &Node, key: &str| node.get(key).is_some_and(|list| list.lists(name));
    let prefix = format!("mcp__{}__", plain(name));
    let named = |key: &str| {
        let rules = root.path(&["permissions", key]).map_or(&[][..], Node::items);
        rules.iter().filter_map(Node::text).flat_map(|rule| of_rule(rule, &prefix)).collect::<Vec<_>>()
    };
    let (mut hidden, mut asked) = (named("deny"), named("ask"));
    let events = root.members_at(&["hooks"]).iter();
    let matchers = events.flat_map(|event| event.node.items()).filter_map(|hook| hook.get("matcher")?.text());
    let hooks = matchers.flat_map(alternatives).filter(|pattern| !is_of_any(pattern));
    let hooked: Vec<String> = hooks.flat_map(|pattern| of_rule(&pattern, &prefix)).collect();
    let is_switched = |node: &Node| SWITCHES.iter().any(|key| lists(node, key));
    let has = |node: &Node| node.path(&[SERVERS, name]).is_some();
    // One that a project has as well as the user is replaced there.
    let in_project = |project: &Member| is_switched(&project.node) || (has(root) && has(&project.node));
    let mut rules = ["deniedMcpServers", "allowedMcpServers"]
        .iter()
        .filter_map(|key| root.get(key))
        .flat_map(Node::items);
    let is_named = is_switched(root)
        || root.members_at(&["projects"]).iter().any(in_project)
        || rules.clone().any(|rule| lists(rule, "serverName"))
        || [&hidden, &asked, &hooked].iter().any(|patterns| !patterns.is_empty());
    // A rule for all tools goes on matching: the entry keeps its name.
    [&mut hidden, &mut asked].into_iter().for_each(|patterns| patterns.retain(|pattern| !is_all(pattern)));
    let lost = if let Some(tools) = hooked.iter().find(|pattern| !is_all(pattern)) {
        Some(format!("a hook of the host matches calls of '{tools}', and could not recognize them any more"))
    } else if rules.any(|rule| rule.get("serverCommand").or(rule.get("serverUrl")).is_some()) {
        Some("the host's settings allow or deny servers by command or url, which would be another".to_owned())
    } else {
        None
    };
    let is_off = project(root, context).is_some_and(|project| lists(&project.node, SWITCHES[0]));
    let off = is_off.then_some("disabledMcpServers of the project");
    Ruling { off, hidden, asked, is_named, lost, ..Ruling::default() }
}

/// The project of the current directory: the innermost listed one.
fn project<'n>(root: &'n Node, context: &FileContext<'_>) -> Option<&'n Member> {
    let projects = root.get("projects")?;
    context.current.ancestors().find_map(|directory| projects.member(directory.to_str()?))
}

/// Keys of the lists of servers, current and older ones.
const ALLOWED: &[&[&str]] = &[&["mcp", "allowed"], &["allowMCPServers"]];
const EXCLUDED: &[&[&str]] = &[&["mcp", "excluded"], &["excludeMCPServers"]];

/// Keys of the lists of tools that do not exist, of whatever server.
const EXCLUDED_TOOLS: &[&[&str]] = &[&["tools", "exclude"], &["excludeTools"]];

/// Keys that no other host uses.
const MARKS: &[&str] = &["httpUrl", "includeTools", "excludeTools", "trust"];

pub(crate) fn is_of_gemini(root: &Node, context: &FileContext<'_>) -> bool {
    let mut lists = ALLOWED.iter().chain(EXCLUDED).chain(EXCLUDED_TOOLS);
    let has_lists = lists.any(|names| root.path(names).is_some());
    let servers = root.members_at(&[SERVERS]).iter();
    let mut marks = servers.flat_map(|server| MARKS.iter().map(|mark| server.node.get(mark)));
    let is_anothers = is_of_claude_code(root) || context.is(OF_CLAUDE_DESKTOP);
    !is_anothers && (context.is_in(".gemini") || has_lists || marks.any(|mark| mark.is_some()))
}

/// `settings.json`, with `httpUrl`, and lists of servers that may run.
pub(crate) fn of_gemini<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<Vec<&'n str>> {
    table(root, is_of_gemini(root, context))
}

pub(crate) fn listed(root: &Node, _: &FileContext<'_>, name: &str) -> Ruling {
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
    let (hidden, of_any) = excluded_tools(root, name);
    Ruling { off, hidden, of_any, is_named, ..Ruling::default() }
}

/// The tools that a list for all tools excludes, by their names alone or behind the server's; and those of any server.
fn excluded_tools(root: &Node, server: &str) -> (Vec<String>, Vec<String>) {
    let lists = EXCLUDED_TOOLS.iter().filter_map(|names| root.path(names)).flat_map(Node::items);
    // With arguments in parentheses, it is a command of the shell.
    let names = lists.filter_map(Node::text).filter(|name| !name.contains('('));
    let prefixes = [format!("{server}__"), format!("mcp_{server}_")];
    let own = |name: &str| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).map(str::to_owned);
    let names = names.filter(|name| !name.is_empty());
    let of_any: Vec<String> = names.clone().filter(|name| own(name).is_none()).map(str::to_owned).collect();
    (names.filter_map(own).filter(|name| !name.is_empty()).chain(of_any.iter().cloned()).collect(), of_any)
}

/// Whether a list names the server. Gemini CLI compares names trimmed and in lower case.
fn lists(list: &Node, name: &str) -> bool {
    let same = |text: &str| text.trim().to_lowercase() == name.trim().to_lowercase();
    list.items().iter().chain([list]).any(|item| item.text().is_some_and(same))
}
