//! The size of a JSON text as a value, and of tools for a model.

use serde_json::Value;

use crate::{layout, raw::RawObject};

const VALUE: usize = size_of::<Value>();
/// A member in an object's table: key, value, hash and index.
const MEMBER: usize = VALUE + size_of::<String>() + 2 * size_of::<usize>();
/// What the allocator adds to an allocation.
const OVERHEAD: usize = 16;

/// What a token of one byte takes at most, in bytes; see [`memory`].
const MOST_OF_A_BYTE: usize = 1 + 3 * MEMBER + 4 * MEMBER + 2 * OVERHEAD;

/// Whether the [`Value`] of a JSON text takes at most this memory, in bytes. Most texts are so short that none is counted.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    VALUE + text.len() * MOST_OF_A_BYTE <= most || memory(text) <= most
}

/// An upper bound of the memory that the [`Value`] of a JSON text takes, in bytes.
///
/// One pass over the text, before anything is parsed: a [`Value`] takes up to 200 times its text.
pub(crate) fn memory(text: &str) -> usize {
    let (mut memory, mut before) = (VALUE + text.len(), "");
    for token in layout::tokens(text) {
        memory += match token {
            // A table that is full grows to twice its size, and both exist while it is copied.
            "," => 3 * MEMBER,
            _ if token.starts_with('"') => 2 * OVERHEAD,
            _ => 0,
        };
        // The first element makes room for four.
        memory += match before {
            "[" if token != "]" => 4 * VALUE + 2 * OVERHEAD,
            "{" if token != "}" => 4 * MEMBER + 2 * OVERHEAD,
            _ => 0,
        };
        before = token;
    }
    memory
}

/// What ordinary hosts show their models of a listed tool: what APIs of models take, which is `name`, `description` and
/// `inputSchema`. Output schemas and annotations are up to half of a definition, and no model reads them.
pub fn shown(tool: &RawObject) -> RawObject {
    tool.retain(|key| matches!(key, "name" | "description" | "inputSchema"))
}

/// The size of what is [`shown`] of a tool, in bytes.
pub(crate) fn shown_bytes(tool: &RawObject) -> usize {
    shown(tool).compact().text().len()
}

/// What a list of tools costs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSize {
    /// How many tools it has.
    pub tools: usize,
    /// The size of what is [`shown`] of them, as one compact JSON array, in bytes.
    pub bytes: usize,
}

impl ListSize {
    /// Measures a list.
    pub fn of<'a>(tools: impl IntoIterator<Item = &'a RawObject>) -> Self {
        Self::sum(tools.into_iter().map(shown_bytes))
    }

    /// That of tools of these [sizes](shown_bytes).
    pub(crate) fn sum(sizes: impl Iterator<Item = usize>) -> Self {
        let (tools, bytes) =
            sizes.fold((0, BRACKETS), |(tools, sum), size| (tools + 1, sum + size + SEPARATOR));
        Self { tools, bytes }
    }

    /// About how many tokens it is.
    pub fn tokens(&self) -> u64 {
        (self.bytes as u64).saturating_mul(10).div_ceil(TENTHS_PER_TOKEN)
    }
}

/// The bytes between two items of a list.
const SEPARATOR: usize = 1;
/// The bytes around them.
const BRACKETS: usize = 2;

// A tokenizer is 4 MB of tables and differs from model to model; what is decided by an estimate (is a list within a
// budget?) is not changed by a tenth more or less.

/// Bytes of what is shown of tools for each token of o200k_base, in tenths. Measured on eight recorded servers: 4.44 for
/// their 131 tools together, 4.2 to 4.8 for each.
const TENTHS_PER_TOKEN: u64 = 45;

/// How [`ListSize::tokens`] counts, for people.
pub const METHOD: &str = "estimated at 4.5 bytes a token";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured_without_being_parsed() {
        assert_eq!(memory("[]"), VALUE + 2);
        assert_eq!(memory(r#""[[,,{""#), memory(r#""12345""#));
        assert!(memory(&format!("[{}0]", "[0],".repeat(1000))) > 1000 * 5 * VALUE);
        assert_eq!(memory(r#""\"#), VALUE + 2 + 2 * OVERHEAD);
        for dear in ["[0", ",", "{,", "[,", "\"\"", "[[", "[{"].map(|part| part.repeat(100)) {
            assert!(memory(&dear) <= VALUE + dear.len() * MOST_OF_A_BYTE, "{dear}");
            assert!(fits(&dear, memory(&dear)) && !fits(&dear, memory(&dear) - 1), "{dear}");
        }
    }
}
