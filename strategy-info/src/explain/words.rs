//! A summary as one phrase.

use super::summary::SchemaSummary;
use crate::wording;

/// Maximum number of values or names in a phrase.
const MOST: usize = 12;

/// The value as a phrase: "array of string: The names".
pub(super) fn of(summary: &SchemaSummary) -> String {
    let kind = kind(summary);
    match &summary.description {
        Some(description) if kind == wording::ANYTHING => description.clone(),
        Some(description) => wording::phrase(&kind, description),
        None => kind,
    }
}

/// The parameter as a phrase: "integer, required, 1 to 5: How many". `None` if it has parts that a phrase only names.
pub(super) fn of_parameter(summary: &SchemaSummary) -> Option<String> {
    let is_flat = |summary: &SchemaSummary| {
        let SchemaSummary { properties, requires, positions, one_of, .. } = summary;
        properties.is_empty() && requires.is_empty() && positions.is_empty() && one_of.is_empty()
    };
    let items = summary.items.as_deref();
    if !is_flat(summary) || summary.note.is_some() || summary.deprecated || summary.options.len() > MOST {
        return None;
    }
    if items.is_some_and(|items| !is_flat(items) || items.items.is_some() || items.options.len() > MOST) {
        return None;
    }
    let mut parts = vec![kind(summary)];
    parts.extend(summary.required.filter(|required| *required).map(|_| wording::REQUIRED.to_owned()));
    parts.extend(summary.format.clone());
    parts.extend(summary.limits.iter().cloned());
    parts.extend(summary.default.as_ref().map(wording::default));
    parts.extend(summary.examples.first().map(wording::for_example));
    let parts = parts.join(", ");
    Some(match &summary.description {
        Some(description) => wording::phrase(&parts, description),
        None => parts,
    })
}

/// The phrase for a whole result without known members; `None` if nothing is known of it.
pub(super) fn of_whole(summary: &SchemaSummary) -> Option<String> {
    let kind = kind(summary);
    (kind != wording::ANYTHING && kind != "object").then(|| of(summary))
}

fn kind(summary: &SchemaSummary) -> String {
    if !summary.one_of.is_empty() {
        return wording::either(&summary.one_of.iter().take(MOST).map(of).collect::<Vec<_>>());
    }
    if !summary.options.is_empty() {
        let options = summary.options.iter().take(MOST).map(ToString::to_string);
        return wording::one_of(&options.collect::<Vec<_>>(), summary.options.len() > MOST);
    }
    let names: Vec<String> = summary.types.iter().map(|name| part(summary, name)).collect();
    if names.is_empty() { wording::ANYTHING.to_owned() } else { names.join(" or ") }
}

fn part(summary: &SchemaSummary, name: &str) -> String {
    match (name, &summary.items) {
        ("array", Some(items)) if kind(items) != wording::ANYTHING => wording::array_of(&kind(items)),
        ("object", _) if !summary.properties.is_empty() => {
            let names: Vec<&str> = summary.properties.iter().take(MOST).map(|(name, _)| &**name).collect();
            wording::object_with(&names, summary.properties.len() > MOST)
        }
        _ => name.to_owned(),
    }
}
