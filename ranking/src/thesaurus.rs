//! Words of computing that users and authors of tools exchange for each other.

use std::{collections::HashMap, sync::LazyLock};

use crate::words::stem;

/// Groups of words with about the same meaning in names and descriptions of tools, a line each. They are general: no line is
/// about the tools of one product.
const GROUPS: &str = include_str!("thesaurus.txt");

/// Stems by the stems that can stand for them.
#[derive(Debug, Default)]
struct Stems(HashMap<String, Vec<String>>);

impl Stems {
    fn add(&mut self, from: &str, to: &str) {
        let all = self.0.entry(from.to_owned()).or_default();
        if from != to && !all.iter().any(|known| known == to) {
            all.push(to.to_owned());
        }
    }

    fn of(&self, stem: &str) -> &[String] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
    }
}

/// The groups, read when something is looked up: a start would spend 13 million instructions on them.
static BUILT_IN: LazyLock<Stems> = LazyLock::new(|| {
    let mut built_in = Stems::default();
    for group in GROUPS.lines() {
        let group: Vec<String> = group.split(' ').map(stem).collect();
        group.iter().for_each(|from| group.iter().for_each(|to| built_in.add(from, to)));
    }
    built_in
});

/// The built-in groups, and words' own synonyms in addition, each in one direction: a query with the word also finds the others.
#[derive(Debug)]
pub(crate) struct Thesaurus(Stems);

impl Thesaurus {
    /// With these synonyms.
    pub(crate) fn with<'a>(own: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let mut added = Stems::default();
        for (from, to) in own {
            let from = stem(&from.to_lowercase());
            let known = BUILT_IN.of(&from);
            let to = to.iter().map(|to| stem(&to.to_lowercase())).filter(|to| !known.contains(to));
            to.for_each(|to| added.add(&from, &to));
        }
        Self(added)
    }

    /// The stems that can stand for this one.
    pub(crate) fn of(&self, stem: &str) -> impl Iterator<Item = &String> {
        BUILT_IN.of(stem).iter().chain(self.0.of(stem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_found_by_any_form_of_a_word() {
        let own = ["bug".to_owned()];
        let insect = ["fly".to_owned()];
        let thesaurus = Thesaurus::with([("defect", own.as_slice()), ("gnat", insect.as_slice())]);
        assert!(thesaurus.of(&stem("folders")).any(|other| *other == stem("directories")));
        assert!(thesaurus.of(&stem("defects")).any(|other| *other == stem("bug")));
        // One direction only.
        assert_eq!(thesaurus.of("gnat").collect::<Vec<_>>(), ["fli"]);
        assert!(thesaurus.of("fli").next().is_none());
        assert!(thesaurus.of("unheard").next().is_none());
    }
}
