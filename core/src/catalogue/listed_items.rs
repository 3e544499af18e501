//! What upstreams bring: the items of their lists, and the names by which tools and prompts are served.

use std::collections::{HashMap, HashSet};

use crate::{
    catalogue::{
        lists::{Material, UpstreamLists},
        lock::Definitions,
        matching::Item,
        pattern::CLASH_SEPARATOR,
        warning::Warning,
    },
    name::Kind,
    raw::RawObject,
    raw_text::RawText,
};

impl Item {
    /// Everything of a kind that goes by a name. No two are served by one name, except where a name in the form
    /// `<upstream>__<own>` can be read in two ways.
    pub(crate) fn all(
        material: &Material<'_, &UpstreamLists>,
        kind: Kind,
        warnings: &mut Vec<Warning>,
    ) -> Vec<Self> {
        let mut all = Vec::new();
        for lists in material.upstreams {
            let (upstream, self_named) = (&lists.name, lists.self_named);
            let naming = material.rules.naming_of(upstream).filter(|_| !self_named);
            all.extend(read_entries(lists, kind, warnings).into_iter().map(|(own, object)| {
                let named = naming.and_then(|naming| naming.name(kind, &own)).unwrap_or_else(|| own.clone());
                let served = named.clone();
                let review = Some(&material.rules.review).filter(|_| kind == Kind::Tools);
                let held = review.and_then(|review| review.holds(upstream, &own, &object));
                Self { upstream: upstream.clone(), self_named, own, named, served, object, held }
            }));
        }
        resolve_clashes(&mut all);
        all
    }
}

impl UpstreamLists {
    /// The tools as they were listed, by their own names.
    pub fn definitions(&self) -> Definitions {
        read_entries(self, Kind::Tools, &mut Vec::new()).into_iter().collect()
    }
}

/// Gives everything that shares a name the form with its upstream. That may be another's name, which then clashes, too.
fn resolve_clashes(all: &mut [Item]) {
    let mut qualified = vec![false; all.len()];
    loop {
        let mut counts: HashMap<&str, usize> = HashMap::with_capacity(all.len());
        let exist = all.iter().filter(|one| !one.is_held_as_new());
        exist.for_each(|one| *counts.entry(&one.served).or_default() += 1);
        let is_taken = |served: &str| counts.get(served).is_some_and(|count| *count > 1);
        let clashing = |at: &usize| !qualified[*at] && is_taken(&all[*at].served);
        let clashing: Vec<usize> = (0..all.len()).filter(clashing).collect();
        if clashing.is_empty() {
            return;
        }
        for at in clashing {
            qualified[at] = true;
            all[at].served = format!("{}{CLASH_SEPARATOR}{}", all[at].upstream, all[at].own);
        }
    }
}

/// The items of a kind that one upstream lists, by key.
pub(crate) fn read_entries(
    lists: &UpstreamLists,
    kind: Kind,
    warnings: &mut Vec<Warning>,
) -> Vec<(String, RawObject)> {
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    for item in lists.of(kind) {
        let Some((key, object)) = keyed(lists, kind, item, warnings) else { continue };
        // A URI listed twice is harmless; the second tool or prompt of a name could not be reached.
        let by_uri = matches!(kind, Kind::Resources | Kind::Templates);
        if seen.insert(key.clone()) || by_uri {
            entries.push((key, object));
        } else {
            let upstream = &lists.name;
            warnings.push(Warning::OddList(format!(
                "upstream '{upstream}' lists '{key}' twice among its {kind}; only the first is served"
            )));
        }
    }
    entries
}

/// The item as an object and the name it goes by, or a warning.
fn keyed(
    lists: &UpstreamLists,
    kind: Kind,
    item: &RawText,
    warnings: &mut Vec<Warning>,
) -> Option<(String, RawObject)> {
    let key = match kind {
        Kind::Tools | Kind::Prompts => "name",
        Kind::Resources => "uri",
        Kind::Templates => "uriTemplate",
    };
    let object = RawObject::of(item).ok();
    let named = object.and_then(|object| Some((object.string(key)?, object)));
    let named = named.filter(|(name, _)| !name.is_empty());
    if named.is_none() {
        let (upstream, shown) = (&lists.name, crate::brief::shorten(item.get(), 80));
        warnings.push(Warning::OddList(format!(
            "upstream '{upstream}' lists something without a usable '{key}' among its {kind}; it is not \
             served: {shown}"
        )));
    }
    named
}

#[cfg(test)]
#[path = "listed_items_tests.rs"]
mod tests;
