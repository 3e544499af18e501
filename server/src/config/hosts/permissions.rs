//! What hosts forbid, or ask about, by the names that they give to servers' tools: `server_tool`, `mcp__server__tool`.

use super::node::Node;

/// Rules of a host that stand in other files than its servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    denied: Vec<String>,
    asked: Vec<String>,
    /// Servers that settings switch by name.
    servers: Vec<String>,
    /// What hooks match, as patterns of names.
    hooks: Vec<String>,
    /// Whether servers are allowed or denied by their commands or URLs, which are others behind this program.
    by_command: bool,
    /// Other files of the host, in the shape of the servers' file.
    pub(crate) files: Vec<Node>,
}

/// What a host says of one server outside its entry, and in Claude Code's rules.
#[derive(Debug, Default)]
pub(crate) struct Ruling {
    /// The key that disables it.
    pub(crate) off: Option<&'static str>,
    /// The only enabled tools.
    pub(crate) allow: Option<Vec<String>>,
    /// Patterns of tools that never run.
    pub(crate) hidden: Vec<String>,
    /// Those of them that are said of the tools of any server, or of the host's own.
    pub(crate) of_any: Vec<String>,
    /// Patterns of tools that run after a question only.
    pub(crate) asked: Vec<String>,
    /// Whether it names the server or tools of it, so that it holds under the server's name only.
    pub(crate) is_named: bool,
    /// What the host does by the names of its tools, and could not do any more behind this program.
    pub(crate) lost: Option<String>,
}

/// What begins the names of MCP tools in Claude Code's rules.
const PREFIX: &str = "mcp__";

impl Rules {
    /// Adds the rules of one file of Claude Code's settings.
    pub(crate) fn add(&mut self, settings: &Node) {
        let list = |names: &[&str]| settings.path(names).map_or(&[][..], Node::items);
        let texts = |names: &[&str]| list(names).iter().filter_map(Node::text).map(str::to_owned);
        self.denied.extend(texts(&["permissions", "deny"]));
        self.asked.extend(texts(&["permissions", "ask"]));
        self.servers.extend(texts(&["disabledMcpjsonServers"]));
        self.servers.extend(texts(&["enabledMcpjsonServers"]));
        for rule in ["deniedMcpServers", "allowedMcpServers"].iter().flat_map(|key| list(&[key])) {
            self.servers.extend(rule.get("serverName").and_then(Node::text).map(str::to_owned));
            self.by_command |= ["serverCommand", "serverUrl"].iter().any(|key| rule.get(key).is_some());
        }
        let events = settings.members_at(&["hooks"]);
        let matchers = events.iter().flat_map(|event| event.node.items());
        let matchers = matchers.filter_map(|hook| hook.get("matcher")?.text());
        self.hooks.extend(matchers.flat_map(alternatives));
    }

    /// Adds what `~/.claude.json` says of servers by name, project by project: those it switches, and those that a project has as well
    /// as the user.
    pub(crate) fn add_projects(&mut self, root: &Node) {
        let of_user = |name: &str| root.path(&["mcpServers", name]).is_some();
        for project in root.members_at(&["projects"]) {
            for key in ["disabledMcpServers", "disabledMcpjsonServers", "enabledMcpjsonServers"] {
                let names = project.node.get(key).map_or(&[][..], Node::items);
                self.servers.extend(names.iter().filter_map(Node::text).map(str::to_owned));
            }
            let own = project.node.members_at(&["mcpServers"]);
            self.servers.extend(own.iter().map(|server| server.name.clone()).filter(|name| of_user(name)));
        }
    }

