//! What is told of a value, as one phrase.

use super::told::Told;
use crate::wording;

/// So many values or names are said.
const MOST: usize = 12;

/// The value as a phrase: "array of string: The names".
pub(super) fn of(told: &Told) -> String {
    let kind = kind(told);
    match &told.description {
        Some(description) if kind == wording::ANYTHING => description.clone(),
        Some(description) => wording::phrase(&kind, description),
        None => kind,
    }
}

/// The same for a whole of which no member is known; `None` where nothing is known at all.
pub(super) fn of_whole(told: &Told) -> Option<String> {
    let kind = kind(told);
    (kind != wording::ANYTHING && kind != "object").then(|| of(told))
}

fn kind(told: &Told) -> String {
    if !told.one_of.is_empty() {
        return wording::either(&told.one_of.iter().take(MOST).map(of).collect::<Vec<_>>());
    }
    if !told.options.is_empty() {
        let options = told.options.iter().take(MOST).map(ToString::to_string);
        return wording::one_of(&options.collect::<Vec<_>>(), told.options.len() > MOST);
    }
    let names: Vec<String> = told.types.iter().map(|name| part(told, name)).collect();
    if names.is_empty() { wording::ANYTHING.to_owned() } else { names.join(" or ") }
}

fn part(told: &Told, name: &str) -> String {
    match (name, &told.items) {
        ("array", Some(items)) if kind(items) != wording::ANYTHING => wording::array_of(&kind(items)),
        ("object", _) if !told.properties.is_empty() => {
            let names: Vec<&str> = told.properties.iter().take(MOST).map(|(name, _)| &**name).collect();
            wording::object_with(&names, told.properties.len() > MOST)
        }
        _ => name.to_owned(),
    }
}
