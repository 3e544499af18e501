//! opencode: `mcp`, and switches of tools by pattern.

use mcp_disclosure_core::Pattern;

use super::{
    gemini,
    node::Node,
    scene::Scene,
    shape::{Elsewhere, Keys, Means, Shape},
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

fn servers<'n>(root: &'n Node, scene: &Scene<'_>) -> Vec<&'n Node> {
    let is_anothers = |mcp: &&Node| vscode::is_settings(mcp) || gemini::is_its_own(root, scene);
    root.get("mcp").filter(|mcp| !is_anothers(mcp)).into_iter().collect()
}

/// opencode names a tool `server_tool`, with `_` for every character other than ASCII letters, digits, `_` and `-`. Patterns
/// of these names under `tools`, in newer files under `permission`, disable tools.
fn elsewhere(root: &Node, _: &Scene<'_>, name: &str) -> Elsewhere {
    let switched = root.get("tools").into_iter().flat_map(Node::members);
    let switched = switched.filter(|tool| tool.node.as_bool() == Some(false));
    let permission = root.get("permission");
    let denied = permission.into_iter().flat_map(Node::members).filter(|tool| denies(&tool.node));
    let patterns = switched.chain(denied).map(|tool| tool.name.as_str());
    let patterns = patterns.chain(permission.filter(|all| denies(all)).map(|_| "*"));
    let prefix =
        format!("{}_", name.replace(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)), "_"));
    let mut hidden: Vec<String> = patterns.flat_map(|pattern| rests(pattern, &prefix)).collect();
    // In the tool's own name, a `_` may be any character.
    hidden.iter_mut().for_each(|rest| *rest = rest.replace('_', "?"));
    Elsewhere { hidden, ..Elsewhere::default() }
}

/// Whether a permission disables a tool: `deny`, or `deny` for a pattern that matches all arguments. MCP tools request `*`,
/// so rules for particular arguments do not apply to them.
fn denies(permission: &Node) -> bool {
    let is_denied = |node: &Node| node.text() == Some("deny");
    let mut any = permission.members().iter().filter(|rule| Pattern::new(&rule.name).matches("*"));
    is_denied(permission) || any.any(|rule| is_denied(&rule.node))
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
    use super::*;

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
