//! Escapes and truncates text from peers for logs and terminals.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// Escapes characters that a terminal would act on instead of showing: controls, and characters that change
/// text direction. Line ends and tabs are kept. The escapes are those of JSON, so JSON text keeps its
/// meaning.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |character| is_active(character) && !matches!(character, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_obeyed(character) {
            // Writing to a string does not fail. All escaped characters are in the basic multilingual plane.
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal or a parser of lines would act on a character: controls, and characters that change
/// text direction.
pub fn is_active(character: char) -> bool {
    let turns = matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    character.is_control() || turns
}

/// A prefix of an id that is a credential as a whole, such as a session id.
#[derive(Clone, Copy, Debug)]
pub struct Short<'a>(pub &'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 96 of 128 random bits remain secret.
        self.0.chars().take(8).try_for_each(|character| formatter.write_char(character))
    }
}

/// The text on one line: escaped, and truncated to this many characters.
pub fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = Bounded::new(&mut line, most).write_str(text);
    line
}

/// A writer that escapes and truncates, without buffering the rest.
#[derive(Debug)]
pub struct Bounded<W> {
    out: W,
    room: usize,
}

impl<W: Write> Bounded<W> {
    /// Passes on up to this many characters.
    pub fn new(out: W, most: usize) -> Self {
        Self { out, room: most }
    }
}

impl<W: Write> Write for Bounded<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Most texts are like this, and a log has many.
        if text.len() < self.room && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            self.room -= text.len();
            return self.out.write_str(text);
        }
        for character in text.chars() {
            match self.room {
                // The truncation mark has been written.
                0 => return Ok(()),
                1 => {
                    self.room = 0;
                    return self.out.write_char('…');
                }
                _ if is_active(character) => {
                    let escaped = character.escape_default();
                    self.room = self.room.saturating_sub(escaped.len()).max(1);
                    write!(self.out, "{escaped}")?;
                }
                _ => {
                    self.room -= 1;
                    self.out.write_char(character)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_characters_are_escaped_and_long_texts_cut() {
        assert_eq!(line("héllo ⟨wörld⟩ 🦀 \"q\" \\", 256), "héllo ⟨wörld⟩ 🦀 \"q\" \\");
        let long = line(&"\u{1b}".repeat(1000), 256);
        assert_eq!(long.chars().filter(|character| *character == '…').count(), 1);
        assert!(long.chars().count() <= 262, "{}", long.len());
        // What is written in pieces is cut like what is written at once.
        for most in 0..8 {
            let mut pieces = String::new();
            let mut bounded = Bounded::new(&mut pieces, most);
            ["ab", "é", "cd"].iter().for_each(|piece| bounded.write_str(piece).unwrap());
            let expected = ["", "…", "a…", "ab…", "abé…", "abéc…", "abécd", "abécd"];
            assert_eq!((&*pieces, &*line("abécd", most)), (expected[most], expected[most]));
        }
        assert_eq!(Short("0123456789abcdef").to_string(), "01234567");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, shown) in [
            ("plain ü\n\tx", "plain ü\n\tx"),
            ("\u{1b}[31mred\u{7}", "\\u001b[31mred\\u0007"),
            ("a\rb\u{7f}\u{9b}2J", "a\\u000db\\u007f\\u009b2J"),
            ("exe\u{202e}gpj", "exe\\u202egpj"),
        ] {
            assert_eq!(printable(text), shown);
        }
        let json = serde_json::json!({"name": "a\u{1b}\u{9b}\u{202e}"}).to_string();
        let read: serde_json::Value = serde_json::from_str(&printable(&json)).unwrap();
        assert_eq!(read["name"], "a\u{1b}\u{9b}\u{202e}");
    }
}
