//! Upstreams as providers of what a snapshot has: what each says of itself as a whole, and the groups that it offers.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    brief::{first_sentence, in_a_line},
    catalogue::lists::UpstreamLists,
    name::{Kind, UpstreamName},
    raw::RawObject,
};

/// An upstream as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name here.
    pub name: UpstreamName,
    /// Its `serverInfo.title`.
    pub title: Option<String>,
    /// What it says of itself, in one sentence: `serverInfo.description`, or else from its `instructions`.
    pub description: Option<String>,
    /// Its `instructions` for models.
    pub instructions: Option<String>,
    /// The groups that it offers, in its order (`io.modelcontextprotocol/groups`).
    pub groups: Vec<OwnGroup>,
    /// What it says by an `info` tool of its own.
    pub info: Option<Arc<OwnInfo>>,
    /// Whether everything that it lists exists: what it says of itself may be about what the operator hides.
    pub(crate) is_whole: bool,
}

/// What an upstream says of itself by an `info` tool of its own (three-level-info): its answers, as it gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnInfo {
    /// Its `serverInfo`.
    pub server_info: RawObject,
    /// The overview.
    pub overview: RawObject,
    /// Its categories by name.
    pub categories: BTreeMap<String, RawObject>,
    /// Its tools by name.
    pub tools: BTreeMap<String, RawObject>,
}

impl OwnInfo {
    /// The name of the tool.
    pub const TOOL: &str = "info";
}

/// A group that an upstream offers. Members are called as the upstream calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnGroup {
    /// The group's name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: String,
    /// Its `_meta`.
    pub meta: Option<RawObject>,
    /// How models use its members.
    pub instructions: Option<String>,
    /// Whether `groups/list` has it: others are nested.
    pub is_top: bool,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// The names of its prompts.
    pub prompts: Vec<String>,
    /// The URIs of its resources.
    pub resources: Vec<String>,
    /// The names of the groups nested in it.
    pub groups: Vec<String>,
}

impl OwnGroup {
    /// Whether it says what is in it.
    pub fn has_members(&self) -> bool {
        let Self { tools, prompts, resources, groups, .. } = self;
        [tools, prompts, resources, groups].iter().any(|names| !names.is_empty())
    }
}

impl Provider {
    /// An upstream of whose lists this much exists.
    pub(crate) fn of(lists: &UpstreamLists, count: usize) -> Self {
        let said = |member: &str| lists.server_info.string(member).filter(|text| !text.trim().is_empty());
        let description = said("description").and_then(|text| first_sentence(&text));
        let instructed = || first_sentence(lists.instructions.as_deref()?);
        let instructions = lists.instructions.clone().filter(|text| !text.trim().is_empty());
        Self {
            name: lists.name.clone(),
            title: said("title").as_deref().map(in_a_line),
            description: description.or_else(instructed),
            instructions,
            groups: lists.groups.clone(),
            info: lists.info.clone(),
            is_whole: Kind::ALL.into_iter().map(|kind| lists.of(kind).len()).sum::<usize>() == count,
        }
    }
}
