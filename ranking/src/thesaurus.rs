//! Words of computing that users and authors of tools exchange for each other.

use std::collections::HashMap;

use crate::words::stem;

/// Groups of words with about the same meaning in names and descriptions of tools, a line each. They are general: no line is
/// about the tools of one product.
const GROUPS: &str = include_str!("thesaurus.txt");

/// Stems by the stems that can stand for them.
#[derive(Debug)]
pub(crate) struct Thesaurus(HashMap<String, Vec<String>>);

impl Thesaurus {
    /// The built-in groups, with a word's own synonyms in addition, each in one direction: a query with the word also
    /// finds the others.
    pub(crate) fn with<'a>(own: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let mut words: HashMap<String, Vec<String>> = HashMap::new();
        let mut add = |from: String, to: String| {
            let all = words.entry(from.clone()).or_default();
            if from != to && !all.contains(&to) {
                all.push(to);
            }
        };
        for group in GROUPS.lines() {
            for from in group.split(' ') {
                group.split(' ').for_each(|to| add(stem(from), stem(to)));
            }
        }
        for (from, to) in own {
            to.iter().for_each(|to| add(stem(&from.to_lowercase()), stem(&to.to_lowercase())));
        }
        Self(words)
    }

    /// The stems that can stand for this one.
    pub(crate) fn of(&self, stem: &str) -> &[String] {
        self.0.get(stem).map_or(&[], Vec::as_slice)
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
        assert!(thesaurus.of(&stem("folders")).contains(&stem("directories")));
        assert!(thesaurus.of(&stem("defects")).contains(&stem("bug")));
        // One direction only.
        assert_eq!(thesaurus.of("gnat"), ["fli"]);
        assert!(thesaurus.of("fli").is_empty());
        assert!(thesaurus.of("unheard").is_empty());
    }
}
