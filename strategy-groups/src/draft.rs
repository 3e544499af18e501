//! Groups before they have names: what belongs together, and what is nested in what.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::Hash,
};

use mcp_disclosure_core::{
    Kind, ListedCategory, OwnGroup, PermittedItems, Provider, RawObject, ToolName, View, VisibleTool,
};

use crate::slug::Origin;

/// The bytes of a group's entry in a list beside its name and description.
const FRAME: usize = 40;
/// How deep groups are nested.
const MOST_NESTED: usize = 64;

/// A group before it has a name.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) origin: Origin,
    pub(crate) title: Option<String>,
    /// `None` to make one of its members.
    pub(crate) description: Option<String>,
    pub(crate) meta: Option<RawObject>,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Vec<ToolName>,
    pub(crate) prompts: Vec<String>,
    pub(crate) resources: Vec<String>,
    /// Their positions among the drafts.
    pub(crate) children: Vec<usize>,
    /// Whether its instructions are enough: it never had members, or those that are left are pinned, and so listed elsewhere.
    is_for_text: bool,
}

impl Draft {
    /// Whether there is nothing to show: no contents, nor instructions that are enough. Only what an upstream offers for its
    /// instructions alone has these, and what pins emptied, whose tools need the instructions all the same.
    fn is_empty(&self) -> bool {
        let items = [self.tools.len(), self.prompts.len(), self.resources.len(), self.children.len()];
        items == [0; 4] && !(self.is_for_text && self.instructions.is_some())
    }
}

/// The drafts of a view.
#[derive(Debug)]
pub(crate) struct Drafts<'v> {
    view: &'v View,
    pub(crate) all: Vec<Draft>,
    /// Those that are not nested. What they do not lead to is no group.
    pub(crate) top: Vec<usize>,
    /// The draft of each upstream that has one.
    upstreams: HashMap<&'v str, usize>,
    /// Whether there are several upstreams, whose categories are nested.
    nests: bool,
    inline_bytes: usize,
}

impl<'v> Drafts<'v> {
    /// The drafts of a view. Pinned tools are in none.
    pub(crate) fn of(view: &'v View, inline_bytes: usize) -> Self {
        let upstreams: HashSet<&str> = view.tools().map(|tool| tool.tool().upstream().as_str()).collect();
        let nests = upstreams.len() > 1;
        let (all, top, upstreams) = (Vec::new(), Vec::new(), HashMap::new());
        let mut drafts = Self { view, all, top, upstreams, nests, inline_bytes };
        drafts.add_categories();
        drafts.add_own_groups();
        let top = std::mem::take(&mut drafts.top).into_iter();
        drafts.top = top.filter(|at| !drafts.is_cheap(&drafts.all[*at])).collect();
        drafts.unwrap();
        drafts.prune();
        drafts
    }

    /// These groups and those below them, in the order in which they were made.
    pub(crate) fn below(&self, from: &[usize]) -> BTreeSet<usize> {
        let (mut seen, mut next) = (BTreeSet::new(), from.to_vec());
        while let Some(at) = next.pop() {
            if seen.insert(at) {
                next.extend(&self.all[at].children);
            }
        }
        seen
    }

    fn add(&mut self, draft: Draft) -> usize {
        self.all.push(draft);
        self.all.len() - 1
    }

    /// The draft of an upstream.
    fn upstream(&mut self, name: &'v str) -> usize {
        if let Some(at) = self.upstreams.get(name) {
            return *at;
        }
        let provider = self.view.provider(name);
        let at = self.add(Draft {
            origin: Origin::Upstream(name.to_owned()),
            title: provider.and_then(|provider| provider.title.clone()),
            description: provider.and_then(|provider| provider.description.clone()),
            // One upstream's instructions are those of the whole server.
            instructions: provider.filter(|_| self.nests).and_then(|provider| provider.instructions.clone()),
            ..Draft::default()
        });
        self.upstreams.insert(name, at);
        self.top.push(at);
        at
    }

    /// Categories: those of one upstream are nested in it, if there are several. The tools of one that costs more than it saves
    /// are where it would be (docs/CONTRACT.md B12).
    fn add_categories(&mut self) {
        let view = self.view;
        let offering = view.providers().filter(|provider| !provider.groups.is_empty());
        let offering: HashSet<&str> = offering.map(|provider| provider.name.as_str()).collect();
        for category in view.categories() {
            let is_declared = category.is_declared();
            let has_own_groups = |tool: &VisibleTool<'_>| offering.contains(tool.tool().upstream().as_str());
            let is_member =
                |tool: &VisibleTool<'_>| !tool.is_pinned() && (is_declared || !has_own_groups(tool));
            let tools: Vec<VisibleTool<'v>> = category.tools().filter(is_member).collect();
            // What is left over of several upstreams stays with each.
            let is_left = !is_declared && category.servers().len() == 1;
            let is_beside = |one: &VisibleTool<'_>, other: &VisibleTool<'_>| {
                !is_left || one.tool().upstream() == other.tool().upstream()
            };
            tools.chunk_by(is_beside).for_each(|tools| self.add_category(category, tools));
        }
    }

