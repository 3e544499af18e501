//! Names as peers give them in requests: how many are taken, and how much of one is repeated in an answer. Both are decided before
//! anything is copied: a request may be as long as a message.

use std::{borrow::Cow, fmt};

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Maximum number of names in one request, whatever else is set.
pub const MOST_NAMES: usize = 100;

/// Maximum length of a name in an answer, in characters.
pub const LONGEST_SHOWN: usize = 200;

/// Maximum length of a text in which names are looked for, in bytes: more than [`MOST_NAMES`] names of [`LONGEST_SHOWN`] characters
/// have, percent-encoded. What is longer names nothing.
pub const LONGEST_TEXT: usize = 256 * 1024;

/// A name as answers repeat it: its beginning and `…` if it is long.
pub fn shown(name: &str) -> Cow<'_, str> {
    let cut = |text: &str, most: usize| text.char_indices().nth(most).map(|(at, _)| at);
    match cut(name, LONGEST_SHOWN).and_then(|_| cut(name, LONGEST_SHOWN - 1)) {
        Some(end) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// The beginning of a text, up to [`LONGEST_TEXT`].
pub fn beginning(text: &str) -> &str {
    first(text, LONGEST_TEXT)
}

/// At most the first `most` bytes of a text.
pub fn first(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// A JSON string, decoded; without a copy, if it has no escapes.
pub fn string(json: &str) -> Option<Cow<'_, str>> {
    let plain = serde_json::from_str::<&str>(json).map(Cow::Borrowed);
    plain.or_else(|_| serde_json::from_str::<String>(json).map(Cow::Owned)).ok()
}

/// The items of a JSON array, up to one more than `most`: then there are too many, and the rest is not read. `None` for anything else.
pub fn items(json: &str, most: usize) -> Option<Vec<&str>> {
    Some(values(json, most)?.into_iter().map(RawValue::get).collect())
}

/// The same, as values.
pub fn values(json: &str, most: usize) -> Option<Vec<&RawValue>> {
    let mut items = Vec::new();
    let read = serde_json::Deserializer::from_str(json).deserialize_seq(Items { most, items: &mut items });
    (read.is_ok() || items.len() > most).then_some(items)
}

/// Reads items until there are too many.
struct Items<'i, 't> {
    most: usize,
    items: &'i mut Vec<&'t RawValue>,
}

impl<'t> Visitor<'t> for Items<'_, 't> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.items.push(item);
            if self.items.len() > self.most {
                return Err(A::Error::custom("too many items"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_two_hundred_characters() {
        let long = "ü".repeat(LONGEST_SHOWN);
        assert_eq!(shown(&long), long);
        let cut = shown(&format!("{long}x")).into_owned();
        assert!(cut.chars().count() == LONGEST_SHOWN && cut.ends_with("ü…"), "{cut}");
        assert_eq!(beginning("ü".repeat(LONGEST_TEXT).as_str()).len(), LONGEST_TEXT);
        assert_eq!(beginning("short"), "short");
    }

    #[test]
    fn items_are_read_as_far_as_they_are_taken() {
        assert_eq!(items(r#" [ "a" , 1, {"b":[2]} ] "#, 3), Some(vec![r#""a""#, "1", r#"{"b":[2]}"#]));
        assert_eq!(items("[]", 0), Some(vec![]));
        assert_eq!(items("[1,2,3,4]", 2), Some(vec!["1", "2", "3"]));
        for other in ["{}", "7", "\"[]\"", "[", "[1,", ""] {
            assert_eq!(items(other, 9), None, "{other}");
        }
        assert_eq!(string(r#""a\u0062""#).as_deref(), Some("ab"));
        assert!(matches!(string("\"ab\""), Some(Cow::Borrowed("ab"))) && string("7").is_none());
    }
}
