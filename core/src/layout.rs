//! What is known of a JSON text that is not parsed: its tokens, and the memory that it takes as a value.

use serde_json::Value;

const VALUE: usize = size_of::<Value>();
/// A member in an object's table: key, value, hash and index.
const MEMBER: usize = VALUE + size_of::<String>() + 2 * size_of::<usize>();
/// What the allocator adds to an allocation.
const OVERHEAD: usize = 16;

/// What a token of one byte takes at most, in bytes; see [`memory`].
const MOST_OF_A_BYTE: usize = 1 + 3 * MEMBER + 4 * MEMBER + 2 * OVERHEAD;

/// The text without the white space between its tokens. It must be JSON.
pub fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    tokens(text).for_each(|token| compact.push_str(token));
    compact
}

/// The tokens of JSON text: strings with their quotes, punctuation, and anything in between.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(SPACE);
        let length = match rest.chars().next()? {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([' ', '\t', '\n', '\r', ',', ':', ']', '}']).unwrap_or(rest.len()),
        };
        let (token, others) = rest.split_at(length);
        rest = others;
        Some(token)
    })
}

/// Whether the [`Value`] of a JSON text takes at most this memory, in bytes. Most texts are so short that none is counted.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    VALUE + text.len() * MOST_OF_A_BYTE <= most || memory(text) <= most
}

/// An upper bound of the memory that the [`Value`] of a JSON text takes, in bytes.
///
/// One pass over the text, before anything is parsed: a [`Value`] takes up to 200 times its text.
pub(crate) fn memory(text: &str) -> usize {
    let (mut memory, mut before) = (VALUE + text.len(), "");
    for token in tokens(text) {
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

/// The length of the JSON string at the beginning of the text.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_is_left_out() {
        for (text, expected) in [
            (" { \"a b\" : [ 1.0e2 ,\n null ] }\t", r#"{"a b":[1.0e2,null]}"#),
            (r#" "a \" ,b\\" "#, r#""a \" ,b\\""#),
            (r#"["é" , {}]"#, r#"["é",{}]"#),
            ("\"broken", "\"broken"),
        ] {
            assert_eq!(compact(text), expected);
        }
    }

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
