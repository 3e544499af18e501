//! Finders: the call by which a model finds tools by words under a strategy.

use serde_json::Value;

use crate::{lesson::filled, raw::RawObject};

/// The placeholder for the words.
const PLACE: &str = "{query}";

/// A call of a strategy's own tool whose result lists tools that fit some words, the best first.
///
/// ```
/// use mcp_disclosure_core::Finder;
/// use serde_json::json;
///
/// const FINDER: Finder = Finder::new("find_tools", r#"{"query": "{query}"}"#, &["tools"]);
/// assert_eq!(FINDER.arguments("two words").unwrap().text(), r#"{"query": "two words"}"#);
/// let hits = FINDER.hits(&json!({"tools": [{"name": "add", "match": "weak"}, "sub"]}));
/// assert_eq!((&*hits[0].name, hits[0].is_weak, &*hits[1].name), ("add", true, "sub"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finder {
    tool: &'static str,
    arguments: &'static str,
    hits: &'static [&'static str],
}

/// A tool in the result of a [`Finder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The name, as the result has it.
    pub name: String,
    /// Whether the result says that only a lesser part of the words matches (`"match": "weak"`).
    pub is_weak: bool,
}

impl Finder {
    /// A call of `tool` with these arguments: a JSON object in which `{query}`, within a string, is the placeholder for
    /// the words. `hits` are members of the result, of which the first that is there has the array of tools: names, or
    /// objects with a `name`.
    pub const fn new(tool: &'static str, arguments: &'static str, hits: &'static [&'static str]) -> Self {
        Self { tool, arguments, hits }
    }

    /// The tool to call.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// The arguments for these words; `None` if the template is not a JSON object with the placeholder.
    pub fn arguments(&self, query: &str) -> Option<RawObject> {
        filled(self.arguments, PLACE, query)
    }

    /// The tools in a result, in its order.
    pub fn hits(&self, result: &Value) -> Vec<Hit> {
        let found = self.hits.iter().find_map(|member| result[*member].as_array());
        let hit = |one: &Value| {
            let name = one.as_str().or_else(|| one["name"].as_str())?.to_owned();
            Some(Hit { name, is_weak: one["match"] == "weak" })
        };
        found.into_iter().flatten().filter_map(hit).collect()
    }
}
