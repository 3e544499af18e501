//! Alternatives: `anyOf` and `oneOf` folded into what is told around them, or told one by one.

use std::collections::HashSet;

use serde_json::Value;

use super::told::Told;
use crate::wording;

/// Folds the alternatives of one group into what is told around them.
///
/// Keywords of JSON Schema bind values of their own type only: "a string of at most 5 characters, or an
/// array of strings" is one flat description. Alternatives that share a type are told one by one.
pub(super) fn fold(told: &mut Told, alternatives: Vec<Told>) {
    let (nulls, mut rest): (Vec<Told>, Vec<Told>) = flat(alternatives).into_iter().partition(is_null);
    // One that says nothing allows anything.
    if rest.iter().any(|one| *one == Told::default()) {
        return;
    }
    let says_types = told.types.is_empty();
    let only_null = rest.is_empty();
    if rest.len() == 1 {
        rest.into_iter().for_each(|one| absorb(told, one, says_types));
    } else if rest.iter().all(is_choice) {
        choices(told, rest, says_types);
    } else if are_distinct(&rest) {
        let meanings: Vec<String> = rest.iter_mut().filter_map(|one| one.description.take()).collect();
        rest.into_iter().for_each(|one| absorb(told, one, says_types));
        told.description = wording::meaning_and(told.description.take(), &meanings);
    } else {
        if says_types && rest.iter().all(|one| !one.types.is_empty()) {
            rest.iter().for_each(|one| told.add_types(&one.types));
        }
        told.one_of.extend(rest);
    }
    // Of a value of which nothing is known, "null" alone would be wrong.
    if says_types && (only_null || !told.types.is_empty()) {
        nulls.iter().for_each(|null| told.add_types(&null.types));
    }
}

/// Each alternative once, and alternatives of alternatives beside them.
fn flat(alternatives: Vec<Told>) -> Vec<Told> {
    let mut all: Vec<Told> = Vec::new();
    for mut one in alternatives {
        let inner = std::mem::take(&mut one.one_of);
        let only_inner = !inner.is_empty() && one == Told { types: one.types.clone(), ..Told::default() };
        let parts = if only_inner { inner } else { vec![Told { one_of: inner, ..one.clone() }] };
        for mut part in parts {
            if part.types.is_empty() {
                part.types.clone_from(&one.types);
            }
            if !all.contains(&part) {
                all.push(part);
            }
        }
    }
    all
}

/// What is said around goes before what the alternative says.
fn absorb(told: &mut Told, one: Told, says_types: bool) {
    if says_types {
        told.add_types(&one.types);
    }
    told.description = told.description.take().or(one.description);
    told.default = told.default.take().or(one.default);
    told.format = told.format.take().or(one.format);
    told.items = told.items.take().or(one.items);
    told.note = told.note.take().or(one.note);
    told.more_options = told.more_options.or(one.more_options);
    told.deprecated |= one.deprecated;
    told.requires.extend(one.requires);
    told.options.extend(one.options);
    told.examples.extend(one.examples);
    told.limits.extend(one.limits);
    told.positions.extend(one.positions);
    told.one_of.extend(one.one_of);
    for (name, member) in one.properties {
        if told.properties.iter().all(|(known, _)| *known != name) {
            told.properties.push((name, member));
        }
    }
}

/// Alternatives that only name values are one list of values; what each means is said with it.
fn choices(told: &mut Told, alternatives: Vec<Told>, says_types: bool) {
    let mut meanings = Vec::new();
    for mut one in alternatives {
        if let (Some(meaning), [value]) = (one.description.take(), one.options.as_slice()) {
            meanings.push(wording::value_means(value, &meaning));
        }
        absorb(told, one, says_types);
    }
    told.description = wording::meaning_and(told.description.take(), &meanings);
}

fn is_null(told: &Told) -> bool {
    told.types == ["null"] && told.options.iter().all(Value::is_null)
}

/// Whether it is nothing but a list of values.
fn is_choice(told: &Told) -> bool {
    let Told { types, description, options, more_options, .. } = told;
    let plain = Told {
        types: types.clone(),
        description: description.clone(),
        options: options.clone(),
        more_options: *more_options,
        ..Told::default()
    };
    !options.is_empty() && *told == plain
}

/// Whether each has types that no other has, and says only what is bound to them.
fn are_distinct(alternatives: &[Told]) -> bool {
    let mut seen = HashSet::new();
    alternatives.iter().all(|one| {
        let bound = one.options.is_empty()
            && one.one_of.is_empty()
            && one.requires.is_empty()
            && one.note.is_none()
            && one.default.is_none();
        bound && !one.types.is_empty() && one.types.iter().all(|name| seen.insert(name.as_str()))
    })
}
