//! Names as peers give them in requests: how many are taken, and how much of one is repeated in an answer. Both are decided before
//! anything is copied: a request may be as long as a message.

use std::{borrow::Cow, fmt};

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::take::Text;

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
    serde_json::from_str(json).ok().map(|Text(text)| text)
}

/// What some decoders take for an ASCII letter, though it is none: a long s, a dotless i and the sign of kelvin.
const FOLDED: [char; 3] = ['ſ', 'ı', '\u{212a}'];

/// Whether a reader that ignores case would take `key` for `ours`, which is ASCII. Some characters beyond ASCII fold to ASCII
/// letters, such as the long s.
pub fn is_like(key: &str, ours: &str) -> bool {
    let fold = |character: char| character.to_uppercase().flat_map(char::to_lowercase);
    let is_folded =
        || key.len() <= 3 * ours.len() && key.chars().flat_map(fold).eq(ours.chars().flat_map(fold));
    // Nearly all keys are ASCII. Folding each of them character by character took a sixth of a call's time.
    key.eq_ignore_ascii_case(ours) || (!key.is_ascii() && is_folded())
}

/// Whether an object somewhere in a JSON text can have a member [like](is_like) one of these: results are large, and nearly all have
/// not. A key may be written in escapes. Single characters are looked for, in one pass, which takes a small part of the time that
/// patterns do.
pub fn may_have(text: &str, members: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let is_member = |rest: &[u8]| {
        members.iter().any(|member| {
            let key = rest.get(..=member.len()).and_then(<[u8]>::split_last);
            key.is_some_and(|(end, key)| *end == b'"' && key.eq_ignore_ascii_case(member.as_bytes()))
        })
    };
    let may_begin_one = |(at, byte): (usize, &u8)| match byte {
        b'"' => is_member(&bytes[at + 1..]),
        b'\\' => bytes.get(at + 1) == Some(&b'u'),
        _ => false,
    };
    bytes.iter().enumerate().any(may_begin_one)
        || (!text.is_ascii() && FOLDED.into_iter().any(|character| text.contains(character)))
}

/// The items of a JSON array, up to one more than `most`: then there are too many, and the rest is not read. `None` for anything else.
pub fn items(json: &str, most: usize) -> Option<Vec<&str>> {
    Some(values(json, most)?.into_iter().map(RawValue::get).collect())
}

/// The same, as values.
pub fn values(json: &str, most: usize) -> Option<Vec<&RawValue>> {
    let (mut items, mut reader) = (Vec::new(), serde_json::Deserializer::from_str(json));
    let read = reader.deserialize_seq(Items { most, items: &mut items }).and_then(|()| reader.end());
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
    fn items_are_read_as_far_as_they_are_taken() {
        assert_eq!(items(r#" [ "a" , 1, {"b":[2]} ] "#, 3), Some(vec![r#""a""#, "1", r#"{"b":[2]}"#]));
        assert_eq!(items("[]", 0), Some(vec![]));
        assert_eq!(items("[1,2,3,4]", 2), Some(vec!["1", "2", "3"]));
        for other in ["{}", "7", "\"[]\"", "[", "[1,", "[1] 2", ""] {
            assert_eq!(items(other, 9), None, "{other}");
        }
        for (text, may) in [
            (r#"{"URI":1}"#, true),
            (r#"{"\u0075ri":1}"#, true),
            (r#"{"urı":1}"#, true),
            (r#"{"uris":"a uri"}"#, false),
            (r#"{"a":"uri"#, false),
        ] {
            assert_eq!(may_have(text, &["other", "uri"]), may, "{text}");
        }
        assert_eq!(string(r#""a\u0062""#).as_deref(), Some("ab"));
        assert!(matches!(string("\"ab\""), Some(Cow::Borrowed("ab"))));
        for other in ["7", "null", r#""\ud800""#, r#""a" "b""#] {
            assert_eq!(string(other), None, "{other}");
        }
    }
}
