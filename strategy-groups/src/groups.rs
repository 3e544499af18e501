//! The groups of a view, findable by name.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use mcp_disclosure_core::{Digest, Kind, RawObject, ToolName, View, full::with_host_hints};

use crate::{
    GroupsConfig,
    slug::{Origin, slug},
};

/// A group: tools, prompts and resources that are used together, and groups nested in it.
#[derive(Debug)]
pub struct Group {
    /// Its name, unique in the view.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// The same with the number of its tools, as it is listed.
    pub description: String,
    /// How its members are used.
    pub instructions: Option<String>,
    /// The names of its tools in this view.
    pub tools: Vec<ToolName>,
    /// The names of its prompts.
    pub prompts: Vec<String>,
    /// The URIs of its resources.
    pub resources: Vec<String>,
    /// The positions of nested groups.
    pub(crate) children: Vec<usize>,
    /// The number of tools in it and below it.
    pub count: usize,
    pub(crate) origin: Origin,
    /// The MCP `Group` object.
    pub object: RawObject,
    /// The result of `groups/get`, made at first use.
    pub(crate) text: OnceLock<RawObject>,
}

/// The groups of a view.
#[derive(Debug)]
pub struct Groups {
    all: Vec<Group>,
    top: Vec<usize>,
    by_name: HashMap<String, usize>,
    /// Each tool that is in a group, with the first that has it.
    tools: HashMap<ToolName, usize>,
    /// The prompts and resources that are in a group, and so not in the ordinary lists.
    pub(crate) prompts: HashSet<String>,
    pub(crate) resources: HashSet<String>,
    /// Instructions that are in no group.
    pub(crate) instructions: Option<String>,
    digest: Digest,
}

impl Groups {
    /// The groups of a view, computed once for each.
    pub fn of(view: &View, config: &GroupsConfig) -> Arc<Self> {
        view.derived_with(config, Self::made_of)
    }

    pub(crate) fn new(all: Vec<Group>, top: Vec<usize>, instructions: Option<String>) -> Self {
        let by_name = all.iter().enumerate().map(|(at, group)| (group.name.clone(), at)).collect();
        let (mut tools, mut prompts, mut resources) = (HashMap::new(), HashSet::new(), HashSet::new());
        for (at, group) in all.iter().enumerate() {
            group.tools.iter().for_each(|tool| _ = tools.entry(tool.clone()).or_insert(at));
            prompts.extend(group.prompts.iter().cloned());
            resources.extend(group.resources.iter().cloned());
        }
        let digest = Digest::of_parts(top.iter().map(|at| all[*at].object.text()));
        Self { all, top, by_name, tools, prompts, resources, instructions, digest }
    }

    /// Those that are not nested, in order.
    pub fn top(&self) -> impl ExactSizeIterator<Item = &Group> {
        self.top.iter().map(|at| &self.all[*at])
    }

    /// All, in the order in which they were made.
    pub fn all(&self) -> &[Group] {
        &self.all
    }

    /// The groups nested in one.
    pub fn children<'g>(&'g self, group: &'g Group) -> impl ExactSizeIterator<Item = &'g Group> {
        group.children.iter().map(|at| &self.all[*at])
    }

    /// The group of exactly this name, nested or not.
    pub fn named(&self, name: &str) -> Option<&Group> {
        self.by_name.get(name).map(|at| &self.all[*at])
    }

    /// The group that a model means: by its name as written by hand, or by a category or upstream.
    pub fn meant(&self, name: &str) -> Option<&Group> {
        let is_meant = |origin: &Origin| {
            !matches!(origin, Origin::Own(..)) && origin.text().eq_ignore_ascii_case(name.trim())
        };
        let by_origin = || self.all.iter().find(|group| is_meant(&group.origin));
        self.named(name).or_else(by_origin).or_else(|| self.named(&slug(name)))
    }

    /// The first group that has a tool.
    pub fn with_tool(&self, tool: &str) -> Option<&Group> {
        self.tools.get(tool).map(|at| &self.all[*at])
    }

    /// The digest of the groups that are not nested, as they are listed.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The result of `groups/get`: instructions, and complete definitions as `full` lists them.
    pub fn contents(&self, view: &View, group: &Group) -> RawObject {
        group.text.get_or_init(|| self.made(view, group)).clone()
    }

    fn made(&self, view: &View, group: &Group) -> RawObject {
        let tools = group.tools.iter().filter_map(|name| Some(with_host_hints(view.tool(name)?)));
        let of = |kind, keys: &[String]| -> Vec<RawObject> {
            keys.iter().filter_map(|key| Some(view.text(view.entry(kind, key)?))).collect()
        };
        let parts: [(&str, Vec<RawObject>); 4] = [
            ("tools", tools.collect()),
            ("prompts", of(Kind::Prompts, &group.prompts)),
            ("resources", of(Kind::Resources, &group.resources)),
            ("groups", self.children(group).map(|child| child.object.clone()).collect()),
        ];
        let filled = parts.iter().filter(|(_, items)| !items.is_empty());
        let contents =
            filled.fold(RawObject::empty(), |contents, (member, items)| contents.with_list(member, items));
        let given = group.instructions.iter();
        let result = given.fold(RawObject::empty(), |result, text| result.with_value("instructions", text));
        if contents.is_empty() { result } else { result.with("contents", contents.text()) }
    }
}