    fn add_category(&mut self, category: ListedCategory<'v>, tools: &[VisibleTool<'v>]) {
        let Some(upstream) = tools.first().map(|tool| tool.tool().upstream().as_str()) else { return };
        let is_declared = category.is_declared();
        let is_of_one = tools.iter().all(|tool| tool.tool().upstream().as_str() == upstream);
        let names = tools.iter().map(|tool| tool.name().clone());
        let said = Some(category.description()).filter(|said| !said.is_empty()).map(str::to_owned);
        let own = || self.view.tools().filter(|tool| **tool.tool().upstream() == *upstream);
        if !is_declared && is_of_one && (category.own_name() == upstream || own().count() == tools.len()) {
            let at = self.upstream(upstream);
            self.all[at].tools.extend(names);
            self.all[at].description = self.all[at].description.take().or(said);
            return;
        }
        let origin = match is_declared {
            true => Origin::Declared(category.name().to_owned()),
            false => Origin::Found(upstream.to_owned(), category.own_name().to_owned()),
        };
        let draft = Draft { origin, description: said, tools: names.collect(), ..Draft::default() };
        let parent = (is_of_one && self.nests).then(|| self.upstream(upstream));
        match (parent, self.is_cheap(&draft)) {
            (Some(parent), true) => self.all[parent].tools.extend(draft.tools),
            (None, true) => {}
            (parent, false) => {
                let at = self.add(draft);
                parent.map_or(&mut self.top, |parent| &mut self.all[parent].children).push(at);
            }
        }
    }

    /// The groups that upstreams offer, below their upstream if there are several. What such an upstream has in no group is
    /// where its groups are.
    fn add_own_groups(&mut self) {
        let view = self.view;
        let mut is_in_group: HashSet<ToolName> =
            self.all.iter().flat_map(|draft| draft.tools.iter().cloned()).collect();
        for provider in view.providers().filter(|provider| !provider.groups.is_empty()) {
            let members = Members::of(view, provider);
            let first = self.all.len();
            let places: HashMap<&str, usize> =
                provider.groups.iter().enumerate().map(|(at, group)| (&*group.name, first + at)).collect();
            let is_whole = whole(&PermittedItems::of(view, &provider.name), &provider.groups);
            let mut tops = Vec::new();
            for (group, is_whole) in provider.groups.iter().zip(is_whole) {
                let children = group.groups.iter().filter_map(|name| places.get(&**name).copied()).collect();
                let at = self.add(Draft { children, ..members.draft(&provider.name, group, is_whole) });
                tops.extend(group.is_top.then_some(at));
            }
            let mut seen = HashMap::new();
            tops.iter().for_each(|top| self.cut_below(*top, 0, &tops, &mut seen));
            let reached = self.below(&tops).into_iter();
            is_in_group.extend(reached.flat_map(|at| self.all[at].tools.iter().cloned()));
            if !self.nests {
                self.top.extend(tops);
                continue;
            }
            let parent = self.upstream(&provider.name);
            let is_left = |tool: &VisibleTool<'_>| {
                let is_own = *tool.tool().upstream() == provider.name;
                is_own && !tool.is_pinned() && !is_in_group.contains(tool.name())
            };
            let left = view.tools().filter(is_left).map(|tool| tool.name().clone());
            self.all[parent].tools.extend(left);
            self.all[parent].children.extend(tops);
        }
    }

    /// Removes nestings that lead back or too deep. `seen` says of a group whether it is on the way to this one.
    fn cut_below(&mut self, at: usize, depth: usize, tops: &[usize], seen: &mut HashMap<usize, bool>) {
        seen.insert(at, true);
        let mut children = std::mem::take(&mut self.all[at].children);
        children.retain(|child| {
            let is_above = tops.contains(child) || seen.get(child) == Some(&true);
            let is_cut = is_above || depth == MOST_NESTED;
            if !is_cut && !seen.contains_key(child) {
                self.cut_below(*child, depth + 1, tops, seen);
            }
            !is_cut
        });
        self.all[at].children = children;
        seen.insert(at, false);
    }

    /// Whether the definitions of a group cost no more than its entry and a request for it.
    fn is_cheap(&self, draft: &Draft) -> bool {
        let is_found = matches!(draft.origin, Origin::Found(..) | Origin::Upstream(_));
        let definitions = draft.tools.iter().filter_map(|name| self.view.tool(name));
        let bytes: usize = definitions.map(|tool| tool.definition().text().len()).sum();
        let entry = FRAME + draft.origin.text().len() + draft.description.as_ref().map_or(0, String::len);
        let is_plain = draft.children.is_empty() && draft.instructions.is_none();
        self.inline_bytes > 0 && is_found && is_plain && bytes <= self.inline_bytes + entry
    }

    /// An upstream that has one group and nothing else is that group.
    fn unwrap(&mut self) {
        for place in 0..self.top.len() {
            let at = self.top[place];
            let draft = &self.all[at];
            let is_wrapper = matches!(draft.origin, Origin::Upstream(_)) && draft.tools.is_empty();
            let [child] = draft.children[..] else { continue };
            if !is_wrapper || (draft.instructions.is_some() && self.all[child].instructions.is_some()) {
                continue;
            }
            let instructions = self.all[at].instructions.take();
            self.all[child].instructions = self.all[child].instructions.take().or(instructions);
            self.top[place] = child;
        }
    }

    /// Takes empty groups out, so that what filters emptied leaves no trace.
    fn prune(&mut self) {
        let links = |drafts: &Self| {
            drafts.top.len() + drafts.all.iter().map(|draft| draft.children.len()).sum::<usize>()
        };
        let mut before = usize::MAX;
        while links(self) < before {
            before = links(self);
            let is_empty: Vec<bool> = self.all.iter().map(Draft::is_empty).collect();
            self.top.retain(|at| !is_empty[*at]);
            self.all.iter_mut().for_each(|draft| draft.children.retain(|child| !is_empty[*child]));
        }
    }
}