    /// What Claude Code's settings say of the server of this name.
    pub(crate) fn of(&self, server: &str) -> Ruling {
        let prefix = format!("{PREFIX}{}__", plain(server));
        let matching = |rules: &[String]| rules.iter().flat_map(|rule| of_rule(rule, &prefix)).collect();
        let (hidden, asked): (Vec<String>, Vec<String>) = (matching(&self.denied), matching(&self.asked));
        let is_switched = self.servers.iter().any(|name| name == server);
        let is_named = is_switched || !hidden.is_empty() || !asked.is_empty();
        // A rule for all tools goes on matching: the entry keeps its name.
        let of_tools = |patterns: Vec<String>| patterns.into_iter().filter(|pattern| !is_all(pattern));
        let (hidden, asked) = (of_tools(hidden).collect(), of_tools(asked).collect());
        let hooked: Vec<String> = self.hooks.iter().flat_map(|pattern| of_rule(pattern, &prefix)).collect();
        // What matches the tools of any server goes on matching, under whatever name.
        let others = |pattern: &String| of_rule(pattern, ANY).iter().any(|rest| is_all(rest));
        let own = self.hooks.iter().filter(|pattern| !others(pattern));
        let is_hooked = own.flat_map(|pattern| of_rule(pattern, &prefix)).next().is_some();
        let lost = match hooked.iter().find(|pattern| !is_all(pattern)) {
            Some(tools) => Some(format!(
                "a hook of the host matches calls of '{tools}', and could not recognize them any more"
            )),
            None if self.by_command => Some(
                "the host's settings allow or deny servers by command or url, which would be another"
                    .to_owned(),
            ),
            None => None,
        };
        Ruling { hidden, asked, is_named: is_named || is_hooked, lost, ..Ruling::default() }
    }
}

impl Ruling {
    /// Whether any of it holds for the server's name only, so that it cannot be served under another one.
    pub(crate) fn is_bound_to_the_name(&self) -> bool {
        self.is_named || self.lost.is_some() || !self.asked.is_empty()
    }

    /// Adds what another file says; not its lists of enabled tools, which are of its own profiles.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { off, hidden, asked, is_named, lost, .. } = other;
        self.is_named |= is_named || off.is_some() || !hidden.is_empty() || !asked.is_empty();
        self.hidden.extend(hidden);
        self.asked.extend(asked);
        self.lost = self.lost.take().or(lost);
    }
}

/// A server that no one has, in the names of its tools.
const ANY: &str = "mcp__any-server__";

/// The alternatives of a hook's matcher, a regular expression that matches a whole name, as patterns. What is no pattern
/// becomes one that matches more, and is taken for one of single tools.
fn alternatives(matcher: &str) -> Vec<String> {
    let pattern = |alternative: &str| {
        let plain = alternative.trim().trim_start_matches('^').trim_end_matches('$');
        let plain = plain.replace(".*", "*").replace(".+", "?*").replace("\\.", ".");
        match plain.find(['[', ']', '(', ')', '{', '}', '\\', '+']) {
            Some(at) => format!("{}*?", &plain[..at]),
            None => plain.replace('.', "?"),
        }
    };
    // Groups are cut off, so a `|` within one only yields more patterns.
    matcher
        .split('|')
        .map(pattern)
        .filter(|pattern| pattern.contains("mcp") || pattern.starts_with('*'))
        .collect()
}

/// The patterns of the server's tools that one rule names; all of them for the server's name alone.
fn of_rule(rule: &str, prefix: &str) -> Vec<String> {
    // What stands in parentheses narrows a rule to arguments, which is not known of tools of MCP.
    let name = rule.split('(').next().unwrap_or_default().trim();
    let is_server = name == prefix || Some(name) == prefix.strip_suffix("__");
    if is_server { vec!["*".to_owned()] } else { of_tools(name, prefix) }
}

/// A name as hosts write it: `_` for every character other than ASCII letters, digits, `_` and `-`.
pub(crate) fn plain(name: &str) -> String {
    name.replace(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)), "_")
}

/// Whether a pattern is of all tools.
pub(crate) fn is_all(pattern: &str) -> bool {
    pattern.chars().all(|c| c == '*')
}

/// The patterns of a server's own tools that a pattern of hosts' names comes to. `prefix` is what the host puts before them.
pub(crate) fn of_tools(pattern: &str, prefix: &str) -> Vec<String> {
    // In the tool's own name, a `_` may be any character.
    rests(pattern, prefix).into_iter().map(|rest| rest.replace('_', "?")).collect()
}

/// The patterns for the rest of a name after a prefix, one for each way in which the pattern can match the prefix.
fn rests(pattern: &str, prefix: &str) -> Vec<String> {
    let mut rests = vec![pattern.to_owned()];
    for wanted in prefix.chars() {
        let mut next = Vec::new();
        for rest in &rests {
            // A star matches this character and remains, or matches nothing.
            let after = rest.trim_start_matches('*');
            if after.len() < rest.len() {
                next.push(rest.clone());
            }
            let mut after = after.chars();
            if after.next().is_some_and(|first| first == '?' || first == wanted) {
                next.push(after.as_str().to_owned());
            }
        }
        next.sort();
        next.dedup();
        rests = next;
    }
    rests.retain(|rest| !rest.is_empty());
    rests
}

