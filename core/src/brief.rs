//! Briefs: the short text by which a model selects a tool, in its author's words (docs/CONTRACT.md B1 to B3, B13).
//!
//! A brief is the operator's, or a whole description that fits, or else the first sentence of the description that says
//! something about the tool. White space and Markdown but for code are folded; nothing is reworded, moved or dropped inside. What lists
//! add to that: a mark that comes from annotations alone, and the server's name where two tools read alike. Decision 36 has the figures of
//! the rules.

use crate::{cap::Cap, catalogue::words::name_words, given::first, markdown::folded};

/// The maximum length of a derived brief.
pub const LONGEST: Cap = Cap::characters(160);

/// The maximum length of a brief in lists of names and short texts (delta-mcp "The 60-character description cap").
pub const SHORT: Cap = Cap::utf16(60);

/// Said of tools with `destructiveHint: true`.
const DESTRUCTIVE: &str = "[destructive]";

/// Sections of descriptions that say how a tool is used.
#[rustfmt::skip]
const SECTIONS: &[&str] = &[
    "args", "arguments", "parameters", "params", "optional", "required", "usage", "example", "examples", "returns", "notes",
    "input", "output",
];

const COLONS: [char; 2] = [':', '：'];

/// Full stops of scripts that have no white space behind them, or another one than `.`.
const FULL_STOPS: &str = "。！？｡।॥؟۔።։";

/// Lines of wrapped text are longer, in characters.
const SHORTEST_WRAPPED: usize = 60;

/// How far behind a full stop the next letter is looked for, which shows whether the sentence goes on; in characters.
const LOOK_AHEAD: usize = 64;

/// How much of a description is read, in bytes.
const MOST_READ: usize = 16 * 1024;

/// What a brief is derived from.
///
/// ```
/// use mcp_disclosure_core::brief::{LONGEST, SHORT, Source};
/// let description = "Deletes a **repository**, e.g. one of a team, with all of its branches. Args: id";
/// let tool = Source { name: "remove_repo", title: None, description };
/// assert_eq!(tool.brief(LONGEST), description, "what fits is not changed");
/// assert_eq!(tool.brief(SHORT), "Deletes a repository, e.g. one of a team, with all of its…");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    /// The upstream's name of the tool.
    pub name: &'a str,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its description.
    pub description: &'a str,
}

impl Source<'_> {
    /// The brief within a length: from the description, else the title, else the name in words. Never empty.
    pub fn brief(&self, cap: Cap) -> String {
        let title = || self.title.map(in_a_line).filter(|title| says_something(title));
        let text = self.described(cap).or_else(title).unwrap_or_else(|| spoken(self.name));
        cap.shorten(&text)
    }

    /// Whether the brief is from the description.
    pub fn is_described(&self) -> bool {
        self.described(LONGEST).is_some()
    }

    /// What the description says: all of it if that fits, else its first sentence.
    fn described(&self, cap: Cap) -> Option<String> {
        let whole = self.description.trim();
        let fits = cap.holds(whole) && says_something(whole);
        if fits { Some(whole.to_owned()) } else { first_sentence(whole) }
    }
}

/// Cuts text to at most `longest` characters, as [`Cap::shorten`] does.
pub fn shorten(text: &str, longest: usize) -> String {
    Cap::characters(longest).shorten(text)
}

/// The first sentence of a text that is no heading and stands in no section about usage, in one line, with the labels in front of it.
pub fn first_sentence(text: &str) -> Option<String> {
    let mut reader = Reader::default();
    let mut said = String::new();
    for paragraph in first(text, MOST_READ).lines().chain([""]).filter_map(|line| reader.read(line)) {
        let paragraph = in_a_line(&folded(&paragraph));
        let mut rest = paragraph.as_str();
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(end_of_sentence(rest));
            said.push_str(sentence);
            if !is_label(sentence) {
                return Some(said);
            }
            said.push(' ');
            rest = after.trim_start();
        }
    }
    None
}

/// Reads a description line by line.
#[derive(Default)]
struct Reader {
    /// The lines of the current paragraph.
    paragraph: String,
    is_in_section: bool,
}

