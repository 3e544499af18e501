//! Settings of `search`: the section `[strategy.search]`.

use std::{collections::HashMap, num::NonZeroUsize};

use mcp_disclosure_core::Executors;
use mcp_disclosure_ranking::{LexicalSettings, Weights};
use serde::{Deserialize, Deserializer, de::Error};

const HITS: NonZeroUsize = NonZeroUsize::new(5).unwrap();
const MOST_HITS: NonZeroUsize = NonZeroUsize::new(50).unwrap();

/// The settings of the strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// The number of hits if a search does not say. Default: 5.
    #[serde(deserialize_with = "hits")]
    pub hits: NonZeroUsize,
    /// The maximum number of hits that a search can ask for. Default: 50.
    #[serde(deserialize_with = "most_hits")]
    pub most_hits: NonZeroUsize,
    /// The definition of one hit up to this size is part of the answer, in bytes. Default: 8192.
    pub schema_bytes: usize,
    /// All definitions of an answer, in bytes. Default: 24576.
    pub answer_bytes: usize,
    /// The definition of a tool that is asked for alone and in full (`"limit": 1, "detail": "full"`), in bytes.
    /// Default: 65536.
    pub whole_schema_bytes: usize,
    /// The description of `search_tools` with the index of what is behind, in bytes. Default: 900.
    pub description_bytes: usize,
    /// Which tools call others: "one", the default, or "by-effect", which also lists `call_read_only_tool`.
    pub executors: Executors,
    /// The weight of a word by the place where a tool has it, from 0 (not searched) to 1000. Default: 3 for `name` and
    /// `keywords`; 1 for `title`, `brief`, `description`, `upstream` and `parameters`; 0.5 for `category` and
    /// `parameter_descriptions`.
    pub weights: Weights,
    /// Words, and the words that a query with them also finds, beside the built-in ones.
    pub synonyms: HashMap<String, Vec<String>>,
    /// Whether the log has the words of searches that find nothing or only weak hits. They are a user's. Default: false.
    pub log_misses: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            hits: HITS,
            most_hits: MOST_HITS,
            schema_bytes: 8 * 1024,
            answer_bytes: 24 * 1024,
            whole_schema_bytes: 64 * 1024,
            description_bytes: 900,
            executors: Executors::default(),
            weights: Weights::default(),
            synonyms: HashMap::new(),
            log_misses: false,
        }
    }
}

impl SearchConfig {
    /// The settings of the built-in ranker.
    pub fn ranking(&self) -> LexicalSettings {
        LexicalSettings { weights: self.weights, synonyms: self.synonyms.clone() }
    }
}

fn hits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NonZeroUsize, D::Error> {
    at_least_one("hits", deserializer)
}

fn most_hits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NonZeroUsize, D::Error> {
    at_least_one("most_hits", deserializer)
}

/// A number, with errors that name its key.
fn at_least_one<'de, D: Deserializer<'de>>(key: &str, deserializer: D) -> Result<NonZeroUsize, D::Error> {
    let named = |error| D::Error::custom(format_args!("{key} must be a number from 1: {error}"));
    NonZeroUsize::deserialize(deserializer).map_err(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_of_hits_are_at_least_one() {
        for key in ["hits", "most_hits"] {
            let error = serde_json::from_value::<SearchConfig>(json!({key: 0})).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{key} must be a number from 1")), "{error}");
        }
    }
}
