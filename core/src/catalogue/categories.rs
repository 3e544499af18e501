//! The listed tools of a view by category: sorted once per view, since every answer about categories needs it.
//!
//! A tool is in the operator's category for it, else in its server's own, else in one that is found by the words of the tools'
//! names (`words`), upstream by upstream. Categories of several upstreams whose tools are defined alike are one. All depends on
//! nothing but what is listed.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::{
    brief::in_a_line,
    catalogue::{provider::OwnGroup, tool::Tool, view::View, visible_tool::VisibleTool, words},
    name::Kind,
};

/// The categories of a view, with their tools as positions in the snapshot.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    sorted: Vec<Sorted>,
    /// By every name that means exactly one.
    places: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct Sorted {
    /// The upstreams whose category it is, each with the same tools; none if it is the operator's. Of a shared `other`, the first.
    upstreams: Vec<String>,
    /// Its name there; that of the first, where they differ.
    own: String,
    /// Its other names there.
    others: Vec<String>,
    name: String,
    description: String,
    tools: Vec<usize>,
}

impl Categories {
    /// Sorts a view's tools: declared categories first, then others in the order of their upstreams. Empty ones are left out.
    pub(crate) fn of(view: &View) -> Self {
        let mut declared: Vec<Sorted> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let about =
            view.about().categories.iter().map(|category| (&*category.name, category.description.trim()));
        let used = view.listed().filter_map(|(_, tool)| Some((tool.supplement().category.as_deref()?, "")));
        for (name, description) in about.chain(used) {
            places.entry(name).or_insert_with(|| {
                declared.push(Sorted {
                    own: name.into(),
                    description: description.into(),
                    ..Sorted::default()
                });
                declared.len() - 1
            });
        }
        let mut unsorted: Vec<(&str, Vec<(usize, &Tool)>)> = Vec::new();
        // What a server's own `info` is for, the strategy of that name does.
        for (at, tool) in view.listed().filter(|(at, _)| !view.at(*at).is_own_info()) {
            match &tool.supplement().category {
                Some(category) => declared[places[&**category]].tools.push(at),
                None => match unsorted.iter_mut().rfind(|(upstream, _)| **upstream == **tool.upstream()) {
                    Some((_, tools)) => tools.push((at, tool)),
                    None => unsorted.push((tool.upstream(), vec![(at, tool)])),
                },
            }
        }
        declared.retain(|category| !category.tools.is_empty());
        let has_several = unsorted.len() > 1;
        let found = unsorted.into_iter().flat_map(|(upstream, tools)| of_upstream(view, upstream, tools));
        let found = if has_several { with_one_other(joined(view, found)) } else { found.collect() };
        Self::named(declared.into_iter().chain(found).collect())
    }

    /// Names categories: as they are called where they come from, with their upstream in front where others are called the same.
    fn named(mut sorted: Vec<Sorted>) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        sorted.iter().for_each(|category| *counts.entry(category.own.clone()).or_default() += 1);
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut meant: HashMap<String, usize> = HashMap::new();
        for (place, category) in sorted.iter_mut().enumerate() {
            let own = &category.own;
            let full: Vec<String> =
                category.upstreams.iter().map(|upstream| format!("{upstream}/{own}")).collect();
            let plain = full.first().filter(|_| counts[own] > 1).unwrap_or(own).clone();
            let numbered = (2..).map(|number| format!("{plain} {number}"));
            let mut names = std::iter::once(plain.clone()).chain(numbered);
            category.name = names.find(|name| !places.contains_key(name)).unwrap_or(plain);
            places.insert(category.name.clone(), place);
            for name in full.into_iter().chain(category.others.iter().cloned()) {
                meant.entry(name).or_insert(place);
            }
        }
        meant.into_iter().for_each(|(name, place)| {
            places.entry(name).or_insert(place);
        });
        Self { sorted, places }
    }
}

