//! The walk through a schema, to a certain depth and for a certain length.

use mcp_disclosure_core::brief::shorten;
use serde_json::Value;

use super::{document::Document, layers::Layers, limits::limits, told::Told, union};
use crate::wording;

/// A description is told up to so many characters.
const LONGEST_DESCRIPTION: usize = 600;
/// Any other text or value.
const LONGEST_VALUE: usize = 300;
/// So many values are named one by one.
const MOST_OPTIONS: usize = 100;
const MOST_EXAMPLES: usize = 5;
/// So many members are named where there is no room to tell of them.
const MOST_NAMES: usize = 12;
/// Items of items of … are told of so deep: it bounds the stack.
const DEEPEST: usize = 32;

/// Walks through a schema and tells of it.
#[derive(Debug)]
pub(super) struct Teller<'s> {
    document: &'s Document,
    /// Members of members of … are told of so deep.
    depth: usize,
    /// How many characters may still be told, about.
    room: usize,
    /// What is being told of around the present place.
    trail: Vec<&'s Value>,
    /// How many values that is.
    nesting: usize,
}

/// There is no room left.
#[derive(Debug)]
pub(super) struct TooLong;

impl<'s> Teller<'s> {
    pub(super) fn new(document: &'s Document, depth: usize, room: usize) -> Self {
        Self { document, depth, room, trail: Vec::new(), nesting: 0 }
    }

    /// Tells of what is inside the document's root: its members are the parameters.
    pub(super) fn root(mut self) -> Result<Told, TooLong> {
        let layers = self.layers(&[self.document.root()]);
        self.trail.extend(&layers.entered);
        let mut told = Told { types: types(&layers), ..Told::default() };
        self.inside(&layers, 0, &mut told)?;
        if told.properties.is_empty() && told.one_of.is_empty() && layers.is_open() {
            told.note = told.note.or(Some(wording::OPEN.to_owned()));
        }
        Ok(told)
    }

