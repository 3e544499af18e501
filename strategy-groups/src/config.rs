//! Settings of `groups`: the section `[strategy.groups]`.

use std::{collections::BTreeMap, num::NonZeroUsize};

use mcp_disclosure_core::{CHEAP_SCHEMA_BYTES, Executors, index::MAX_BYTES, settings};
use serde::Deserialize;

const PAGE: NonZeroUsize = NonZeroUsize::new(100).unwrap();

settings! {
    /// The settings of the strategy.
    #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct GroupsConfig {
        /// Texts for models on how the tools of a group are used together, by the group's name.
        pub instructions: BTreeMap<String, String> = BTreeMap::new(),
        #[cfg(feature = "drafts")]
        /// Deterministic groups, an experiment of the working group: the lists of clients that do not declare groups are complete,
        /// and `experimental/groups/list` and `experimental/groups/expand` have the groups that tools name in `_meta`.
        pub deterministic: bool = false,
        #[cfg(feature = "drafts")]
        /// What the deterministic groups are for, by id.
        pub directory: BTreeMap<String, String> = BTreeMap::new(),
        /// Tools that would be a group of their own are listed at the top instead, if their definitions have at most this many
        /// bytes more than the group's entry; 0: never. Groups that the operator declares or an upstream offers always stay.
        /// Default: 200.
        pub inline_bytes: usize = CHEAP_SCHEMA_BYTES,
        /// The number of groups on a page of `groups/list`. Default: 100.
        pub page: NonZeroUsize = PAGE,
        /// The definitions in an answer of `get_group`, in bytes. Of others it has names and briefs, as many bytes again with the
        /// names of groups, prompts and resources. Default: 24576.
        pub answer_bytes: usize = 24 * 1024,
        /// The description of `get_group` with the index of what is behind, in bytes. Default: 2000.
        pub description_bytes: usize = MAX_BYTES,
        /// Which tools call others: "one", the default, or "by-effect", which also lists `call_read_only_tool`.
        pub executors: Executors = Executors::default(),
    }
}
