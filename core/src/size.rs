//! The size of a JSON text as a value.

use serde_json::Value;

use crate::layout;

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

// A tokenizer is 4 MB of tables and differs from model to model; what is decided by an estimate (is a list within a
// budget?) is not changed by a tenth more or less.

/// Bytes of a list of tools, as JSON, for each token of o200k_base, in tenths. Measured on the lists of eight recorded
/// servers: 4.44 for their 131 tools together, 4.1 to 4.6 for each.
pub const TENTHS_PER_TOKEN: u64 = 45;

/// About how many tokens of JSON this many bytes are.
pub fn tokens(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(10).div_ceil(TENTHS_PER_TOKEN)
}

/// How [`tokens`] counts, for people.
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