    /// Tells of a value in which all these schemas hold, `level` members deep.
    pub(super) fn tell(&mut self, schemas: &[&'s Value], level: usize) -> Result<Told, TooLong> {
        let layers = self.layers(schemas);
        let mut told = self.plain(&layers)?;
        if self.nesting == DEEPEST {
            return Ok(Told { note: told.note.or(Some(wording::TOO_LONG.to_owned())), ..told });
        }
        let length = self.trail.len();
        self.trail.extend(&layers.entered);
        self.nesting += 1;
        self.inside(&layers, level, &mut told)?;
        self.nesting -= 1;
        self.trail.truncate(length);
        Ok(told)
    }

    pub(super) fn layers(&self, schemas: &[&'s Value]) -> Layers<'s> {
        Layers::of(self.document, schemas, &self.trail)
    }

    /// All but what is inside.
    fn plain(&mut self, layers: &Layers<'s>) -> Result<Told, TooLong> {
        let mut told = Told { types: types(layers), limits: limits(layers), ..Told::default() };
        told.description = layers.text("description").map(|text| short(text, LONGEST_DESCRIPTION));
        told.default = layers.first("default").map(bounded);
        told.format = layers.text("format").map(|text| short(text, LONGEST_VALUE));
        told.deprecated = layers.first("deprecated") == Some(&Value::Bool(true));
        let options = layers.options();
        told.options = options.iter().take(MOST_OPTIONS).map(bounded).collect();
        told.more_options = Some(options.len().saturating_sub(MOST_OPTIONS)).filter(|more| *more > 0);
        // Values in a `const` have their meaning in the title as often as in the description.
        if let ([_], None) = (options, &told.description) {
            told.description = layers.text("title").map(|text| short(text, LONGEST_DESCRIPTION));
        }
        told.examples = match (layers.first("examples"), layers.first("example")) {
            (Some(Value::Array(examples)), _) => examples.iter().take(MOST_EXAMPLES).map(bounded).collect(),
            (_, Some(example)) => vec![bounded(example)],
            _ => Vec::new(),
        };
        told.note = match (layers.again, layers.elsewhere) {
            (Some((name, _)), _) => Some(wording::again(name)),
            (None, Some(reference)) => Some(wording::elsewhere(&short(reference, LONGEST_VALUE))),
            (None, None) => None,
        };
        self.spend(&told)?;
        Ok(told)
    }

    fn inside(&mut self, layers: &Layers<'s>, level: usize, told: &mut Told) -> Result<(), TooLong> {
        self.items(layers, level, told)?;
        if level < self.depth {
            self.properties(layers, level, told)?;
        } else if layers.has_properties() && layers.again.is_none() {
            let members = wording::members(&names(layers));
            self.afford(members.len())?;
            told.note = Some(members);
        }
        for group in layers.lists(&["anyOf", "oneOf"]) {
            let mut alternatives = Vec::new();
            for alternative in group {
                alternatives.push(self.tell(&[alternative], level)?);
            }
            union::fold(told, alternatives);
        }
        if level < self.depth { self.required(layers, told) } else { Ok(()) }
    }

    /// Members say themselves whether they must be given. The others are named.
    fn required(&mut self, layers: &Layers<'s>, told: &mut Told) -> Result<(), TooLong> {
        for name in layers.required() {
            match told.properties.iter_mut().find(|(known, _)| known == name) {
                Some((_, member)) => member.required = Some(true),
                None if told.requires.iter().any(|known| known == name) => {}
                None => {
                    self.afford(name.len())?;
                    told.requires.push(name.to_owned());
                }
            }
        }
        told.requires.retain(|name| told.properties.iter().all(|(known, _)| known != name));
        Ok(())
    }

    fn items(&mut self, layers: &Layers<'s>, level: usize, told: &mut Told) -> Result<(), TooLong> {
        for position in layers.lists(&["prefixItems", "items"]).flatten() {
            let item = self.tell(&[position], level)?;
            told.positions.push(item.typed());
        }
        if let Some(items @ Value::Object(members)) = layers.first("items")
            && !members.is_empty()
        {
            told.items = Some(Box::new(self.tell(&[items], level)?.typed()));
        }
        Ok(())
    }

    fn properties(&mut self, layers: &Layers<'s>, level: usize, told: &mut Told) -> Result<(), TooLong> {
        for (name, schemas) in layers.properties() {
            self.afford(name.len())?;
            let mut member = self.tell(&schemas, level + 1)?.typed();
            member.required = (level == 0).then_some(false);
            told.properties.push((name.to_owned(), member));
        }
        for (pattern, schema) in layers.other_properties() {
            let name = wording::other_names(pattern.map(|pattern| short(pattern, LONGEST_VALUE)));
            self.afford(name.len())?;
            let member = self.tell(&[schema], level + 1)?.typed();
            told.properties.push((name, member));
        }
        Ok(())
    }

    /// Takes the room that this needs.
    fn spend(&mut self, told: &Told) -> Result<(), TooLong> {
        let texts = [&told.description, &told.format, &told.note].into_iter().flatten();
        self.afford(texts.chain(&told.limits).chain(&told.types).map(String::len).sum())?;
        let mut values = told.options.iter().chain(&told.examples).chain(&told.default);
        self.room = values.try_fold(self.room, |room, value| left(value, room)).ok_or(TooLong)?;
        Ok(())
    }

    /// Takes room for so many characters, and for the names and marks around them.
    fn afford(&mut self, characters: usize) -> Result<(), TooLong> {
        self.room = self.room.checked_sub(characters + 20).ok_or(TooLong)?;
        Ok(())
    }
}

fn types(layers: &Layers<'_>) -> Vec<String> {
    layers.types().into_iter().take(MOST_NAMES).map(|name| short(name, LONGEST_VALUE)).collect()
}

/// The first names of members, those that must be given marked.
fn names(layers: &Layers<'_>) -> Vec<String> {
    let names = layers.properties().take(MOST_NAMES + 1).map(|(name, _)| {
        let required = layers.required().any(|required| required == name);
        wording::member(&short(name, LONGEST_VALUE), required)
    });
    names.collect()
}

/// Text of at most so many characters. The rest is cut off first, so that its length costs nothing.
fn short(text: &str, longest: usize) -> String {
    let text = text.trim_start();
    let end = text.char_indices().nth(2 * longest).map_or(text.len(), |(end, _)| end);
    shorten(text[..end].trim_end(), longest)
}

/// The value; where it is long, its beginning or what it is, as text.
fn bounded(value: &Value) -> Value {
    match value {
        _ if left(value, LONGEST_VALUE).is_some() => value.clone(),
        Value::String(text) => short(text, LONGEST_VALUE).into(),
        Value::Array(items) => wording::long_array(items.len()).into(),
        Value::Object(members) => wording::long_object(members.len()).into(),
        // Numbers and the like are never long.
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// What is left of so many characters after a value; `None` where it needs more. A value is not looked at
/// beyond that.
fn left(value: &Value, room: usize) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => room.checked_sub(4),
        Value::String(text) => room.checked_sub(text.len() + 2),
        Value::Array(items) => items.iter().try_fold(room.checked_sub(2)?, |room, item| left(item, room)),
        Value::Object(members) => members.iter().try_fold(room.checked_sub(2)?, |room, (key, value)| {
            left(value, room.checked_sub(key.len() + 4)?)
        }),
    }
}
