//! How deeply a JSON text is nested, found without recursion and before anything parses it.

/// Whether objects and arrays in this JSON text are nested deeper than this; the outermost one is the first level.
///
/// The text need not be valid JSON: brackets in strings do not count, and nothing else is looked at.
pub(crate) fn is_deeper_than(text: &[u8], depth: usize) -> bool {
    // Nearly every message is decided here: so deep a text has at least that many brackets. Counted without branches, which takes a
    // tenth of the time; a piece is as long as a byte can count.
    let is_bracket = |byte: &u8| u8::from(matches!(byte, b'{' | b'['));
    let brackets = text.chunks(255).map(|piece| usize::from(piece.iter().map(is_bracket).sum::<u8>()));
    if brackets.sum::<usize>() <= depth {
        return false;
    }
    let mut open = 0_usize;
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => skip_string(&mut rest),
            b'{' | b'[' => {
                open += 1;
                if open > depth {
                    return true;
                }
            }
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    false
}

fn skip_string(rest: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                rest.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_brackets_that_are_open_at_the_same_time() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!is_deeper_than(nested(128).as_bytes(), 128));
        assert!(is_deeper_than(nested(129).as_bytes(), 128));
        assert!(is_deeper_than("{\"a\":".repeat(1_000_000).as_bytes(), 128), "broken off, and no recursion");
        let flat = format!("[{}1]", "[],{},".repeat(1000));
        assert!(!is_deeper_than(flat.as_bytes(), 2) && is_deeper_than(flat.as_bytes(), 1));
        let quoted = format!(r#"{{"a\"{0}":"{0}\\","b":[]}}"#, "[".repeat(1000));
        assert!(!is_deeper_than(quoted.as_bytes(), 2) && is_deeper_than(quoted.as_bytes(), 1));
        assert!(!is_deeper_than(b"]]]]]]]]][]", 1), "what was never opened does not count");
    }
}
