//! Settings of `search`: the section `[strategy.search]`.

use std::{collections::HashMap, num::NonZeroUsize};

use mcp_disclosure_core::{Executors, settings};
use mcp_disclosure_ranking::{LexicalSettings, Weights};
use serde::Deserialize;

const HITS: NonZeroUsize = NonZeroUsize::new(5).unwrap();
const MOST_HITS: NonZeroUsize = NonZeroUsize::new(50).unwrap();

settings! {
    /// The settings of the strategy.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SearchConfig {
        /// The number of hits if a search does not say. Default: 5.
        pub hits: NonZeroUsize = HITS,
        /// The maximum number of hits that a search can ask for. Default: 50.
        pub most_hits: NonZeroUsize = MOST_HITS,
        /// The definition of one hit up to this size is part of the answer, in bytes. Default: 8192.
        pub schema_bytes: usize = 8 * 1024,
        /// All definitions of an answer, in bytes. Default: 24576.
        pub answer_bytes: usize = 24 * 1024,
        /// The definition of a tool that is asked for alone and in full (`"limit": 1, "detail": "full"`), in bytes.
        /// Default: 65536.
        pub whole_schema_bytes: usize = 64 * 1024,
        /// The description of `search_tools` with the index of what is behind, in bytes. Default: 900.
        pub description_bytes: usize = 900,
        /// Which tools call others: "one", the default, or "by-effect", which also lists `call_read_only_tool`.
        pub executors: Executors = Executors::default(),
        /// The weight of a word by the place where a tool has it, from 0 (not searched) to 1000. Default: 3 for `name` and
        /// `keywords`; 1 for `title`, `brief`, `description`, `upstream` and `parameters`; 0.5 for `category` and
        /// `parameter_descriptions`.
        pub weights: Weights = Weights::default(),
        /// Words, and the words that a query with them also finds, beside the built-in ones.
        pub synonyms: HashMap<String, Vec<String>> = HashMap::new(),
        /// Whether the log has the words of searches that find nothing or only weak hits. They are a user's. Default: false.
        pub log_misses: bool = false,
    }
}

impl SearchConfig {
    /// The settings of the built-in ranker.
    pub fn ranking(&self) -> LexicalSettings {
        LexicalSettings { weights: self.weights, synonyms: self.synonyms.clone() }
    }
}
