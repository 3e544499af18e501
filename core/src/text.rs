//! JSON text that shares the text it was found in.

use std::{fmt, ops::Range, sync::Arc};

use serde::{Deserialize, Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;

/// The JSON text of a value. Cloning is cheap, and so is taking it out of an object: see
/// [`RawObject::share`](crate::RawObject::share).
#[derive(Clone, Deserialize)]
#[serde(from = "Box<RawValue>")]
pub struct RawText {
    text: Arc<String>,
    range: Range<usize>,
}

impl RawText {
    /// A part of a text that is JSON by itself.
    pub(crate) fn part(text: &Arc<String>, range: Range<usize>) -> Self {
        Self { text: Arc::clone(text), range }
    }

    /// Takes text that is JSON.
    ///
    /// # Errors
    /// It is not.
    pub fn parse(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self::from)
    }

    /// The text by itself, shared where nothing else is in it.
    pub(crate) fn whole(&self) -> Arc<String> {
        match self.range.len() == self.text.len() {
            true => Arc::clone(&self.text),
            false => Arc::new(self.get().to_owned()),
        }
    }

    /// The text.
    pub fn get(&self) -> &str {
        &self.text[self.range.clone()]
    }
}

impl From<Box<RawValue>> for RawText {
    fn from(value: Box<RawValue>) -> Self {
        let text = String::from(Box::<str>::from(value));
        Self { range: 0..text.len(), text: Arc::new(text) }
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
