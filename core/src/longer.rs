//! Rules in the form `upstream__name`, which names had before `upstream/name` did (docs/moving.md).

use std::collections::HashMap;

use crate::{
    matching::Item,
    pattern::{CLASH_SEPARATOR, Pattern, SEPARATOR},
    rules::Rule,
    snapshot::Kind,
    warning::Warning,
};

/// The rules of one kind that are in the longer form, each with its new spelling. A rule without a new spelling that is
/// about the same things is not in this form: with another one, something could cease to be hidden.
pub(crate) fn longer_forms(kind: Kind, rules: &[Rule], items: &[Item<'_>]) -> Vec<Warning> {
    let is_longer = |rule: &&Rule| {
        let text = rule.pattern.text();
        text.contains(CLASH_SEPARATOR) && !text.contains(SEPARATOR)
    };
    let rules: Vec<&Rule> = rules.iter().filter(is_longer).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let index = Index::new(items);
    let warning = |rule: &&Rule| {
        let things = index.matched(&rule.pattern);
        let mut spellings = rule
            .pattern
            .splits(CLASH_SEPARATOR)
            .map(|(upstream, name)| Pattern::new(&format!("{upstream}{SEPARATOR}{name}")));
        let now = spellings
            .find(|now| !things.is_empty() && things.iter().all(|item| now.names(item.upstream, item.own)))?;
        let (place, pattern) = (rule.place.clone(), rule.pattern.text().to_owned());
        Some(Warning::LongerForm { place, kind, pattern, now: now.text().to_owned() })
    };
    rules.iter().filter_map(warning).collect()
}

/// Things by all the names that hide them.
struct Index<'i> {
    names: Vec<(String, &'i Item<'i>)>,
    by_name: HashMap<String, Vec<&'i Item<'i>>>,
}

impl<'i> Index<'i> {
    fn new(items: &'i [Item<'i>]) -> Self {
        let mut names = Vec::new();
        for item in items {
            let bare = [item.own, item.named];
            let bare = if item.is_named() { &bare[..] } else { &bare[..1] };
            for name in bare {
                names.push(((*name).to_owned(), item));
                names.push((format!("{}{CLASH_SEPARATOR}{name}", item.upstream), item));
            }
        }
        let mut by_name: HashMap<String, Vec<&Item<'_>>> = HashMap::new();
        for (name, item) in &names {
            by_name.entry(name.clone()).or_default().push(item);
        }
        Self { names, by_name }
    }

    fn matched(&self, pattern: &Pattern) -> Vec<&'i Item<'i>> {
        if !pattern.is_wild() {
            return self.by_name.get(pattern.text()).cloned().unwrap_or_default();
        }
        self.names.iter().filter(|(name, _)| pattern.matches(name)).map(|(_, item)| *item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::UpstreamName;

    #[test]
    fn w4_a_rule_in_the_longer_form_has_a_new_spelling_only_if_that_is_about_the_same_things() {
        let brought = [
            ("a", "x", "x"),
            ("a", "y__x", "y__x"),
            ("a_b", "x", "x"),
            ("b", "c__d", "c__d"),
            ("c", "d", "e"),
        ];
        let brought =
            brought.map(|(upstream, own, named)| (UpstreamName::parse(upstream).unwrap(), own, named));
        let items: Vec<Item<'_>> = brought
            .iter()
            .map(|(upstream, own, named)| Item { upstream, own, named, served: named, self_named: false })
            .collect();
        for (text, expected) in [
            ("a__x", Some("a/x")),
            ("a__*", Some("a/*")),
            ("a_?__x", Some("a_?/x")),
            ("*__x", None),
            ("a*__x", None),
            // A tool's own name.
            ("y__x", None),
            // A tool's own name, and another's longer form.
            ("c__d", None),
            // The name that the operator gave it hides, too.
            ("c__e", None),
            ("a/x", None),
            ("a/y__x", None),
            ("x", None),
            ("absent__x", None),
        ] {
            let rules = [Rule::new(text, "file:1:2: tools".to_owned())];
            let found = longer_forms(Kind::Tools, &rules, &items);
            let now = found.iter().map(|warning| match warning {
                Warning::LongerForm { now, .. } => now.as_str(),
                other => panic!("{other}"),
            });
            assert_eq!(now.collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
