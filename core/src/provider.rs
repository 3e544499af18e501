//! Upstreams as providers of what a snapshot has: what each says of itself as a whole, and the groups that it offers.

use serde::{Deserialize, Serialize};

use crate::{
    assembly::UpstreamLists,
    brief::Product,
    name::UpstreamName,
    origin::Origin,
    raw::RawObject,
    view::{View, VisibleTool},
};

/// An upstream as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name here.
    pub name: UpstreamName,
    /// Its product, as it is spelled for people; `None` if it is not titled.
    pub title: Option<String>,
    /// What it says of itself, in one sentence.
    pub description: Option<String>,
    /// Its `instructions` for models.
    pub instructions: Option<String>,
    /// The groups that it offers, in its order (`io.modelcontextprotocol/groups`).
    pub groups: Vec<OwnGroup>,
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
        let Origin { product, description } = Origin::of(lists);
        let instructions = lists.instructions.clone().filter(|text| !text.trim().is_empty());
        Self {
            name: lists.name.clone(),
            title: product.as_ref().map(Product::title).map(str::to_owned),
            description,
            instructions,
            groups: lists.groups.clone(),
        }
    }
}

impl View {
    /// An upstream as a whole, if anything of it is permitted.
    pub fn provider(&self, upstream: &str) -> Option<&Provider> {
        self.providers().find(|provider| *provider.name == *upstream)
    }

    /// The upstreams of which anything is permitted, in their order, whether it is listed or not.
    pub fn providers(&self) -> impl Iterator<Item = &Provider> {
        self.snapshot().providers().iter().filter(|provider| self.permits_any_of(&provider.name))
    }
}

impl VisibleTool<'_> {
    /// The category that the operator put it in.
    pub fn declared_category(&self) -> Option<&str> {
        self.tool().supplement().category.as_deref()
    }
}
