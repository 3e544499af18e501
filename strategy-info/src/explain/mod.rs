//! JSON Schema for people who want to use a tool: what each parameter is, in a few words.
//!
//! Any schema is explained, and quickly: `true`, one that refers to itself, one of 500 levels or of a
//! megabyte. An explanation has a bounded length. It goes as deep as it can within that; where a schema is
//! so wide that its parameters alone do not fit, those that must be given come first and the rest is counted.

mod document;
mod layers;
mod limits;
mod teller;
mod told;
mod union;
mod words;

use std::collections::HashSet;

use document::Document;
use serde_json::{Map, Value};
use teller::Teller;
pub use told::Told;

use crate::wording;

/// Members of members of … of parameters are told of so deep, at most.
const DEEPEST: usize = 8;
/// About so many characters are told of parameters with all that is inside them. Real tools need 300 to
/// 4,000.
const ROOM: usize = 6_000;
/// The same without what is inside them.
const ROOM_FOR_NAMES: usize = 24_000;
/// So many parameters are told where even that is too little,
const MOST_PARAMETERS: usize = 100;
/// each in so many characters.
const ROOM_FOR_EACH: usize = 200;
/// What is returned is told to this depth, in about so many characters.
const DEPTH_OF_RETURNS: usize = 2;
const ROOM_FOR_RETURNS: usize = 3_000;

/// The parameters that an `inputSchema` describes, as `properties`; beside them, what holds for all of them
/// together (`requires`, `one_of`, `note`).
pub fn parameters(schema: &str) -> Told {
    let document = Document::read(schema);
    let attempts = (1..=DEEPEST).rev().map(|depth| (depth, ROOM)).chain([(1, ROOM_FOR_NAMES)]);
    tell(&document, attempts).unwrap_or_else(|| first_parameters(&document))
}

/// What an `outputSchema` describes: words for each member, or for the whole. `None` where it says nothing.
pub fn returns(schema: &str) -> Option<Value> {
    let document = Document::read(schema);
    let attempts = (0..=DEPTH_OF_RETURNS).rev().map(|depth| (depth, ROOM_FOR_RETURNS));
    let told = tell(&document, attempts).unwrap_or_else(|| first_parameters(&document));
    let members = told.properties.iter().map(|(name, member)| (name.clone(), words::of(member).into()));
    let members: Map<String, Value> = members.collect();
    if members.is_empty() { words::of_whole(&told).map(Value::from) } else { Some(members.into()) }
}

/// The first of these attempts that has room enough.
fn tell(document: &Document, attempts: impl Iterator<Item = (usize, usize)>) -> Option<Told> {
    attempts.map(|(depth, room)| Teller::new(document, depth, room).root()).find_map(Result::ok)
}

/// Some of very many parameters, in short: those that must be given first.
fn first_parameters(document: &Document) -> Told {
    let layers = Teller::new(document, 0, 0).layers(&[document.root()]);
    let required: HashSet<&str> = layers.required().collect();
    let mut all: Vec<(&str, Vec<&Value>)> = layers.properties().collect();
    all.sort_by_key(|(name, _)| !required.contains(name));
    let count = all.len();
    let fitting = all.into_iter().filter(|(name, _)| name.len() <= ROOM_FOR_EACH).take(MOST_PARAMETERS);
    let properties: Vec<(String, Told)> = fitting
        .map(|(name, schemas)| {
            let told = Teller::new(document, 0, ROOM_FOR_EACH).tell(&schemas, 1);
            let told =
                told.unwrap_or_else(|_| Told { note: Some(wording::TOO_LONG.to_owned()), ..Told::default() });
            (name.to_owned(), Told { required: Some(required.contains(name)), ..told.typed() })
        })
        .collect();
    let note = Some(wording::more_parameters(count - properties.len()));
    Told { properties, note, ..Told::default() }
}

#[cfg(test)]
mod tests;
