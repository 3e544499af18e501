//! The contents of a view by topic. Each answer names the topics of the next level.

use std::collections::HashSet;

use mcp_disclosure_core::{
    ListedCategory, ToolName, View, VisibleTool,
    nearest::{misspelt, nearest},
};
use mcp_disclosure_ranking::{BuiltIn, Query};

use crate::wording::{CATEGORY, OVERVIEW, TOOL};

/// Maximum number of suggestions.
const SUGGESTIONS: usize = 5;

/// The contents of a view.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'v> {
    view: &'v View,
}

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

impl<'v> Contents<'v> {
    /// The contents of a view.
    pub fn of(view: &'v View) -> Self {
        Self { view }
    }

    /// The view.
    pub fn view(&self) -> &'v View {
        self.view
    }

    /// Its categories.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = ListedCategory<'v>> {
        self.view.categories()
    }

    /// How many tools are listed.
    pub fn count(&self) -> usize {
        self.categories().map(|category| category.tools().len()).sum()
    }

    /// Finds what a topic names. A category takes precedence over a tool of the same name (docs/CONTRACT.md I6), and an
    /// exact name over `TOPIC#N`, which is the rest of a long answer starting at its N-th entry.
    pub fn find(&self, topic: &str) -> Option<Topic<'v>> {
        self.find_whole(topic).or_else(|| self.find_whole(topic.trim())).or_else(|| {
            let (topic, from) = topic.trim().rsplit_once('#')?;
            let from = from.parse::<usize>().ok()?.checked_sub(1)?;
            match self.find_whole(topic)? {
                Topic::Overview(_) if from < self.categories().len() => Some(Topic::Overview(from)),
                Topic::Category(category, _) if from < category.tools().len() => {
                    Some(Topic::Category(category, from))
                }
                _ => None,
            }
        })
    }

    fn find_whole(&self, topic: &str) -> Option<Topic<'v>> {
        if let Some(name) = topic.strip_prefix(CATEGORY) {
            self.category(name)
        } else if let Some(name) = topic.strip_prefix(TOOL) {
            self.view.tool(name).map(Topic::Tool)
        } else if topic.is_empty() || topic == OVERVIEW {
            Some(Topic::Overview(0))
        } else {
            self.category(topic).or_else(|| self.view.tool(topic).map(Topic::Tool))
        }
    }

    fn category(&self, name: &str) -> Option<Topic<'v>> {
        self.view.category(name).map(|category| Topic::Category(category, 0))
    }

    /// The shortest topic of a category.
    pub fn topic_of_category(&self, name: &str) -> String {
        if is_plain(name) { name.to_owned() } else { format!("{CATEGORY}{name}") }
    }

    /// The shortest topic of a tool.
    pub fn topic_of_tool(&self, name: &str) -> String {
        let is_plain = is_plain(name) && self.view.category(name).is_none();
        if is_plain { name.to_owned() } else { format!("{TOOL}{name}") }
    }

    /// The topics that an unknown one may have meant (docs/CONTRACT.md B10): a name that is spelt similarly, then tools by what
    /// they are about; the first of all topics if there are neither.
    pub fn topics_like(&self, ranker: &BuiltIn, topic: &str) -> Vec<String> {
        let categories = self.categories().map(|category| self.topic_of_category(category.name()));
        let tools = self.view.tools().map(|tool| self.topic_of_tool(tool.name()));
        let topics: Vec<String> = [OVERVIEW.to_owned()].into_iter().chain(categories).chain(tools).collect();
        let ranked = self.ranked(ranker, topic).into_iter().map(|name| self.topic_of_tool(&name)).collect();
        like(topic, &topics, ranked)
    }

    /// The names of tools that an unknown one may have meant, in the same way.
    pub fn tools_like(&self, ranker: &BuiltIn, name: &str) -> Vec<String> {
        let names: Vec<String> = self.view.tools().map(|tool| tool.name().to_string()).collect();
        let ranked = self.ranked(ranker, name).into_iter().map(|name| name.to_string()).collect();
        like(name, &names, ranked)
    }

    fn ranked(&self, ranker: &BuiltIn, words: &str) -> Vec<ToolName> {
        let ranking = ranker.rank_now(self.view, &Query::new(words, SUGGESTIONS));
        ranking.hits.into_iter().map(|hit| hit.name).collect()
    }
}

/// Whether a name can be its own topic.
fn is_plain(name: &str) -> bool {
    name != OVERVIEW && !name.is_empty() && !name.starts_with(CATEGORY) && !name.starts_with(TOOL)
}

/// Names that contain `wanted` or are spelt similarly, if it can be a name; then the `ranked` ones. If there are neither, the
/// names that are least different, or the first.
fn like(wanted: &str, names: &[String], ranked: Vec<String>) -> Vec<String> {
    // Long input is not a name; only its beginning is compared, as in `nearest`.
    let wanted: String = wanted.trim().chars().take(128).flat_map(char::to_lowercase).collect();
    let all = || names.iter().map(String::as_str);
    let can_be_name = wanted.len() > 2 && !wanted.contains(char::is_whitespace);
    let mut found: Vec<&str> = Vec::new();
    if can_be_name {
        found.extend(all().filter(|name| name.to_lowercase().contains(&wanted)).take(SUGGESTIONS));
        found.extend(misspelt(&wanted, all()));
    }
    found.extend(ranked.iter().map(String::as_str));
    if found.is_empty() {
        found.extend(nearest(&wanted, all(), SUGGESTIONS));
    }
    if found.is_empty() {
        found.extend(all());
    }
    let mut seen = HashSet::new();
    found.retain(|name| seen.insert(*name));
    found.into_iter().take(SUGGESTIONS).map(str::to_owned).collect()
}
