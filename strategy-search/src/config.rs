//! Settings of `search`: the section `[strategy.search]`.

use std::collections::HashMap;

use mcp_disclosure_core::Executors;
use mcp_disclosure_ranking::{LexicalSettings, Weights};
use serde::Deserialize;

/// The settings of the strategy.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// The number of hits if a search does not say.
    pub hits: usize,
    /// The maximum number of hits that a search can ask for.
    pub most_hits: usize,
    /// The definition of one hit up to this size is part of the answer, in bytes.
    pub schema_bytes: usize,
    /// All definitions of an answer, in bytes.
    pub answer_bytes: usize,
    /// The definition of a tool that is asked for alone and in full (`"limit": 1, "detail": "full"`), in bytes.
    pub whole_schema_bytes: usize,
    /// The description of `search_tools` with the index of what is behind, in bytes.
    pub description_bytes: usize,
    /// Which tools call others (docs/CONTRACT.md S1).
    pub executors: Executors,
    /// The weight of a word by the place where a tool has it.
    pub weights: Weights,
    /// Words, and the words that can stand for them, beside the built-in ones.
    pub synonyms: HashMap<String, Vec<String>>,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            hits: 5,
            most_hits: 50,
            schema_bytes: 8 * 1024,
            answer_bytes: 24 * 1024,
            whole_schema_bytes: 64 * 1024,
            description_bytes: 900,
            executors: Executors::default(),
            weights: Weights::default(),
            synonyms: HashMap::new(),
        }
    }
}

impl SearchConfig {
    /// The settings of the built-in ranker.
    pub fn ranking(&self) -> LexicalSettings {
        LexicalSettings { weights: self.weights, synonyms: self.synonyms.clone() }
    }
}