/// What a view has of an upstream, by the upstream's own names.
struct Members<'v> {
    tools: HashMap<&'v str, VisibleTool<'v>>,
    prompts: HashMap<&'v str, String>,
    resources: HashMap<&'v str, String>,
}

impl<'v> Members<'v> {
    fn of(view: &'v View, provider: &Provider) -> Self {
        let tools = view.tools().filter(|tool| *tool.tool().upstream() == provider.name);
        let of = |kind| view.entries(kind).filter(|entry| *entry.upstream() == provider.name);
        let of = |kind| of(kind).map(|entry| (entry.upstream_key(), entry.key().to_owned()));
        Self {
            tools: tools.map(|tool| (tool.tool().upstream_name().as_str(), tool)).collect(),
            prompts: of(Kind::Prompts).collect(),
            resources: of(Kind::Resources).collect(),
        }
    }

    /// What the upstream says of a group can name anything in it, and so is only for callers who have the whole.
    fn draft(&self, upstream: &str, group: &OwnGroup, is_whole: bool) -> Draft {
        let origin = Origin::Own(upstream.to_owned(), group.name.clone());
        let mut draft = Draft { origin, title: group.title.clone(), ..Draft::default() };
        if is_whole {
            draft.description = Some(group.description.clone()).filter(|text| !text.trim().is_empty());
            draft.meta.clone_from(&group.meta);
            draft.instructions.clone_from(&group.instructions);
        }
        let tools = || group.tools.iter().filter_map(|own| self.tools.get(own.as_str()));
        // Those that are pinned are in no group.
        draft.tools = once(tools().filter(|tool| !tool.is_pinned()).map(|tool| tool.name()));
        draft.prompts = once(group.prompts.iter().filter_map(|own| self.prompts.get(own.as_str())));
        draft.resources = once(group.resources.iter().filter_map(|uri| self.resources.get(uri.as_str())));
        draft.is_for_text = !group.has_members() || tools().any(VisibleTool::is_pinned);
        draft
    }
}

/// Which groups exist for a caller with everything that they and the groups in them have. One with a group that could not be
/// read does not.
fn whole(own: &PermittedItems<'_>, groups: &[OwnGroup]) -> Vec<bool> {
    let places: HashMap<&str, usize> =
        groups.iter().enumerate().map(|(at, group)| (&*group.name, at)).collect();
    let is_read = |group: &OwnGroup| group.groups.iter().all(|name| places.contains_key(&**name));
    let mut is_whole: Vec<bool> =
        groups.iter().map(|group| own.have_all_of(group) && is_read(group)).collect();
    let mut parents: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        group.groups.iter().for_each(|name| parents.entry(name).or_default().push(at));
    }
    let mut next: Vec<usize> = (0..groups.len()).filter(|at| !is_whole[*at]).collect();
    while let Some(at) = next.pop() {
        let parents = parents.get(&*groups[at].name).into_iter().flatten();
        next.extend(parents.filter(|parent| std::mem::replace(&mut is_whole[**parent], false)));
    }
    is_whole
}

/// Each once, in order.
fn once<'a, T: Clone + Eq + Hash + 'a>(items: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(*item)).cloned().collect()
}
