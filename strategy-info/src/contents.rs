//! What a view contains, by topic: the same names lead from answer to answer.

use mcp_disclosure_core::{ListedCategory, View, VisibleTool, nearest::nearest};

use crate::wording::{CATEGORY, OVERVIEW, TOOL};

/// So many suggestions are made.
const SUGGESTIONS: usize = 5;

/// What a view contains.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'v> {
    view: &'v View,
}

/// What a topic leads to.
#[derive(Clone, Copy, Debug)]
pub enum Topic<'v> {
    /// The first level, from this category on.
    Overview(usize),
    /// The second, from this tool of the category on.
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

    /// What a topic leads to. A category goes before a tool of its name (contract I6), and what is named in
    /// full before `TOPIC#N`, the rest of a long answer from its N-th entry on.
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

    /// The shortest topic that leads to a category of this name.
    pub fn topic_of_category(&self, name: &str) -> String {
        if is_plain(name) { name.to_owned() } else { format!("{CATEGORY}{name}") }
    }

    /// The shortest topic that leads to a tool of this name.
    pub fn topic_of_tool(&self, name: &str) -> String {
        let is_plain = is_plain(name) && self.view.category(name).is_none();
        if is_plain { name.to_owned() } else { format!("{TOOL}{name}") }
    }

    /// Topics like one that leads nowhere; where nothing is like it, the first of all.
    pub fn topics_like(&self, topic: &str) -> Vec<String> {
        let categories = self.categories().map(|category| self.topic_of_category(category.name()));
        let tools = self.view.tools().map(|tool| self.topic_of_tool(tool.name()));
        let topics: Vec<String> = [OVERVIEW.to_owned()].into_iter().chain(categories).chain(tools).collect();
        like(topic, &topics)
    }

    /// Names of tools like one that nobody has.
    pub fn tools_like(&self, name: &str) -> Vec<String> {
        like(name, &self.view.tools().map(|tool| tool.name().to_string()).collect::<Vec<_>>())
    }
}

/// Whether a name leads to its category or tool as it is.
fn is_plain(name: &str) -> bool {
    name != OVERVIEW && !name.is_empty() && !name.starts_with(CATEGORY) && !name.starts_with(TOOL)
}

/// Names that contain what was wanted, then those that look like it, then any.
fn like(wanted: &str, names: &[String]) -> Vec<String> {
    // Long input is no name; its head stands for it, as in `nearest`.
    let wanted: String = wanted.trim().chars().take(128).flat_map(char::to_lowercase).collect();
    let containing = names.iter().filter(|name| wanted.len() > 2 && name.to_lowercase().contains(&wanted));
    let mut found: Vec<&str> = Vec::new();
    let containing = containing.map(String::as_str).take(SUGGESTIONS);
    for name in containing.chain(nearest(&wanted, names.iter().map(String::as_str), SUGGESTIONS)) {
        if found.len() < SUGGESTIONS && !found.contains(&name) {
            found.push(name);
        }
    }
    if found.is_empty() {
        found.extend(names.iter().map(String::as_str).take(SUGGESTIONS));
    }
    found.into_iter().map(str::to_owned).collect()
}