/// Categories of several upstreams whose tools are defined alike, each as one that says whose it is.
fn joined(view: &View, found: impl Iterator<Item = Sorted>) -> Vec<Sorted> {
    let mut joined: Vec<Sorted> = Vec::new();
    let mut places: HashMap<Vec<&str>, usize> = HashMap::new();
    for category in found {
        let tools = category.tools.iter().map(|at| view.at(*at).tool().original().text()).collect();
        match places.entry(tools) {
            Entry::Vacant(place) => {
                place.insert(joined.len());
                joined.push(category);
            }
            Entry::Occupied(place) => {
                let same = &mut joined[*place.get()];
                same.upstreams.extend(category.upstreams);
                same.tools.extend(category.tools);
                same.others.extend(Some(category.own).filter(|own| *own != same.own));
            }
        }
    }
    for category in joined.iter_mut().filter(|category| category.upstreams.len() > 1) {
        let servers = format!("The same at {}.", category.upstreams.join(", "));
        category.description = format!("{} {servers}", category.description).trim_start().to_owned();
    }
    joined
}

/// What is left over of all upstreams is one category, as far as there is room.
fn with_one_other(found: Vec<Sorted>) -> Vec<Sorted> {
    let is_left = |category: &Sorted| category.own == words::OTHER && category.description.is_empty();
    let (left, mut sorted): (Vec<Sorted>, Vec<Sorted>) = found.into_iter().partition(is_left);
    for category in left {
        let has_room =
            |last: &&mut Sorted| is_left(last) && last.tools.len() + category.tools.len() <= words::MOST;
        match sorted.last_mut().filter(has_room) {
            Some(other) => {
                let names = category.upstreams.iter().map(|upstream| format!("{upstream}/{}", words::OTHER));
                other.others.extend(names);
                other.tools.extend(category.tools);
            }
            None => sorted.push(category),
        }
    }
    sorted
}

/// The categories of an upstream's tools that are in none of the operator's.
fn of_upstream(view: &View, upstream: &str, mut tools: Vec<(usize, &Tool)>) -> Vec<Sorted> {
    let category = |own: String, description: String, tools: Vec<usize>| Sorted {
        upstreams: vec![upstream.to_owned()],
        own,
        description,
        tools,
        ..Sorted::default()
    };
    let mut categories = Vec::new();
    let provider = view.provider(upstream);
    let groups = provider.map(|provider| &*provider.groups).unwrap_or_default();
    let permitted = (!groups.is_empty()).then(|| PermittedItems::of(view, upstream));
    let is_told =
        provider.is_none_or(|provider| provider.info.is_none()) || view.own_info(upstream).is_some();
    for group in groups {
        let names: HashSet<&str> = group.tools.iter().map(String::as_str).collect();
        let (own, others) =
            tools.into_iter().partition(|(_, tool)| names.contains(tool.upstream_name().as_str()));
        tools = others;
        if !own.is_empty() {
            let mut own: Vec<(usize, &Tool)> = own;
            let place =
                |tool: &Tool| group.tools.iter().position(|name| *name == *tool.upstream_name().as_str());
            own.sort_by_key(|(_, tool)| place(tool));
            // The description of a group may be about tools that are withheld from the caller.
            let is_whole =
                is_told && permitted.as_ref().is_some_and(|permitted| permitted.have_all_of(group));
            let description = if is_whole { in_a_line(&group.description) } else { String::new() };
            categories.push(category(
                group.name.clone(),
                description,
                own.into_iter().map(|(at, _)| at).collect(),
            ));
        }
    }
    let described = |tool: &Tool| tool.original().string("description").unwrap_or_default();
    let descriptions: Vec<String> = tools.iter().map(|(_, tool)| described(tool)).collect();
    let names = tools.iter().map(|(_, tool)| tool.upstream_name().as_str());
    let names: Vec<(&str, &str)> = names.zip(descriptions.iter().map(String::as_str)).collect();
    for (word, members) in words::sorted(&names) {
        let said = || provider.and_then(|provider| provider.description.clone());
        let description = if word.is_none() { said() } else { None };
        let members = members.into_iter().map(|at| tools[at].0).collect();
        categories.push(category(
            word.unwrap_or_else(|| upstream.to_owned()),
            description.unwrap_or_default(),
            members,
        ));
    }
    categories.retain(|category| !category.tools.is_empty());
    categories
}

/// A category in one view. It has at least one tool.
#[derive(Clone, Copy, Debug)]
pub struct ListedCategory<'v> {
    view: &'v View,
    sorted: &'v Sorted,
}

