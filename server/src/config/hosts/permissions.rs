//! What hosts forbid, or ask about, by the names that they give to servers' tools: `server_tool`, `mcp__server__tool`.

/// What a host says of one server outside its entry, there or in other files.
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

/// Whether a pattern is of the tools of any server, which it goes on matching under whatever name.
pub(crate) fn is_of_any(pattern: &str) -> bool {
    // A server that no one has.
    of_rule(pattern, "mcp__any-server__").iter().any(|rest| is_all(rest))
}

/// The alternatives of a hook's matcher, a regular expression that matches a whole name, as patterns. What is no pattern
/// becomes one that matches more, and is taken for one of single tools.
pub(crate) fn alternatives(matcher: &str) -> Vec<String> {
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
pub(crate) fn of_rule(rule: &str, prefix: &str) -> Vec<String> {
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
    use super::{
        super::{FileContext, mcp_servers::rules_of_claude_code, node},
        *,
    };

    fn of(settings: &str, server: &str) -> Ruling {
        let settings = node::parse("settings.json".as_ref(), settings).unwrap();
        let lookup = |_: &str| None;
        let context = FileContext::new("settings.json".as_ref(), "/".into(), &lookup);
        rules_of_claude_code(&settings, &context, server)
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
