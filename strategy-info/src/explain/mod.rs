//! Summarizes a JSON Schema for a model that wants to call a tool: each parameter in a few words.
//!
//! Every schema can be summarized in bounded time: `true`, a recursive one, one of 500 levels or of a megabyte.
//! The length of a summary is bounded. It is as deep as that bound permits; where a schema is so wide that its
//! parameters alone exceed the bound, required ones come first and the rest is counted.

mod document;
mod layers;
mod limits;
mod summarizer;
mod summary;
mod union;
mod words;

use std::collections::HashSet;

use document::Document;
use serde_json::{Map, Value};
use summarizer::Summarizer;
pub use summary::SchemaSummary;

use crate::wording;

/// Maximum depth of nested properties, counted from the parameters.
const DEEPEST: usize = 8;
/// Maximum length of a summary with nested properties, in characters, about. Real tools need 300 to 4,000.
const ROOM: usize = 6_000;
/// Maximum length of a summary without nested properties.
const ROOM_FOR_NAMES: usize = 24_000;
/// Maximum number of parameters where even that is too short,
const MOST_PARAMETERS: usize = 100;
/// and the maximum length of each.
const ROOM_FOR_EACH: usize = 200;
/// Maximum depth and length of the summary of an `outputSchema`.
const DEPTH_OF_RETURNS: usize = 2;
const ROOM_FOR_RETURNS: usize = 3_000;

/// Summarizes an `inputSchema`: its parameters as `properties`, and what applies to all of them together as
/// `requires`, `one_of` and `note`.
pub fn parameters(schema: &str) -> SchemaSummary {
    let document = Document::read(schema);
    let attempts = (1..=DEEPEST).rev().map(|depth| (depth, ROOM)).chain([(1, ROOM_FOR_NAMES)]);
    summarize(&document, attempts).unwrap_or_else(|| first_parameters(&document))
}

/// Summarizes the parameters of a small `inputSchema` in a phrase each. Parameters with members of their own keep the form
/// of [`parameters`], and so does a schema that states more than parameters: then this is `None`.
pub fn in_short(schema: &str) -> Option<Value> {
    let SchemaSummary { properties, requires, one_of, note, .. } = parameters(schema);
    match (properties.is_empty(), note) {
        _ if !requires.is_empty() || !one_of.is_empty() => None,
        (true, None) => Some(wording::NO_PARAMETERS.into()),
        (true, Some(note)) => (note == wording::OPEN).then(|| wording::ANY_PARAMETERS.into()),
        (false, Some(_)) => None,
        (false, None) => {
            let short = |(name, summary): (String, SchemaSummary)| match words::of_parameter(&summary) {
                Some(phrase) => (name, phrase.into()),
                None => (name, summary.members().into()),
            };
            Some(Value::Object(properties.into_iter().map(short).collect()))
        }
    }
}

/// Summarizes an `outputSchema`: a phrase for each member, or for the whole. `None` if it says nothing.
pub fn returns(schema: &str) -> Option<Value> {
    let document = Document::read(schema);
    let attempts = (0..=DEPTH_OF_RETURNS).rev().map(|depth| (depth, ROOM_FOR_RETURNS));
    let summary = summarize(&document, attempts).unwrap_or_else(|| first_parameters(&document));
    let members = summary.properties.iter().map(|(name, member)| (name.clone(), words::of(member).into()));
    let members: Map<String, Value> = members.collect();
    if members.is_empty() { words::of_whole(&summary).map(Value::from) } else { Some(members.into()) }
}

/// The first of these attempts, `(depth, room)`, that fits.
fn summarize(document: &Document, attempts: impl Iterator<Item = (usize, usize)>) -> Option<SchemaSummary> {
    attempts.map(|(depth, room)| Summarizer::new(document, depth, room).root()).find_map(Result::ok)
}

/// The first of very many parameters, briefly; required ones come first.
fn first_parameters(document: &Document) -> SchemaSummary {
    let layers = Summarizer::new(document, 0, 0).layers(&[document.root()]);
    let required: HashSet<&str> = layers.required().collect();
    let mut all: Vec<(&str, Vec<&Value>)> = layers.properties().collect();
    all.sort_by_key(|(name, _)| !required.contains(name));
    let count = all.len();
    let fitting = all.into_iter().filter(|(name, _)| name.len() <= ROOM_FOR_EACH).take(MOST_PARAMETERS);
    let properties: Vec<(String, SchemaSummary)> = fitting
        .map(|(name, schemas)| {
            let summary = Summarizer::new(document, 0, ROOM_FOR_EACH).summarize(&schemas, 1);
            let summary = summary.unwrap_or_else(|_| SchemaSummary {
                note: Some(wording::TOO_LONG.to_owned()),
                ..SchemaSummary::default()
            });
            (name.to_owned(), SchemaSummary { required: Some(required.contains(name)), ..summary.typed() })
        })
        .collect();
    let note = Some(wording::more_parameters(count - properties.len()));
    SchemaSummary { properties, note, ..SchemaSummary::default() }
}

#[cfg(test)]
mod tests;