impl Reader {
    /// The paragraph that is over with the next line.
    fn read(&mut self, line: &str) -> Option<String> {
        let line = line.trim();
        if is_rule(line) {
            self.is_in_section = false;
            // Without a full stop, it is a heading.
            let above = std::mem::take(&mut self.paragraph);
            return above
                .trim_end()
                .ends_with(|last| ".!?".contains(last) || FULL_STOPS.contains(last))
                .then_some(above);
        }
        if is_section(line) || (is_list_item(line) && !self.paragraph.contains(":\n")) {
            self.is_in_section = true;
        } else if line.is_empty() || is_heading(line) {
            self.is_in_section = false;
        } else if self.is_in_section {
            return None;
        } else {
            let above = self.paragraph.lines().next_back().unwrap_or_default();
            let is_short = above.chars().count() < SHORTEST_WRAPPED;
            let begins = line.ends_with(COLONS) || (is_short && line.starts_with(char::is_uppercase));
            let is_over = begins && above.ends_with(char::is_alphanumeric);
            let over = if is_over { Some(std::mem::take(&mut self.paragraph)) } else { None };
            self.paragraph.extend([line, "\n"]);
            return over;
        }
        Some(std::mem::take(&mut self.paragraph))
    }
}

/// Whether a line underlines a heading, or is a break between paragraphs.
fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ['=', '-'].iter().any(|mark| line.chars().all(|each| each == *mark))
}

/// Whether a line begins what says how a tool is used: a word of [`SECTIONS`], alone or with a colon after it, a flag, code, or a field
/// of reStructuredText.
fn is_section(line: &str) -> bool {
    let marks = ['#', '*', '_', '`', ' '];
    let head = line.trim_matches(marks).split(COLONS).next().unwrap_or_default().trim_end_matches(marks);
    ["```", ":", "--"].iter().any(|begin| line.starts_with(begin))
        || SECTIONS.contains(&&*head.to_lowercase())
}

fn is_list_item(line: &str) -> bool {
    let after = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered = after.len() < line.len();
    let after =
        if numbered { after.strip_prefix(['.', ')']) } else { line.strip_prefix(['-', '*', '+', '•']) };
    after.is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    after.len() < line.len() && (after.is_empty() || after.starts_with(char::is_whitespace))
}

/// Whether a sentence is only a label of the next one: no words, one word, or a few in capitals.
fn is_label(sentence: &str) -> bool {
    let words = sentence.split_whitespace().filter(|word| says_something(word)).count();
    let mut letters = sentence.chars().filter(|letter| letter.is_alphabetic());
    words == 0 || (words == 1 && sentence.is_ascii()) || (words <= 3 && letters.all(char::is_uppercase))
}

fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Where the first sentence of a line of text ends.
fn end_of_sentence(text: &str) -> usize {
    for (at, letter) in text.char_indices() {
        let end = at + letter.len_utf8();
        let rest = &text[end..];
        if FULL_STOPS.contains(letter) || rest.is_empty() {
            return end;
        }
        if ".!?".contains(letter) && rest.starts_with(' ') {
            // "approx. five", "max. 5", "U.S. Steel"
            let mut next = rest.chars().take(LOOK_AHEAD);
            let next = next.find(|next| next.is_alphanumeric());
            // A sentence may begin with a name in code: "`path` is absolute."
            let goes_on =
                !rest.starts_with(" `") && next.is_some_and(|next| next.is_lowercase() || next.is_numeric());
            if letter != '.' || !(goes_on || is_abbreviated(&text[..at])) {
                return end;
            }
        }
    }
    text.len()
}

/// Whether the last word before a full stop is made of single letters or digits.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(' ').next().unwrap_or_default();
    let word = word.trim_start_matches(|first: char| !first.is_alphanumeric());
    word.split('.').all(|part| part.chars().count() == 1)
}

/// A text in one line.
pub(crate) fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name in words: `get_data` and `getData` are "Get data".
fn spoken(name: &str) -> String {
    let words = name_words(name).join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None if name.trim().is_empty() => "Unnamed tool".to_owned(),
        None => name.to_owned(),
    }
}

/// A text with a server's name in front and the mark behind it. Where all is too long, the text is cut.
pub(crate) fn fitted(server: &str, text: &str, is_destructive: bool, cap: Cap) -> String {
    let server = cap.less(cap.most() / 2).shorten(server);
    let front = if server.is_empty() { server } else { format!("{server}: ") };
    let room = cap.less(cap.length(&front));
    // Of a whole description that does not fit any more, the first sentence is what is cut.
    let within = |room: Cap| match first_sentence(text) {
        Some(sentence) if !room.holds(text) => room.shorten(&sentence),
        _ => room.shorten(text),
    };
    let shown = within(room);
    if !is_destructive || shown.trim_end_matches(['.', '!']).ends_with(DESTRUCTIVE) {
        return format!("{front}{shown}");
    }
    format!("{front}{} {DESTRUCTIVE}", within(room.less(DESTRUCTIVE.len() + 1)))
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
