//! JSON-RPC batches, which only revision 2025-03-26 has. Each message is handled as if it had come alone.

use std::{fmt, sync::Arc};

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Connection;
use crate::{Bound, Outline, RequestId};

/// The revision with batches.
const REVISION: &str = "2025-03-26";

impl Connection {
    /// Processes a batch; `false` if the text is not a batch, or the negotiated revision has none.
    pub(super) fn receive_batch(self: &Arc<Self>, text: &[u8], about: Option<RequestId>) -> bool {
        if self.revision() != Some(REVISION) || text.trim_ascii_start().first() != Some(&b'[') {
            return false;
        }
        let most = self.bounds.batch_messages;
        match messages(text, most) {
            Some(Ok(messages)) if !messages.is_empty() => {
                messages.iter().for_each(|message| self.receive_one(message.get().as_bytes(), about));
                true
            }
            Some(Err(TooMany)) => {
                let Bound { most, setting } = most;
                let reason = format!("a batch has more than {most} messages ({setting})");
                self.fail_meant(&Outline::of(text), &reason, about);
                true
            }
            Some(Ok(_)) | None => false,
        }
    }
}

/// A batch has more messages than allowed.
#[derive(Debug)]
struct TooMany;

/// The messages of a batch; `None` if the text is not a JSON array.
fn messages(text: &[u8], most: Bound) -> Option<Result<Vec<&RawValue>, TooMany>> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let mut too_many = false;
    let read = Elements { most: most.most, too_many: &mut too_many }.deserialize(&mut reader);
    match read {
        Ok(messages) => reader.end().is_ok().then_some(Ok(messages)),
        Err(_) if too_many => Some(Err(TooMany)),
        Err(_) => None,
    }
}

/// Reads an array without collecting more than allowed: its elements may be short and many.
struct Elements<'a> {
    most: usize,
    too_many: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = elements.next_element()? {
            if messages.len() == self.most {
                *self.too_many = true;
                return Err(A::Error::custom("too many messages"));
            }
            messages.push(message);
        }
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u7_the_messages_of_a_batch_are_taken_as_they_are_and_not_too_many() {
        let two = Bound { most: 2, setting: "test" };
        let read = |text: &'static str| {
            let messages = messages(text.as_bytes(), two)?;
            Some(messages.map(|found| found.iter().map(|raw| raw.get()).collect::<Vec<_>>()).ok())
        };
        assert_eq!(read(r#" [{"a": 1.0}, [ ]]"#), Some(Some(vec![r#"{"a": 1.0}"#, "[ ]"])));
        assert_eq!(read("[]"), Some(Some(vec![])));
        assert_eq!(read("[1,2,3"), Some(None));
        for no_batch in ["[1,2", "[1] 2", "[1,]", "{}", "", "[\u{7f}"] {
            assert_eq!(read(no_batch), None, "{no_batch}");
        }
    }
}