impl<'v> ListedCategory<'v> {
    /// All categories of a view, in order.
    pub(crate) fn all(view: &'v View, categories: &'v Categories) -> impl ExactSizeIterator<Item = Self> {
        categories.sorted.iter().map(move |sorted| Self { view, sorted })
    }

    /// The category of this name.
    pub(crate) fn named(view: &'v View, categories: &'v Categories, name: &str) -> Option<Self> {
        let place = *categories.places.get(name)?;
        Some(Self { view, sorted: &categories.sorted[place] })
    }

    /// Its name.
    pub fn name(self) -> &'v str {
        &self.sorted.name
    }

    /// Its name where it comes from. The name in the view has the upstream in front where others are called the same.
    pub fn own_name(self) -> &'v str {
        &self.sorted.own
    }

    /// What it is for: as the operator or its server says; of an upstream as a whole, what it says of itself. Empty if nothing is
    /// said.
    pub fn description(self) -> &'v str {
        &self.sorted.description
    }

    /// Whether it is the operator's.
    pub fn is_declared(self) -> bool {
        self.sorted.upstreams.is_empty()
    }

    /// The upstreams whose category it is, each of which has the same tools; none if it is the operator's. Of a shared
    /// `other`, the first.
    pub fn servers(self) -> &'v [String] {
        &self.sorted.upstreams
    }

    /// Its listed tools.
    pub fn tools(self) -> impl ExactSizeIterator<Item = VisibleTool<'v>> {
        self.sorted.tools.iter().map(move |at| self.view.at(*at))
    }

    /// Those of the first of its upstreams, which the others define alike.
    pub fn tools_of_one(self) -> impl ExactSizeIterator<Item = VisibleTool<'v>> {
        self.tools().take(self.tools().len() / self.servers().len().max(1))
    }
}

/// What exists of an upstream for a caller, listed or not, by the upstream's own names.
#[derive(Debug)]
pub struct PermittedItems<'v> {
    items: HashSet<(Kind, &'v str)>,
    /// Whether nothing is withheld.
    pub(super) is_whole: bool,
}

impl<'v> PermittedItems<'v> {
    /// What exists of an upstream in a view.
    pub fn of(view: &'v View, upstream: &str) -> Self {
        let mut permitted = Self { items: HashSet::new(), is_whole: true };
        for kind in Kind::ALL {
            for (one, is_permitted) in view.all_of(kind).filter(|(one, _)| **one.upstream() == *upstream) {
                permitted.is_whole &= is_permitted;
                permitted.items.extend(is_permitted.then(|| (kind, one.own_key())));
            }
        }
        permitted
    }

    fn have(&self, kind: Kind, name: &str) -> bool {
        self.items.contains(&(kind, name))
    }

    /// Whether every member of a group exists, apart from the groups in it. Of a group without any, whose texts may be about
    /// anything of the upstream, that is everything of the upstream.
    pub fn have_all_of(&self, group: &OwnGroup) -> bool {
        (group.has_members() || self.is_whole)
            && group.tools.iter().all(|name| self.have(Kind::Tools, name))
            && group.prompts.iter().all(|name| self.have(Kind::Prompts, name))
            && group.resources.iter().all(|uri| self.have(Kind::Resources, uri))
    }

    /// Groups with these members alone. A group without any of them is left out, and the texts of one that lacks a member are not
    /// shown.
    pub(super) fn within(&self, mut groups: Vec<OwnGroup>) -> Vec<OwnGroup> {
        groups.retain_mut(|group| {
            let size = |group: &OwnGroup| group.tools.len() + group.prompts.len() + group.resources.len();
            let before = size(group);
            group.groups.clear();
            group.tools.retain(|name| self.have(Kind::Tools, name));
            group.prompts.retain(|name| self.have(Kind::Prompts, name));
            group.resources.retain(|uri| self.have(Kind::Resources, uri));
            if size(group) < before {
                (group.description, group.meta, group.instructions) = (String::new(), None, None);
            }
            size(group) > 0
        });
        groups
    }
}

#[cfg(test)]
#[path = "categories_tests.rs"]
mod tests;
