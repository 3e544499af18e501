//! How a model finds tools that are not listed: by categories (three-level-info-tool), or by words.

use std::collections::HashSet;

use serde_json::{Value, json};

/// The tool of three levels.
pub(crate) const INFO: &str = "info";

/// The categories that a model has asked for, and the tools that their answers showed with parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browsing {
    asked: HashSet<String>,
    had_overview: bool,
    shown: HashSet<String>,
}

impl Browsing {
    /// The calls that find tools in a category, by arguments: the overview, unless it was asked for or the description of
    /// [`INFO`] names the category, then the category; each is asked for once.
    pub(super) fn topics(&mut self, description: &str, category: &str) -> Vec<Value> {
        if !self.asked.insert(category.to_owned()) {
            return Vec::new();
        }
        // The index names it as `name (count)`.
        let knows = self.had_overview || description.contains(&format!("{category} ("));
        self.had_overview |= !knows;
        let overview = (!knows).then(|| json!({}));
        overview.into_iter().chain([json!({"topic": category})]).collect()
    }

    /// Notes the tools that the answer of a category or a search shows with their parameters.
    pub(crate) fn learn(&mut self, answer: &Value) {
        for line in answer["tools"].as_array().into_iter().flatten() {
            let Some(name) = line["name"].as_str() else { continue };
            if line.get("parameters").or_else(|| line.get("inputSchema")).is_some() {
                self.shown.insert(name.to_owned());
            }
        }
    }

    /// Whether the answer of a category or a search showed the tool's parameters, so that it need not be asked for.
    pub(crate) fn shows(&self, tool: &str) -> bool {
        self.shown.contains(tool)
    }
}

/// Whether this is the answer of a category.
pub(crate) fn is_category(answer: &Value) -> bool {
    answer["category"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_is_asked_for_where_the_description_does_not_name_the_category() {
        let mut browsing = Browsing::default();
        let mut topics = |category| browsing.topics("- a (2): text", category);
        assert_eq!(topics("a"), [json!({"topic": "a"})]);
        assert!(topics("a").is_empty());
        assert_eq!(topics("b"), [json!({}), json!({"topic": "b"})]);
        assert_eq!(topics("c"), [json!({"topic": "c"})]);
    }

    #[test]
    fn a_tool_whose_parameters_a_category_shows_is_known() {
        let mut browsing = Browsing::default();
        browsing
            .learn(&json!({"category": "c", "tools": [{"name": "a", "parameters": "none"}, {"name": "b"}]}));
        assert!(browsing.shows("a") && !browsing.shows("b"));
        browsing.learn(&json!({"tools": [{"name": "c", "inputSchema": {}}, {"name": "d", "brief": "D"}]}));
        assert!(browsing.shows("c") && !browsing.shows("d"));
    }
}
