//! Upstreams as providers of what a snapshot has: what each says of itself as a whole, and the groups that it offers.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{
    assembly::UpstreamLists,
    name::UpstreamName,
    origin::Origin,
    raw::RawObject,
    snapshot::Kind,
    view::{View, VisibleTool},
};

/// An upstream as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name here.
    pub name: UpstreamName,
    /// Its `serverInfo.title`.
    pub title: Option<String>,
    /// What it says of itself, in one sentence.
    pub description: Option<String>,
    /// Its `instructions` for models.
    pub instructions: Option<String>,
    /// The groups that it offers, in its order (`io.modelcontextprotocol/groups`).
    pub groups: Vec<OwnGroup>,
    /// What it says by an `info` tool of its own.
    pub info: Option<Arc<OwnInfo>>,
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

impl Provider {
    pub(crate) fn of(lists: &UpstreamLists) -> Self {
        let Origin { title, description } = Origin::of(lists);
        let instructions = lists.instructions.clone().filter(|text| !text.trim().is_empty());
        Self {
            name: lists.name.clone(),
            title,
            description,
            instructions,
            groups: lists.groups.clone(),
            info: lists.info.clone(),
        }
    }
}

impl View {
    /// The upstream of this name as a whole. `None` if there is none, or if nothing of it is permitted.
    pub fn provider(&self, upstream: &str) -> Option<&Provider> {
        let named = self.snapshot().providers().iter().find(|provider| *provider.name == *upstream);
        named.filter(|provider| self.permits_any_of(&provider.name))
    }

    /// What an upstream says by an `info` tool of its own, where nothing of the upstream is withheld from the caller.
    pub fn own_info(&self, upstream: &str) -> Option<&OwnInfo> {
        self.provider(upstream)?.info.as_deref().filter(|_| self.permits_all_of(upstream))
    }

    /// The upstreams of which anything is permitted, in their order, whether it is listed or not.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.snapshot().providers().iter().filter(|provider| self.permits_any_of(&provider.name))
    }
}

/// What exists of an upstream for a caller, listed or not, by the upstream's own names.
#[derive(Debug)]
pub struct Possessions<'v> {
    tools: HashSet<&'v str>,
    prompts: HashSet<&'v str>,
    resources: HashSet<&'v str>,
    is_whole: bool,
}

impl<'v> Possessions<'v> {
    /// What exists of an upstream in a view.
    pub fn of(view: &'v View, upstream: &str) -> Self {
        let mut is_whole = true;
        let mut permitted = |kind| {
            let named = view.names_of(kind).filter(|named| **named.upstream == *upstream);
            let (permitted, withheld): (Vec<_>, Vec<_>) = named.partition(|named| named.is_permitted);
            is_whole &= withheld.is_empty();
            permitted.into_iter().map(|named| named.key).collect()
        };
        let _templates: HashSet<&str> = permitted(Kind::Templates);
        let [tools, prompts, resources] = [Kind::Tools, Kind::Prompts, Kind::Resources].map(permitted);
        Self { tools, prompts, resources, is_whole }
    }

    /// Whether every member of a group exists, apart from the groups in it. Of a group without any, whose texts may be about
    /// anything of the upstream, that is everything of the upstream.
    pub fn have_all_of(&self, group: &OwnGroup) -> bool {
        let have =
            |own: &HashSet<&str>, names: &[String]| names.iter().all(|name| own.contains(name.as_str()));
        let has_members = !(group.tools.is_empty()
            && group.prompts.is_empty()
            && group.resources.is_empty()
            && group.groups.is_empty());
        let members = [
            (&self.tools, &group.tools),
            (&self.prompts, &group.prompts),
            (&self.resources, &group.resources),
        ];
        (has_members || self.is_whole) && members.iter().all(|(own, names)| have(own, names))
    }
}

impl VisibleTool<'_> {
    /// Whether it is an `info` tool by which its upstream says what this program knows of it anyway.
    pub fn is_own_info(&self) -> bool {
        let tool = self.tool();
        tool.upstream_name().as_str() == OwnInfo::TOOL
            && self.view().provider(tool.upstream().as_str()).is_some_and(|provider| provider.info.is_some())
    }

    /// The category that the operator put it in.
    pub fn declared_category(&self) -> Option<&str> {
        self.tool().supplement().category.as_deref()
    }
}
