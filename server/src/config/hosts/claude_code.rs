//! `~/.claude.json`: servers of the user, and of each project.

use std::path::Path;

use super::{
    file_context::FileContext,
    mcp_servers,
    node::Node,
    shape::{Elsewhere, Shape},
    variables::Style,
};

pub(super) const SHAPE: Shape =
    Shape { hosts: "Claude Code", servers, keys: mcp_servers::KEYS, style: Style::Dollar, elsewhere };

pub(super) fn is_its_own(root: &Node) -> bool {
    root.get("projects").is_some_and(Node::is_table)
}

fn servers<'n>(root: &'n Node, context: &FileContext<'_>) -> Vec<&'n Node> {
    let of_project = project(root, context).and_then(mcp_servers::table);
    let tables = of_project.into_iter().chain(mcp_servers::table(root));
    tables.filter(|_| is_its_own(root)).collect()
}

fn elsewhere(root: &Node, context: &FileContext<'_>, name: &str) -> Elsewhere {
    let disabled = project(root, context).and_then(|project| project.get("disabledMcpServers"));
    let off = disabled.filter(|disabled| disabled.lists(name)).map(|_| "disabledMcpServers of the project");
    Elsewhere { off, ..Elsewhere::default() }
}

/// The project of the current directory: the innermost listed one.
fn project<'n>(root: &'n Node, context: &FileContext<'_>) -> Option<&'n Node> {
    let projects = root.get("projects")?;
    let listed = |directory: &Path| projects.get(directory.to_str()?);
    context.current.ancestors().find_map(listed)
}
