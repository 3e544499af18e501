//! Text from others as people read it, in terminals, logs, reports and pages: nothing in it ends a line, steers a terminal,
//! turns the direction of text or is invisible. All escapes are made by one function, [`one_line`] for a piece of text, and
//! those of JSON.

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
};

/// The text on one line: every character that acts instead of being shown is escaped, line ends and tabs included.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_active)
}

/// A text of several lines, such as a report whose pieces are [on one line](one_line) each, or JSON, which keeps its
/// meaning: the same but for line ends and tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_active(character) && !matches!(character, '\n' | '\t'))
}

/// A number with a comma between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with a noun, in singular or plural.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {noun}"),
        count => format!("{} {noun}s", grouped(count)),
    }
}

/// A time in the largest unit of which there are two: two of a unit say more than one of the next.
pub fn lasting(seconds: u64) -> String {
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute")];
    let (unit, noun) = units.into_iter().find(|(unit, _)| seconds >= 2 * unit).unwrap_or((1, "second"));
    counted(seconds / unit, noun)
}

/// The first of these names, and how many more there are.
pub fn few(mut names: impl Iterator<Item = impl Display>, most: usize) -> String {
    let shown: Vec<String> = names.by_ref().take(most).map(|name| name.to_string()).collect();
    match names.count() {
        0 => shown.join(", "),
        more => format!("{}, and {more} more", shown.join(", ")),
    }
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) { shown.push_str(&escape(character)) } else { shown.push(character) }
    }
    Cow::Owned(shown)
}

/// The escape of JSON.
fn escape(character: char) -> String {
    match character {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        _ => character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
    }
}

/// Whether a terminal, a parser of lines or a reader's eye would not get the character itself: controls (C0, C1), what
/// changes the direction of text, and what is invisible (format characters, tags, fillers). Variation selectors are not
/// among them, since they belong to ordinary emoji.
pub fn is_active(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control() || is_hidden(character)
}

/// Whether a character is invisible and not a space: most of Unicode's Default_Ignorable_Code_Point, and
/// separators of lines.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
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
                    let escaped = escape(character);
                    self.room = self.room.saturating_sub(escaped.len()).max(1);
                    self.out.write_str(&escaped)?;
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
            ("a\rb\u{7f}\u{9b}2J", "a\\rb\\u007f\\u009b2J"),
            ("exe\u{202e}gpj", "exe\\u202egpj"),
            ("a\u{200b}b\u{e0041}\u{2028}", "a\\u200bb\\udb40\\udc41\\u2028"),
            ("❤️ 👍🏽 naïve 日本語", "❤️ 👍🏽 naïve 日本語"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(one_line(text), shown.replace('\n', "\\n").replace('\t', "\\t"));
        }
        let json = serde_json::json!({"name": "a\u{1b}\u{9b}\u{202e}\u{e0041}\n"}).to_string();
        let read: serde_json::Value = serde_json::from_str(&printable(&json)).unwrap();
        assert_eq!(read["name"], "a\u{1b}\u{9b}\u{202e}\u{e0041}\n");
    }
}
