//! The tokens of JSON text, which are kept as they are written.

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
}
