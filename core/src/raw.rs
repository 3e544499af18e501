//! JSON objects that keep their original text, with addressable members.
//!
//! What an upstream sends must reach the client unchanged, known to this program or not. A [`RawObject`] therefore
//! never re-serializes unedited values: it stores the range of each member's value in the text, and an edit builds a
//! new text around the unedited pieces.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt,
    ops::Range,
    sync::{Arc, LazyLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    digest::Digest,
    given::{is_like, string},
    layout::compact,
    raw_text::{Key, Member, RawText, Shared, members_of},
};

/// A JSON object: its exact text and its members, in order. One with more than 100,000 members is not parsed.
///
/// Cloning is cheap. Duplicate keys are legal JSON; the last one wins in [`RawObject::member`], and
/// all of them stay in the text.
#[derive(Clone)]
pub struct RawObject(Arc<Shared>);

impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.text() == other.text()
    }
}

impl Eq for RawObject {}

impl Default for RawObject {
    fn default() -> Self {
        Self::empty()
    }
}

impl RawObject {
    /// Parses one object; anything else is an error of `serde_json`, with line and column.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        let text: String = text.into();
        let members = members_of(&text)?;
        Ok(Self::of_members(text, members))
    }

    /// The same of a text that is kept already: nothing is copied if it is the whole of what it shares, and it is read once.
    pub fn of(text: &RawText) -> Result<Self, serde_json::Error> {
        let shared = text.whole();
        if shared.members.get().is_none() {
            let members = members_of(&shared.text)?;
            shared.members.get_or_init(|| members.into());
        }
        Ok(Self(shared))
    }

    fn of_members(text: String, members: Vec<Member>) -> Self {
        let members = members.into_boxed_slice().into();
        Self(Arc::new(Shared { members, ..text.into() }))
    }

    fn members(&self) -> &[Member] {
        // Whatever makes an object knows them.
        self.0.members.get().map_or(&[], |members| members)
    }

    /// The object without members.
    pub fn empty() -> Self {
        static EMPTY: LazyLock<RawObject> =
            LazyLock::new(|| RawObject::of_members("{}".to_owned(), Vec::new()));
        EMPTY.clone()
    }

    /// The whole text, as received or as edited.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The digest of the text, computed once.
    pub fn digest(&self) -> Digest {
        *self.0.digest.get_or_init(|| Digest::of(self.text()))
    }

    /// The text of a member's value.
    pub fn member(&self, key: &str) -> Option<&str> {
        Some(&self.text()[self.place(key)?])
    }

    /// The place of a member's value.
    fn place(&self, key: &str) -> Option<Range<usize>> {
        let (_, place) = self.members().iter().rev().find(|(name, _)| name.get(self.text()) == key)?;
        Some(place.clone())
    }

    /// The values of all members that some reader may take for `key`: several, or [in another case](is_like).
    pub fn like(&self, key: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.iter().filter(move |(name, _)| is_like(name, key)).map(|(_, value)| value)
    }

    /// The text of a member's value, without a copy.
    pub fn share(&self, key: &str) -> Option<RawText> {
        Some(RawText::part(&self.0, self.place(key)?))
    }

    /// The decoded value of a string member.
    pub fn string(&self, key: &str) -> Option<String> {
        self.decoded(key).map(Cow::into_owned)
    }

    /// The same, without a copy if it has no escapes.
    pub fn decoded(&self, key: &str) -> Option<Cow<'_, str>> {
        string(self.member(key)?)
    }

    /// A member's value, deserialized; `None` if it is missing, or of another type.
    pub fn value<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.member(key)?).ok()
    }

    /// An object member.
    pub fn object(&self, key: &str) -> Option<Self> {
        Self::parse(self.member(key)?).ok()
    }

    /// The `_meta` of a message's parameters, read once for all who ask. It is kept with the object: that of a definition, which
    /// stays, is rather read by [`object`](Self::object).
    pub fn meta(&self) -> Option<&Self> {
        self.0.meta.get_or_init(|| self.object("_meta")).as_ref()
    }

    /// Whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members().is_empty()
    }

    /// The members in order, values as text.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        let text = self.text();
        self.members().iter().map(move |(key, place)| (key.get(text), &text[place.clone()]))
    }

    /// The object with `key` set to the JSON text `value`: in its old place, or at the end.
    ///
    /// `value` must be JSON; anything else would make the text invalid, so it is checked in debug builds.
    pub fn with(&self, key: &str, value: &str) -> Self {
        debug_assert!(serde_json::from_str::<&RawValue>(value).is_ok(), "not JSON: {value}");
        let mut set = Some((key, value));
        let placed =
            self.iter().filter_map(|(name, old)| if name == key { set.take() } else { Some((name, old)) });
        let mut pieces: Vec<(&str, &str)> = placed.collect();
        pieces.extend(set);
        Self::assemble(pieces)
    }

    /// The object with the members of another one that it lacks, behind its own.
    pub fn over(&self, other: &Self) -> Self {
        let own: HashSet<&str> = self.iter().map(|(key, _)| key).collect();
        Self::assemble(self.iter().chain(other.iter().filter(|(key, _)| !own.contains(key))))
    }

    /// The object with `key` set to a value whose serialization cannot fail, such as a string.
    pub fn with_value(&self, key: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_string(value) {
            Ok(text) => self.with(key, &text),
            Err(_) => self.clone(),
        }
    }

    /// The object with `key` set to an array of these.
    pub fn with_list<'a>(&self, key: &str, items: impl IntoIterator<Item = &'a Self>) -> Self {
        let items: Vec<&str> = items.into_iter().map(Self::text).collect();
        self.with(key, &format!("[{}]", items.join(",")))
    }

    /// The object with only the members whose key `keep` accepts.
    pub fn retain(&self, keep: impl Fn(&str) -> bool) -> Self {
        if self.iter().all(|(key, _)| keep(key)) {
            return self.clone();
        }
        Self::assemble(self.iter().filter(|(key, _)| keep(key)))
    }

    /// The object without white space between tokens, which would cost a model tokens. The text of numbers and strings
    /// is kept.
    pub fn compact(&self) -> Self {
        Self::parse(compact(self.text())).unwrap_or_else(|_| self.clone())
    }

    /// An object of these members, values as JSON text.
    pub fn assemble<'a>(pieces: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let pieces: Vec<(&str, &str)> = pieces.into_iter().collect();
        // A text that grows takes up to three times its size meanwhile, and some are as long as a message may be.
        let length: usize = pieces.iter().map(|(key, value)| key.len() + value.len() + 4).sum();
        let mut text = String::with_capacity(length + 2);
        text.push('{');
        let mut members = Vec::with_capacity(pieces.len());
        for (key, value) in pieces {
            if text.len() > 1 {
                text.push(',');
            }
            // A string has a JSON text.
            let quoted = serde_json::to_string(key).unwrap_or_default();
            let key = match quoted.len() == key.len() + 2 {
                true => Key::Plain(text.len() + 1..text.len() + 1 + key.len()),
                false => Key::Escaped(key.into()),
            };
            text.push_str(&quoted);
            text.push(':');
            members.push((key, text.len()..text.len() + value.len()));
            text.push_str(value);
        }
        text.push('}');
        Self::of_members(text, members)
    }

    /// The whole text, without a copy.
    pub fn into_text(self) -> RawText {
        RawText::part(&self.0, 0..self.text().len())
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.clone().into_text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(&RawText::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raw_text::MAX_MEMBERS;

    #[test]
    fn unedited_members_keep_every_byte() {
        let text = r#" { "a" : 1.0e+2, "big": 123456789012345678901234567890, "a\u0062" : [ 1 ,2 ] } "#;
        let object = RawObject::parse(text).unwrap();
        assert_eq!(object.text(), text);
        assert_eq!(object.member("big"), Some("123456789012345678901234567890"));
        assert_eq!(object.member("ab"), Some("[ 1 ,2 ]"));
        let edited = object.with("a", "true").with_value("new", "x\"y");
        assert_eq!(
            edited.text(),
            r#"{"a":true,"big":123456789012345678901234567890,"ab":[ 1 ,2 ],"new":"x\"y"}"#
        );
        assert_eq!(edited.member("ab"), Some("[ 1 ,2 ]"));
        assert_eq!(edited.retain(|key| key == "big").text(), r#"{"big":123456789012345678901234567890}"#);
    }

    #[test]
    fn members_are_bounded() {
        let object = |members: usize| format!("{{{}}}", vec![r#""":1"#; members].join(","));
        assert_eq!(RawObject::parse(object(MAX_MEMBERS)).unwrap().iter().count(), MAX_MEMBERS);
        let error = RawObject::parse(object(MAX_MEMBERS + 1)).unwrap_err().to_string();
        assert!(error.contains("more than 100000 members"), "{error}");
    }

    proptest! {
        #[test]
        fn an_edit_changes_one_member_only(keys in proptest::collection::vec("\\PC{0,6}", 0..6), key in "\\PC{0,6}") {
            let is_as_read = |object: &RawObject| {
                RawObject::parse(object.text()).unwrap().iter().eq(object.iter())
            };
            let twice = RawObject::assemble(keys.iter().chain(&keys).map(|key| (key.as_str(), "1")));
            prop_assert!(is_as_read(&twice), "{:?}", twice);
            let value = serde_json::Value::Object(keys.iter().map(|key| (key.clone(), 1.into())).collect());
            let object = RawObject::parse(value.to_string()).unwrap().with(&key, "2");
            let mut expected = value;
            expected[&key] = 2.into();
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(object.text()).unwrap(), expected);
            prop_assert!(is_as_read(&object) && object.member(&key) == Some("2"), "{:?}", object);
        }
    }
}
