//! Settings of `groups`: the section `[strategy.groups]`.

use std::{collections::BTreeMap, num::NonZeroUsize};

use mcp_disclosure_core::{CHEAP_SCHEMA_BYTES, Executors, index::MAX_BYTES};
use serde::Deserialize;

const PAGE: NonZeroUsize = NonZeroUsize::new(100).unwrap();

/// The settings of the strategy.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroupsConfig {
    /// Texts for models on how the tools of a group are used together, by the group's name.
    pub instructions: BTreeMap<String, String>,
    /// Deterministic groups, an experiment of the working group: the lists of clients that do not declare groups are complete,
    /// and `experimental/groups/list` and `experimental/groups/expand` have the groups that tools name in `_meta`.
    #[cfg(feature = "drafts")]
    pub deterministic: bool,
    /// What the deterministic groups are for, by id.
    #[cfg(feature = "drafts")]
    pub directory: BTreeMap<String, String>,
    /// Tools that would be a group of their own are listed at the top instead, if their definitions have at most this many
    /// bytes more than the group's entry; 0: never. Groups that the operator declares or an upstream offers always stay.
    /// Default: 200.
    pub inline_bytes: usize,
    /// The number of groups on a page of `groups/list`. Default: 100.
    pub page: NonZeroUsize,
    /// The definitions in an answer of `get_group`, in bytes. Of others it has names and briefs, as many bytes again with the
    /// names of groups, prompts and resources. Default: 24576.
    pub answer_bytes: usize,
    /// The description of `get_group` with the index of what is behind, in bytes. Default: 2000.
    pub description_bytes: usize,
    /// Which tools call others: "one", the default, or "by-effect", which also lists `call_read_only_tool`.
    pub executors: Executors,
}

impl Default for GroupsConfig {
    fn default() -> Self {
        Self {
            instructions: BTreeMap::new(),
            #[cfg(feature = "drafts")]
            deterministic: false,
            #[cfg(feature = "drafts")]
            directory: BTreeMap::new(),
            inline_bytes: CHEAP_SCHEMA_BYTES,
            page: PAGE,
            answer_bytes: 24 * 1024,
            description_bytes: MAX_BYTES,
            executors: Executors::default(),
        }
    }
}
