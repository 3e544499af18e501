//! How a model finds tools that are not listed: by categories (three-level-info-tool), or by words.

use std::collections::HashSet;

use serde_json::{Value, json};

/// The tool of three levels.
pub(crate) const INFO: &str = "info";

/// The categories that a model has asked for, and the tools that their answers showed with parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Browsing {
    asked: HashSet<String>,
    shown: HashSet<String>,
    named: HashSet<String>,
    /// Whether a category had more tools than its answer.
    is_cut: bool,
}

impl Browsing {
    /// The calls that find tools in these categories, by arguments, in rounds of calls that are made at once: the overview,
    /// unless the description of [`INFO`] names the categories, then the categories; each is asked for once.
    pub(crate) fn rounds<'a>(
        &mut self,
        description: &str,
        categories: impl IntoIterator<Item = &'a str>,
    ) -> Vec<Vec<Value>> {
        let had_overview = !self.asked.is_empty();
        let is_new = |category: &&str| self.asked.insert((*category).to_owned());
        let categories: Vec<&str> = categories.into_iter().filter(is_new).collect();
        let knows_categories =
            had_overview || categories.iter().all(|category| is_named(description, category));
        let overview = if knows_categories { Vec::new() } else { vec![json!({})] };
        let categories = categories.iter().map(|category| json!({"topic": category})).collect();
        [overview, categories].into_iter().filter(|round: &Vec<Value>| !round.is_empty()).collect()
    }

    /// Notes the tools that the answer of a category or a search shows with their parameters.
    pub(crate) fn learn(&mut self, answer: &Value) {
        for line in answer["tools"].as_array().into_iter().flatten() {
            let Some(name) = line["name"].as_str() else { continue };
            self.named.insert(name.to_owned());
            if line.get("parameters").or_else(|| line.get("inputSchema")).is_some() {
                self.shown.insert(name.to_owned());
            }
        }
        self.is_cut |= answer.get("next").is_some();
    }

    /// Whether the answer of a category or a search named the tool, or may have left it to the next page.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.named.contains(tool) || self.is_cut
    }

    /// Whether the answer of a category or a search showed the tool's parameters, so that it need not be asked for.
    pub(crate) fn shows(&self, tool: &str) -> bool {
        self.shown.contains(tool)
    }
}

/// Whether the description of [`INFO`] names a category in its index, as `name (count)`.
pub(crate) fn is_named(description: &str, category: &str) -> bool {
    description.contains(&format!("{category} ("))
}

/// Whether this is the answer of a category.
pub(crate) fn is_category(answer: &Value) -> bool {
    answer["category"].is_string()
}

/// The arguments that ask for a tool, also where a category has its name.
pub(crate) fn topic_of_tool(name: &str) -> Value {
    json!({"topic": format!("tool:{name}")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_is_asked_for_where_the_description_does_not_name_the_category() {
        let mut browsing = Browsing::default();
        assert_eq!(browsing.rounds("- a (2): text", ["a", "a"]), [[json!({"topic": "a"})]]);
        assert!(browsing.rounds("- a (2): text", ["a"]).is_empty());
        let mut browsing = Browsing::default();
        assert_eq!(browsing.rounds("- a (2): text", ["b"]), [[json!({})], [json!({"topic": "b"})]]);
        assert_eq!(browsing.rounds("- a (2): text", ["c"]), [[json!({"topic": "c"})]]);
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
