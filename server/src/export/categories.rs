//! Proposals of what tools could be sorted into: the categories that are served without any declared.

use std::collections::HashSet;

use mcp_disclosure_core::{ListedCategory, Tool};

use super::Origins;

/// The categories that no one declared, under names that no tool has, since `info` is asked for both.
pub(super) fn proposed<'v>(
    origins: &Origins<'v>,
    tools: &[&Tool],
) -> impl Iterator<Item = (String, ListedCategory<'v>)> + use<'v> {
    let mut taken: HashSet<String> = tools.iter().map(|tool| tool.key().to_string()).collect();
    taken.extend(origins.declared.about.categories.iter().map(|category| category.name.clone()));
    let undeclared = origins.view.categories().filter(|category| !category.is_declared());
    undeclared.map(move |category| {
        let name = category.name();
        let numbered = (2..).map(|number| format!("{name} tools {number}"));
        let mut names = [name.to_owned(), format!("{name} tools")].into_iter().chain(numbered);
        let free = names.find(|name| !taken.contains(name)).unwrap_or_else(|| name.to_owned());
        taken.insert(free.clone());
        (free, category)
    })
}
