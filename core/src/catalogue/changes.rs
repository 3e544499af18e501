//! What differs between two snapshots: as a whole, or in what a view has of them.

use std::collections::HashSet;

use crate::{
    catalogue::{
        categories::PermittedItems,
        provider::OwnGroup,
        snapshot::{About, Primitive, Snapshot},
        view::View,
    },
    name::{Kind, UpstreamName},
};

/// What there is of a snapshot for someone.
struct Part<'a> {
    about: &'a About,
    groups: Vec<(&'a UpstreamName, Vec<OwnGroup>)>,
    /// The titles and descriptions of the upstreams that bring tools.
    titles: Vec<[Option<&'a str>; 2]>,
    all: [Vec<Primitive<'a>>; 4],
}

impl Snapshot {
    /// The kinds in which two snapshots differ, by what their lists would say.
    pub fn changes(&self, newer: &Self) -> Vec<Kind> {
        Part::whole(self).changes(&Part::whole(newer))
    }
}

impl View {
    /// The kinds in which two views differ, by what their lists would say before a strategy shows them.
    pub fn changes(&self, newer: &Self) -> Vec<Kind> {
        Part::seen(self).changes(&Part::seen(newer))
    }
}

impl<'a> Part<'a> {
    fn whole(snapshot: &'a Snapshot) -> Self {
        let offering = snapshot.providers.iter().filter(|provider| !provider.groups.is_empty());
        let groups = offering.map(|provider| (&provider.name, provider.groups.clone())).collect();
        let all: [Vec<_>; 4] = Kind::ALL.map(|kind| snapshot.primitives(kind).collect());
        Self { about: snapshot.about(), groups, titles: titles(snapshot, &all[0]), all }
    }

    fn seen(view: &'a View) -> Self {
        let whole = Self::whole(&view.snapshot);
        if view.permits_everything() {
            return whole;
        }
        let groups = whole.groups.into_iter().map(|(of, groups)| {
            let permitted = PermittedItems::of(view, of);
            let has_all = permitted.is_whole && view.permits_any_of(of);
            (of, if has_all { groups } else { permitted.within(groups) })
        });
        let groups = groups.filter(|(_, groups)| !groups.is_empty()).collect();
        let all: [Vec<_>; 4] = Kind::ALL.map(|kind| view.primitives(kind).collect());
        Self { about: whole.about, groups, titles: titles(&view.snapshot, &all[0]), all }
    }

    fn changes(&self, newer: &Self) -> Vec<Kind> {
        // A strategy may list a tool of its own that says what the catalogue is about.
        let differs = self.about != newer.about || self.groups != newer.groups || self.titles != newer.titles;
        let differ = |kind: &Kind| {
            let (old, new) = (&self.all[*kind as usize], &newer.all[*kind as usize]);
            (*kind == Kind::Tools && differs)
                || old.len() != new.len()
                || old.iter().zip(new).any(|(old, new)| !says_the_same(*old, *new))
        };
        Kind::ALL.into_iter().filter(differ).collect()
    }
}

/// The titles and descriptions of the upstreams of these tools.
fn titles<'a>(snapshot: &'a Snapshot, tools: &[Primitive<'_>]) -> Vec<[Option<&'a str>; 2]> {
    let upstreams: HashSet<&UpstreamName> = tools.iter().map(|tool| tool.upstream()).collect();
    let providers = snapshot.providers.iter().filter(|provider| upstreams.contains(&provider.name));
    providers.map(|provider| [provider.title.as_deref(), provider.description.as_deref()]).collect()
}

/// Whether lists have the same of two primitives. Comparing the digests of entries would cost half a second for 10,000 tools.
fn says_the_same(old: Primitive<'_>, new: Primitive<'_>) -> bool {
    match (old, new) {
        (Primitive::Tool(old), Primitive::Tool(new)) => {
            old.definition() == new.definition()
                && old.original().member("description") == new.original().member("description")
                && old.supplement() == new.supplement()
        }
        (Primitive::Entry(_, old), Primitive::Entry(_, new)) => {
            old.text() == new.text() && old.mapping() == new.mapping()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{
        catalogue::{
            lists::UpstreamLists,
            permits::{Grant, Permits},
            principal::Principal,
        },
        fixtures::{named, raw, upstream},
    };

    /// A snapshot of two upstreams whose tools are described so.
    fn described(a: &str, b: &str) -> Arc<Snapshot> {
        let upstreams = [("a", a), ("b", b)].map(|(name, text)| {
            let tool = json!({"name": format!("of_{name}"), "description": text, "inputSchema": {}});
            let prompt = json!({"name": format!("by_{name}"), "description": text});
            UpstreamLists { prompts: vec![raw(&prompt)], ..upstream(name, [tool]) }
        });
        Arc::new(Snapshot::build(&upstreams, &[]))
    }

    /// The same with a group of both tools of `a`, which says this of itself, and one of its text alone.
    fn grouped(text: &str, with_b: bool) -> Arc<Snapshot> {
        let group = |name: &str, tools: &[&str]| OwnGroup {
            name: name.to_owned(),
            description: text.to_owned(),
            is_top: true,
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            ..OwnGroup::default()
        };
        let groups = vec![group("both", &["one", "two"]), group("text", &[])];
        let a = UpstreamLists { groups, ..named("a", ["one", "two"]) };
        let b = named("b", ["three"]);
        let upstreams = if with_b { vec![a, b] } else { vec![a] };
        Arc::new(Snapshot::build(&upstreams, &[]))
    }

    #[test]
    fn a3_groups_differ_only_for_those_who_are_shown_it() {
        let changes = |tools: &str, (before, after): (Arc<Snapshot>, Arc<Snapshot>)| {
            let principal = Principal::new("ann", Permits::of_tools([tools]));
            let view = |of: &Arc<Snapshot>| View::of(Arc::clone(of), &principal);
            view(&before).changes(&view(&after))
        };
        // An upstream of which nothing is permitted comes.
        assert_eq!(changes("a/*", (grouped("1", false), grouped("1", true))), []);
        // What a group says of itself names what it has.
        assert_eq!(changes("a/one", (grouped("1", true), grouped("2", true))), []);
        assert_eq!(changes("b/*", (grouped("1", true), grouped("2", true))), []);
        assert_eq!(changes("a/*", (grouped("1", true), grouped("2", true))), [Kind::Tools]);
    }

    #[test]
    fn a3_a_view_differs_only_where_what_it_has_differs() {
        let (before, after) = (described("1", "1"), described("1", "2"));
        let changes = |permits: Permits| {
            let principal = Principal::new("ann", permits);
            let view = |of: &Arc<Snapshot>| View::of(Arc::clone(of), &principal);
            view(&before).changes(&view(&after))
        };
        let list = |pattern: &str| Some(vec![pattern.to_owned()]);
        assert_eq!(changes(Permits::all()), [Kind::Tools, Kind::Prompts]);
        assert_eq!(changes(Permits::of_tools(["a/*"])), []);
        assert_eq!(changes(Permits::of_tools(["b/*"])), [Kind::Tools]);
        assert_eq!(changes(Permits::of_tools(["*"])), [Kind::Tools]);
        let prompts = Grant { prompts: list("b/*"), tools: list("a/*"), ..Grant::default() };
        assert_eq!(changes(Permits::of([prompts])), [Kind::Prompts]);
    }
}
