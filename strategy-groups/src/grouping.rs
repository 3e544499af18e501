//! Groups made of drafts: their names, descriptions and texts, once per view.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use mcp_disclosure_core::{Provider, RawObject, View};

use crate::{
    Group, Groups, GroupsConfig,
    draft::{Draft, Drafts},
    slug::{self, Origin},
    wording,
};

impl Groups {
    /// The groups of a view.
    pub(crate) fn made_of(view: &View, config: &GroupsConfig) -> Self {
        let drafts = Drafts::of(view, config.inline_bytes);
        let kept: Vec<usize> = drafts.below(&drafts.top).into_iter().collect();
        let places: HashMap<usize, usize> = kept.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        let placed = |at: &[usize]| -> Vec<usize> { at.iter().map(|at| places[at]).collect() };
        let origins: Vec<Origin> = kept.iter().map(|at| drafts.all[*at].origin.clone()).collect();
        let texts = Texts::of(view, config);
        let groups = kept.iter().zip(slug::names(&origins)).map(|(at, name)| {
            let draft = &drafts.all[*at];
            let below = drafts.below(&[*at]).into_iter().flat_map(|at| &drafts.all[at].tools);
            // A tool of several counts once.
            let count = below.collect::<HashSet<_>>().len();
            let nested =
                draft.children.iter().map(|child| subject(&drafts.all[*child].origin, &draft.origin));
            let (said, title) = (draft.description.as_deref(), draft.title.as_deref());
            let purpose = wording::purpose(said, title, &nested.collect::<Vec<_>>());
            // What an upstream says of its own groups is not edited.
            let is_own = matches!(draft.origin, Origin::Own(..)) && said.is_some();
            let description = if is_own { purpose.clone() } else { wording::with_count(&purpose, count) };
            let instructions = texts.of_group(&draft.origin, &name).or(draft.instructions.as_ref());
            Group {
                object: object(&name, draft, &description),
                name,
                origin: draft.origin.clone(),
                purpose,
                description,
                instructions: instructions.cloned(),
                tools: draft.tools.clone(),
                prompts: draft.prompts.clone(),
                resources: draft.resources.clone(),
                children: placed(&draft.children),
                count,
                text: OnceLock::new(),
            }
        });
        let all: Vec<Group> = groups.collect();
        let instructions = left_instructions(view, &all);
        Self::new(all, placed(&ordered(&drafts, view)), instructions)
    }
}

/// The operator's instructions.
struct Texts<'c> {
    by_name: &'c BTreeMap<String, String>,
    /// The groups of those for whom everything exists; `None` if that is this view.
    all: Option<Arc<Groups>>,
}

impl<'c> Texts<'c> {
    fn of(view: &View, config: &'c GroupsConfig) -> Self {
        let unrestricted = view.unrestricted();
        let is_other = !config.instructions.is_empty() && !unrestricted.lists_like(view);
        let all = is_other.then(|| Groups::of(&unrestricted, config));
        Self { by_name: &config.instructions, all }
    }

    /// The text for a group. A name is that of the group that has it where everything exists: of two of the same name, the
    /// other has it where the first is hidden, and not its text.
    fn of_group(&self, origin: &Origin, name: &str) -> Option<&'c String> {
        let Some(all) = &self.all else { return self.by_name.get(name) };
        let is_meant = |name: &str| all.named(name).is_some_and(|group| group.origin == *origin);
        let meant = self.by_name.iter().find(|(name, _)| is_meant(name)).map(|(_, text)| text);
        meant.or_else(|| self.by_name.get(name).filter(|_| all.named(name).is_none()))
    }
}

/// Declared categories first, in that order; then upstreams in theirs.
fn ordered(drafts: &Drafts<'_>, view: &View) -> Vec<usize> {
    let mut top = drafts.top.clone();
    let providers: HashMap<&str, usize> =
        view.providers().enumerate().map(|(at, provider)| (provider.name.as_str(), at)).collect();
    top.sort_by_cached_key(|at| match &drafts.all[*at].origin {
        Origin::Declared(_) => None,
        Origin::Upstream(name) | Origin::Own(name, _) | Origin::Found(name, _) => {
            Some(providers.get(name.as_str()).copied())
        }
    });
    top
}

/// What a nested group is about, without its parent's name in front.
fn subject(origin: &Origin, parent: &Origin) -> String {
    match (origin, parent) {
        (Origin::Found(upstream, name), Origin::Upstream(parent)) if upstream == parent => name.clone(),
        (Origin::Own(_, name), _) => name.clone(),
        _ => origin.text(),
    }
}

fn object(name: &str, draft: &Draft, description: &str) -> RawObject {
    let object = RawObject::empty().with_value("name", name);
    let title = draft.title.iter().filter(|title| !title.trim().is_empty());
    let object = title.fold(object, |object, title| object.with_value("title", title));
    let object = object.with_value("description", description);
    draft.meta.iter().fold(object, |object, meta| object.with("_meta", meta.text()))
}

/// The instructions of upstreams that are in no group.
fn left_instructions(view: &View, groups: &[Group]) -> Option<String> {
    let is_in_group = |provider: &Provider| {
        let given = provider.instructions.as_ref();
        given.is_some_and(|given| groups.iter().any(|group| group.instructions.as_ref() == Some(given)))
    };
    view.instructions(|provider| !is_in_group(provider))
}