#[cfg(test)]
mod tests {
    use super::{super::node, *};

    fn of(settings: &str, server: &str) -> Ruling {
        let mut rules = Rules::default();
        rules.add(&node::parse("settings.json".as_ref(), settings).unwrap());
        rules.of(server)
    }

    fn ruling(settings: &str, server: &str) -> (Vec<String>, Vec<String>, bool) {
        let Ruling { hidden, asked, is_named, .. } = of(settings, server);
        (hidden, asked, is_named)
    }

    #[test]
    fn w1_claude_codes_rules_name_servers_and_tools() {
        for (rule, hidden, is_named) in [
            ("mcp__my_git__delete", &["delete"][..], true),
            ("mcp__my_git__delete_repo(*)", &["delete?repo"], true),
            ("mcp__my_git__delete_*", &["delete?*"], true),
            ("mcp__*__delete", &["*??delete", "?delete", "delete"], true),
            ("mcp__my_git", &[], true),
            ("mcp__my_git__*", &[], true),
            ("mcp__my*", &[], true),
            ("mcp__my", &[], false),
            ("mcp__other__delete", &[], false),
            ("Bash(rm:*)", &[], false),
        ] {
            let hidden: Vec<String> = hidden.iter().map(|&pattern| pattern.to_owned()).collect();
            let denied = ruling(&format!(r#"{{"permissions": {{"deny": ["{rule}"]}}}}"#), "my git");
            assert_eq!(denied, (hidden.clone(), vec![], is_named), "{rule}");
            let asked = ruling(&format!(r#"{{"permissions": {{"ask": ["{rule}"]}}}}"#), "my git");
            assert_eq!(asked, (vec![], hidden, is_named), "{rule}");
        }
        for switched in
            [r#"{"disabledMcpjsonServers": ["a"]}"#, r#"{"deniedMcpServers": [{"serverName": "a"}]}"#]
        {
            assert_eq!((ruling(switched, "a").2, ruling(switched, "b").2), (true, false));
        }
    }

    #[test]
    fn w1_hooks_of_single_tools_are_lost_and_those_of_all_tools_go_on_matching() {
        for (matcher, is_lost, is_named) in [
            ("mcp__git__delete", true, true),
            ("Edit|mcp__git__delete", true, true),
            ("^mcp__git__(delete|push)$", true, true),
            ("mcp__git__delete.*", true, true),
            ("mcp__.*__delete.*", true, true),
            ("mcp__.*delete", true, true),
            (".*__delete", true, true),
            ("mcp__git__.*", false, true),
            ("mcp__git", false, true),
            ("mcp__.*", false, false),
            (".*", false, false),
            ("*", false, false),
            ("", false, false),
            ("Edit|Write", false, false),
            ("mcp__other__.*", false, false),
            ("mcp__other__delete", false, false),
        ] {
            let hooks =
                format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": []}}]}}}}"#);
            let Ruling { hidden, asked, is_named: named, lost, .. } = of(&hooks, "git");
            assert_eq!(
                (lost.is_some(), named, hidden.len() + asked.len()),
                (is_lost, is_named, 0),
                "{matcher}: {lost:?}"
            );
        }
        for (settings, is_lost, is_named) in [
            (r#"{"allowedMcpServers": [{"serverCommand": ["npx", "x"]}]}"#, true, false),
            (r#"{"deniedMcpServers": [{"serverUrl": "https://*"}]}"#, true, false),
            (r#"{"allowedMcpServers": [{"serverName": "git"}]}"#, false, true),
            (r#"{"enabledMcpjsonServers": ["git"]}"#, false, true),
            (r#"{"enabledMcpjsonServers": ["other"]}"#, false, false),
        ] {
            let ruling = of(settings, "git");
            assert_eq!((ruling.lost.is_some(), ruling.is_named), (is_lost, is_named), "{settings}");
        }
    }

    #[test]
    fn a_pattern_of_names_is_one_of_the_servers_tools() {
        for (pattern, of_tools) in [
            ("my_*", &["*"][..]),
            ("my*", &["*"]),
            ("*", &["*"]),
            ("my_delete", &["delete"]),
            ("my_?", &["?"]),
            ("*_delete_*", &["*_delete_*", "delete_*"]),
            ("m?_x", &["x"]),
            ("other_*", &[]),
            ("my", &[]),
            ("my_", &[]),
            ("bash", &[]),
        ] {
            assert_eq!(rests(pattern, "my_"), of_tools, "{pattern}");
        }
    }
}
