//! JSON-RPC batches, which only revision 2025-03-26 has. Each message is handled as if it had come alone.

use std::sync::Arc;

use mcp_disclosure_core::given;

use super::Connection;
use crate::{RequestId, outline::Outline};

/// The revision with batches.
const REVISION: &str = "2025-03-26";

impl Connection {
    /// Processes a batch; `false` if the text is not a batch, or the negotiated revision has none.
    pub(super) fn receive_batch(self: &Arc<Self>, text: &[u8], about: Option<RequestId>) -> bool {
        if self.revision() != Some(REVISION) || text.trim_ascii_start().first() != Some(&b'[') {
            return false;
        }
        let (most, setting) = (self.bounds.batch_messages.most, self.bounds.batch_messages.in_brackets());
        match messages(text, most) {
            Some(messages) if messages.len() > most => {
                let reason = format!("a batch has more than {most} messages{setting}");
                self.fail_meant(&Outline::of(text), &reason, about);
                true
            }
            Some(messages) if !messages.is_empty() => {
                messages.iter().for_each(|message| self.receive_one(message.as_bytes(), about));
                true
            }
            _ => false,
        }
    }
}

/// The messages of a batch, of too many one more than `most`; `None` if the text is not a JSON array.
fn messages(text: &[u8], most: usize) -> Option<Vec<&str>> {
    given::items(std::str::from_utf8(text).ok()?, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u7_the_messages_of_a_batch_are_taken_as_they_are_and_not_too_many() {
        let read = |text: &'static str| messages(text.as_bytes(), 2);
        assert_eq!(read(r#" [{"a": 1.0}, [ ]]"#), Some(vec![r#"{"a": 1.0}"#, "[ ]"]));
        assert_eq!(read("[]"), Some(vec![]));
        assert_eq!(read("[1,2,3").map(|messages| messages.len()), Some(3));
        for no_batch in ["[1,2", "[1] 2", "[1,]", "{}", "", "[\u{7f}"] {
            assert_eq!(read(no_batch), None, "{no_batch}");
        }
    }
}
