//! The JSON texts of values, shared by all who have them, and what is found out about each once.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    hash::{BuildHasher, RandomState},
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use serde::{Deserialize, Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;

use crate::{digest::Digest, raw::RawObject, take::each_member};

/// Maximum number of members. Each takes 40 bytes, and may be five bytes of text.
pub(crate) const MAX_MEMBERS: usize = 100_000;

/// A text, and what is found out about it once, for all who share it: the same definition is in an upstream's lists, in each
/// snapshot that is made of them, and compared with what was reviewed.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    // A `String`, which an assembled text becomes without a copy: some are as long as a message may be.
    pub(crate) text: String,
    /// The members in order, values as places in the text, once it was read as an object.
    pub(crate) members: OnceLock<Box<[Member]>>,
    pub(crate) digest: OnceLock<Digest>,
    /// Its member `_meta`, once it was asked for.
    pub(crate) meta: OnceLock<Option<RawObject>>,
}

/// A member's key, and the place of its value.
pub(crate) type Member = (Key, Range<usize>);

#[derive(Debug)]
pub(crate) enum Key {
    /// Written as it is, at this place.
    Plain(Range<usize>),
    /// Written with escapes.
    Escaped(Box<str>),
}

impl Key {
    pub(crate) fn get<'t>(&'t self, text: &'t str) -> &'t str {
        match self {
            Self::Plain(place) => &text[place.clone()],
            Self::Escaped(key) => key,
        }
    }
}

/// The members of an object.
pub(crate) fn members_of(text: &str) -> Result<Vec<Member>, serde_json::Error> {
    let place = |part: &str| {
        let from = part.as_ptr() as usize - text.as_ptr() as usize;
        from..from + part.len()
    };
    let mut members = Vec::new();
    each_member(text, |key, value| {
        if members.len() == MAX_MEMBERS {
            return Err(format!("an object of more than {MAX_MEMBERS} members"));
        }
        let key = match key {
            Cow::Borrowed(key) => Key::Plain(place(key)),
            Cow::Owned(key) => Key::Escaped(key.into()),
        };
        members.push((key, place(value)));
        Ok(())
    })?;
    Ok(members)
}

impl From<String> for Shared {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The JSON text of a value. Cloning is cheap, and so is taking it out of an object: see
/// [`RawObject::share`](crate::RawObject::share).
#[derive(Clone, Deserialize)]
#[serde(from = "Box<RawValue>")]
pub struct RawText {
    shared: Arc<Shared>,
    range: Range<usize>,
}

impl RawText {
    /// A part of a text that is JSON by itself.
    pub(crate) fn part(shared: &Arc<Shared>, range: Range<usize>) -> Self {
        Self { shared: Arc::clone(shared), range }
    }

    /// Takes text that is JSON.
    ///
    /// # Errors
    /// It is not.
    pub fn parse(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self::from)
    }

    /// The text by itself, shared where nothing else is in it.
    pub(crate) fn whole(&self) -> Arc<Shared> {
        match self.range.len() == self.shared.text.len() {
            true => Arc::clone(&self.shared),
            false => Arc::new(self.get().to_owned().into()),
        }
    }

    /// A value as text; `null` if that fails, which it cannot for this project's types.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Self {
        serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()).into()
    }

    /// The object without members.
    pub fn empty_object() -> Self {
        RawObject::empty().into_text()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.shared.text[self.range.clone()]
    }

    /// The same, by the name that it has for `RawValue`.
    pub fn get(&self) -> &str {
        self.as_str()
    }

    /// The text as UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }

    /// A member that is a string, if this is an object with one.
    pub fn string(&self, key: &str) -> Option<String> {
        RawObject::of(self).ok()?.string(key)
    }
}

impl PartialEq for RawText {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.shared, &other.shared) && self.range == other.range;
        is_same || self.as_str() == other.as_str()
    }
}

impl Eq for RawText {}

impl From<String> for RawText {
    /// The text must be JSON.
    fn from(text: String) -> Self {
        Self { range: 0..text.len(), shared: Arc::new(text.into()) }
    }
}

impl From<RawObject> for RawText {
    fn from(object: RawObject) -> Self {
        object.into_text()
    }
}

impl From<Box<RawValue>> for RawText {
    fn from(value: Box<RawValue>) -> Self {
        String::from(Box::<str>::from(value)).into()
    }
}

/// Texts that are kept once, whoever lists them: a server that is started several times, one that lists what it listed in an
/// earlier run of the program, each client's own connection. Those that are no longer used are forgotten.
#[derive(Debug, Default)]
pub struct Texts(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    by: RandomState,
    /// By their hashes; of several with the same hash, one.
    texts: HashMap<u64, Weak<Shared>>,
    /// How many there may be before those that are gone are looked for.
    most: usize,
}

impl Texts {
    /// The same text, as it is kept.
    pub fn keep(&self, text: RawText) -> RawText {
        // A panic while the lock was held cannot have left the map inconsistent.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = known.by.hash_one(text.get());
        let kept = known.texts.get(&hash).and_then(Weak::upgrade);
        if let Some(kept) = kept.filter(|kept| kept.text == text.get()) {
            return RawText::part(&kept, 0..kept.text.len());
        }
        if known.texts.len() >= known.most {
            known.texts.retain(|_, text| text.strong_count() > 0);
            known.most = 2 * known.texts.len() + 1_000;
        }
        let whole = text.whole();
        known.texts.insert(hash, Arc::downgrade(&whole));
        RawText::part(&whole, 0..whole.text.len())
    }
}

impl Serialize for RawText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.get()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl fmt::Debug for RawText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_while_somebody_has_them() {
        let texts = Texts::default();
        let keep = |text: &str| texts.keep(RawText::parse(text.to_owned()).unwrap());
        let (one, same, other) = (keep(r#"{"a":1}"#), keep(r#"{"a":1}"#), keep(r#"{"a": 1}"#));
        assert!(Arc::ptr_eq(&one.shared, &same.shared) && !Arc::ptr_eq(&one.shared, &other.shared));
        let part = RawObject::parse(r#"{"x":{"a":1}}"#).unwrap().share("x").unwrap();
        assert!(Arc::ptr_eq(&texts.keep(part).shared, &one.shared));
        (0..10_000).for_each(|number| drop(keep(&number.to_string())));
        assert!(texts.0.lock().unwrap().texts.len() < 2_000);
        assert!(Arc::ptr_eq(&keep(r#"{"a":1}"#).shared, &one.shared));
    }
}
