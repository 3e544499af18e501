//! The contents of a view by topic. Each answer names the topics of the next level.

use mcp_disclosure_core::{ListedCategory, ToolName, View, VisibleTool, nearest::misspelt};
use mcp_disclosure_ranking::{BuiltIn, Query};

use crate::wording::{CATEGORY, OVERVIEW, TOOL};

/// Maximum number of suggestions.
pub const SUGGESTIONS: usize = 5;

/// What a topic names.
#[derive(Clone, Copy, Debug)]
pub enum Topic<'v> {
    /// The first level, starting at the category with this index.
    Overview(usize),
    /// The second, starting at the category's tool with this index.
    Category(ListedCategory<'v>, usize),
    /// The third.
    Tool(VisibleTool<'v>),
}

/// How many tools are listed.
pub fn count(view: &View) -> usize {
    view.categories().map(|category| category.tools().len()).sum()
}

/// Finds what a topic names. A category takes precedence over a tool of the same name (docs/CONTRACT.md I6), and an
/// exact name over `TOPIC#N`, which is the rest of a long answer starting at its N-th entry.
pub fn find<'v>(view: &'v View, topic: &str) -> Option<Topic<'v>> {
    find_whole(view, topic).or_else(|| find_whole(view, topic.trim())).or_else(|| {
        let (topic, from) = topic.trim().rsplit_once('#')?;
        let from = from.parse::<usize>().ok()?.checked_sub(1)?;
        match find_whole(view, topic)? {
            Topic::Overview(_) if from < view.categories().len() => Some(Topic::Overview(from)),
            Topic::Category(category, _) if from < category.tools().len() => {
                Some(Topic::Category(category, from))
            }
            _ => None,
        }
    })
}

fn find_whole<'v>(view: &'v View, topic: &str) -> Option<Topic<'v>> {
    if let Some(name) = topic.strip_prefix(CATEGORY) {
        category(view, name)
    } else if let Some(name) = topic.strip_prefix(TOOL) {
        view.tool_for_models(name).map(Topic::Tool)
    } else if topic.is_empty() || topic == OVERVIEW {
        Some(Topic::Overview(0))
    } else {
        category(view, topic).or_else(|| view.tool_for_models(topic).map(Topic::Tool))
    }
}

fn category<'v>(view: &'v View, name: &str) -> Option<Topic<'v>> {
    view.category(name).map(|category| Topic::Category(category, 0))
}

/// The shortest topic of a category.
pub fn topic_of_category(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { format!("{CATEGORY}{name}") }
}

/// The shortest topic of a tool.
pub fn topic_of_tool(view: &View, name: &str) -> String {
    let is_plain = is_plain(name) && view.category(name).is_none();
    if is_plain { name.to_owned() } else { format!("{TOOL}{name}") }
}

/// The topics of categories whose names are like an unknown topic.
pub fn categories_like(view: &View, topic: &str) -> Vec<String> {
    let names: Vec<&str> = view.categories().map(|category| category.name()).collect();
    like(topic, &names).into_iter().map(topic_of_category).collect()
}

/// The tools that an unknown name or topic may have meant (docs/CONTRACT.md B10): those of similar names, then those that fit
/// its words.
pub fn tools_like<'v>(
    view: &'v View,
    ranker: &BuiltIn,
    topic: &str,
) -> impl Iterator<Item = VisibleTool<'v>> {
    let names: Vec<&str> = view.tools().map(|tool| tool.name().as_str()).collect();
    let mut like: Vec<ToolName> = Vec::new();
    let similar = self::like(topic, &names).into_iter().filter_map(|name| ToolName::parse(name).ok());
    let ranking = ranker.rank_now(view, &Query::new(topic, SUGGESTIONS));
    let ranked = ranking.hits.into_iter().map(|hit| hit.name);
    similar.chain(ranked).for_each(|name| {
        if !like.contains(&name) {
            like.push(name);
        }
    });
    like.into_iter().take(SUGGESTIONS).filter_map(move |name| view.tool(&name))
}

/// Whether a name can be its own topic.
fn is_plain(name: &str) -> bool {
    name != OVERVIEW && !name.is_empty() && !name.starts_with(CATEGORY) && !name.starts_with(TOOL)
}

/// Names that contain `wanted` or are spelt similarly, if it can be a name.
fn like<'n>(wanted: &str, names: &[&'n str]) -> Vec<&'n str> {
    // Long input is not a name; only its beginning is compared, as in `nearest`.
    let wanted = wanted.trim();
    let wanted = wanted.strip_prefix(TOOL).or_else(|| wanted.strip_prefix(CATEGORY)).unwrap_or(wanted);
    let wanted: String = wanted.chars().take(128).flat_map(char::to_lowercase).collect();
    if wanted.len() <= 2 || wanted.contains(char::is_whitespace) {
        return Vec::new();
    }
    let containing = names.iter().copied().filter(|name| name.to_lowercase().contains(&wanted));
    let mut found: Vec<&str> = containing.take(SUGGESTIONS).collect();
    found.extend(misspelt(&wanted, names.iter().copied()).filter(|name| !found.contains(name)));
    found
}
