//! What differs between two snapshots: as a whole, or in what a view has of them.

use crate::{
    catalogue::{
        categories::PermittedItems,
        provider::OwnGroup,
        snapshot::{About, Entry, Snapshot},
        tool::Tool,
        view::View,
    },
    name::{Kind, UpstreamName},
};

/// The kinds that are entries.
const ENTRIES: [Kind; 3] = [Kind::Resources, Kind::Templates, Kind::Prompts];

/// What there is of a snapshot for someone.
struct Part<'a> {
    about: &'a About,
    groups: Vec<(&'a UpstreamName, Vec<OwnGroup>)>,
    tools: Vec<&'a Tool>,
    entries: [Vec<&'a Entry>; 3],
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
        let providers = snapshot.providers().iter().filter(|provider| !provider.groups.is_empty());
        Self {
            about: snapshot.about(),
            groups: providers.map(|provider| (&provider.name, provider.groups.clone())).collect(),
            tools: snapshot.tools().iter().collect(),
            entries: ENTRIES.map(|kind| snapshot.entries(kind).iter().collect()),
        }
    }

    fn seen(view: &'a View) -> Self {
        let whole = Self::whole(view.snapshot());
        if view.permits_everything() {
            return whole;
        }
        let tools: Vec<&Tool> = view.listed().map(|(_, tool)| tool).collect();
        let entries = ENTRIES.map(|kind| view.entries(kind).collect::<Vec<_>>());
        let groups = whole.groups.into_iter().map(|(of, groups)| {
            let permitted = PermittedItems::of(view, of);
            let has_all = permitted.is_whole && view.permits_any_of(of);
            (of, if has_all { groups } else { permitted.within(groups) })
        });
        let groups = groups.filter(|(_, groups)| !groups.is_empty()).collect();
        Self { about: whole.about, groups, tools, entries }
    }

    fn changes(&self, newer: &Self) -> Vec<Kind> {
        // Entries are made of these; comparing their digests would cost half a second for 10,000 tools.
        let differ = |(old, new): (&&Tool, &&Tool)| {
            old.definition() != new.definition()
                || !old.stems_like(new)
                || !old.supplement().says_the_same(new.supplement())
        };
        // A strategy may list a tool of its own that says what the catalogue is about.
        let tools_differ = self.about != newer.about
            || self.groups != newer.groups
            || self.tools.len() != newer.tools.len()
            || self.tools.iter().zip(&newer.tools).any(differ);
        let mut changes = if tools_differ { vec![Kind::Tools] } else { vec![] };
        for ((kind, old), new) in ENTRIES.into_iter().zip(&self.entries).zip(&newer.entries) {
            let differ = |(a, b): (&&Entry, &&Entry)| a.text() != b.text() || a.mapping() != b.mapping();
            if old.len() != new.len() || old.iter().zip(new).any(differ) {
                changes.push(kind);
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalogue::{
        lists::UpstreamLists,
        permits::{Grant, Permits},
        principal::Principal,
    };

    /// A snapshot of two upstreams whose tools are described so.
    fn described(a: &str, b: &str) -> Arc<Snapshot> {
        let upstreams = [("a", a), ("b", b)].map(|(name, text)| {
            let tool =
                serde_json::json!({"name": format!("of_{name}"), "description": text, "inputSchema": {}});
            let prompt = serde_json::json!({"name": format!("by_{name}"), "description": text});
            let name = UpstreamName::parse(name).unwrap();
            UpstreamLists {
                tools: vec![serde_json::value::to_raw_value(&tool).unwrap().into()],
                prompts: vec![serde_json::value::to_raw_value(&prompt).unwrap().into()],
                ..UpstreamLists::empty(name)
            }
        });
        Arc::new(Snapshot::build(&upstreams, &[]).unwrap().0)
    }

    /// The same with a group of both tools of `a`, which says this of itself, and one of its text alone.
    fn grouped(text: &str, with_b: bool) -> Arc<Snapshot> {
        let group = |name: &str, tools: &[&str]| OwnGroup {
            name: name.to_owned(),
            title: None,
            description: text.to_owned(),
            meta: None,
            instructions: None,
            is_top: true,
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            prompts: Vec::new(),
            resources: Vec::new(),
            groups: Vec::new(),
        };
        let tool = |name: &str| {
            let tool = serde_json::json!({"name": name, "description": name, "inputSchema": {}});
            serde_json::value::to_raw_value(&tool).unwrap().into()
        };
        let a = UpstreamLists {
            tools: vec![tool("one"), tool("two")],
            groups: vec![group("both", &["one", "two"]), group("text", &[])],
            ..UpstreamLists::empty(UpstreamName::parse("a").unwrap())
        };
        let b = UpstreamLists {
            tools: vec![tool("three")],
            ..UpstreamLists::empty(UpstreamName::parse("b").unwrap())
        };
        let upstreams = if with_b { vec![a, b] } else { vec![a] };
        Arc::new(Snapshot::build(&upstreams, &[]).unwrap().0)
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
