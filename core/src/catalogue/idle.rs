//! What is declared for things that no upstream lists: warnings, with the name that was probably meant.

use crate::{
    catalogue::{
        description::DescriptionFile,
        guard::Guard,
        listed_items::read_entries,
        lists::UpstreamLists,
        matching::{Item, Matched},
        naming::Naming,
        pattern::{CLASH_SEPARATOR, SEPARATOR},
        rules::{Rule, Rules, Switches},
        uri::Uri,
        warning::{Candidate, Warning},
    },
    name::{Kind, UpstreamName},
    nearest::misspelt,
};

/// Rules about tools or prompts that match none.
pub(crate) fn idle_rules(kind: Kind, matched: &Matched<'_>, items: &[Item]) -> Vec<Warning> {
    let (wild, exact): (Vec<&Rule>, Vec<&Rule>) =
        matched.unused.iter().partition(|rule| rule.pattern.is_wild());
    let exact = exact.into_iter().map(|rule| {
        let name = rule.pattern.text();
        Warning::unmatched(rule.place.clone(), kind, name, &candidates(items, name))
    });
    let wild = wild.into_iter().map(|rule| Warning::nothing_matches(kind, &rule.place, &rule.pattern));
    exact.chain(wild).collect()
}

/// Description files of tools that are not there.
pub(crate) fn idle_files<'f>(
    files: impl Iterator<Item = &'f DescriptionFile>,
    items: &[Item],
) -> Vec<Warning> {
    let warning = |file: &DescriptionFile| {
        let names = match items.iter().find(|item| item.own == *file.name) {
            // Of several, none is served by this name.
            Some(one) => vec![(one.own.clone(), format!("{}{CLASH_SEPARATOR}{}", one.upstream, one.own))],
            None => candidates(items, &file.name),
        };
        Warning::unmatched(file.path.clone(), Kind::Tools, &file.name, &names)
    };
    files.map(warning).collect()
}

/// Members of description files that are not known.
pub(crate) fn idle_members(files: &[DescriptionFile]) -> impl Iterator<Item = Warning> {
    let warning = |file: &DescriptionFile, member: &str| {
        let meant = misspelt(member, DescriptionFile::members());
        let suggestion = meant.map_or_else(String::new, |meant| format!("; did you mean '{meant}'?"));
        let path = &file.path;
        Warning::NothingMatches(format!("{path}: the unknown member '{member}' is ignored{suggestion}"))
    };
    files.iter().flat_map(move |file| file.unknown.iter().map(move |member| warning(file, member)))
}

/// The patterns of switches that match no tool of their upstream.
pub(crate) fn idle_switches(switches: &[Switches], items: &[Item]) -> Vec<Warning> {
    let mut idle = Vec::new();
    for switches in switches {
        let Some(own) = listed_by(&switches.upstream, items) else { continue };
        let unused = switches.unused(&own);
        idle.extend(unused.map(|pattern| match pattern.is_wild() {
            true => Warning::nothing_matches(Kind::Tools, &switches.place, pattern),
            false => {
                Warning::unmatched(switches.place.clone(), Kind::Tools, pattern.text(), &own_names(&own))
            }
        }));
    }
    idle
}

/// The tools that get another name and are not there.
pub(crate) fn idle_renames(naming: &[Naming], items: &[Item]) -> Vec<Warning> {
    let mut idle = Vec::new();
    for naming in naming {
        let Some(own) = listed_by(naming.upstream(), items) else { continue };
        let missing = naming.renamed.keys().filter(|name| own.iter().all(|item| item.own != **name));
        let place = || format!("{}.rename", naming.place);
        idle.extend(missing.map(|name| Warning::unmatched(place(), Kind::Tools, name, &own_names(&own))));
    }
    idle
}

/// What an upstream lists; nothing of one that lists nothing, since it may not be there.
fn listed_by<'i>(upstream: &UpstreamName, items: &'i [Item]) -> Option<Vec<&'i Item>> {
    let own: Vec<&Item> = items.iter().filter(|item| item.upstream == *upstream).collect();
    (!own.is_empty()).then_some(own)
}

fn own_names(items: &[&Item]) -> Vec<Candidate> {
    items
        .iter()
        .flat_map(|item| [&item.own, &item.named].map(|name| (name.clone(), item.own.clone())))
        .collect()
}

/// The names that may have been meant, in the form in which one was written.
fn candidates(items: &[Item], written: &str) -> Vec<Candidate> {
    let is_qualified = written.contains(SEPARATOR);
    let names = items.iter().flat_map(|item| {
        let qualified = |name: &str| format!("{}{SEPARATOR}{name}", item.upstream);
        let own = qualified(&item.own);
        let named = item.is_named().then(|| match is_qualified {
            true => (qualified(&item.named), own.clone()),
            false => (item.named.clone(), own.clone()),
        });
        let plain = if item.is_named() { &item.own } else { &item.served };
        let own = if is_qualified { (own.clone(), own) } else { (plain.clone(), plain.clone()) };
        [Some(own), named]
    });
    names.flatten().collect()
}

/// What is said of resources that no upstream lists, and that no template may stand for. A resource need not be listed to be
/// read, so that it may be about something all the same.
pub(crate) fn idle_resource_rules(
    upstreams: &[&UpstreamLists],
    rules: &Rules,
    guard: &Guard,
) -> Vec<Warning> {
    if rules.resources.is_empty() && rules.allowed_resources.is_none() {
        return Vec::new();
    }
    let mut listed = Vec::new();
    for lists in upstreams {
        for kind in [Kind::Resources, Kind::Templates] {
            let keys = read_entries(lists, kind, &mut Vec::new()).into_iter().map(|(key, _)| key);
            listed.extend(keys.map(|key| (&*lists.name, Uri::stated(&key))));
        }
    }
    let idle = guard.idle(&listed);
    idle.map(|rule| Warning::nothing_matches(Kind::Resources, &rule.place, &rule.pattern)).collect()
}
