//! Briefs: the short text by which a model selects a tool, in its author's words (docs/CONTRACT.md B1 to B3, B13).
//!
//! A brief is the operator's, or a whole description that fits, or else the first sentence of the description that says
//! something about the tool. White space and Markdown but for code are folded; nothing is reworded, moved or dropped inside. What lists add
//! to that: a mark that comes from annotations alone, and the server's name where two tools read alike.

use crate::{
    cap::Cap,
    catalogue::words::name_words,
    given::first,
    markdown::{LONGEST_SPAN, folded},
};

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

/// Abbreviations, besides single letters, whose full stop ends no sentence, whatever follows.
#[rustfmt::skip]
const ABBREVIATIONS: &[&str] = &[
    "acct", "apr", "approx", "aug", "bspw", "bzw", "ca", "cf", "corp", "dec", "dept", "dr", "eg", "est", "feb", "fig", "ie",
    "incl", "jan", "jul", "jun", "max", "min", "mme", "mr", "mrs", "ms", "no", "nov", "nr", "oct", "pp", "prof", "resp", "sec",
    "sept", "sr", "sra", "st", "vol", "vs",
];

/// What can follow the end of a sentence and belongs to it.
const CLOSING: &str = "\"'”’»)]}）」』】";

/// The shortest line that may have been wrapped, in characters.
const SHORTEST_WRAPPED: usize = 60;

/// Words after which a sentence goes on, wherever the line ends.
const GOING_ON: &[&str] = &[
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "its", "of", "on", "or", "the", "their",
    "this", "to", "using", "via", "with", "your",
];

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

/// The first sentence of a text that is no heading and stands in no section about usage, with white space and Markdown folded.
pub fn first_sentence(text: &str) -> Option<String> {
    let mut reader = Reader::default();
    let mut lines = first(text, MOST_READ).lines();
    lines.find_map(|line| reader.read(line)).or_else(|| reader.sentence()).or(reader.title)
}

/// Reads a description line by line.
#[derive(Default)]
struct Reader {
    /// The lines of the current paragraph.
    paragraph: String,
    /// A label that belongs to the next sentence.
    label: String,
    /// A line that is a title by itself, if there is nothing else.
    title: Option<String>,
    is_in_section: bool,
    is_in_code: bool,
}

impl Reader {
    /// The sentence that is found with the next line.
    fn read(&mut self, line: &str) -> Option<String> {
        let line = line.trim().trim_start_matches(['>', ' ']);
        if line.starts_with("```") || line.starts_with("~~~") {
            self.is_in_code = !self.is_in_code;
            return self.leave(false);
        }
        if self.is_in_code {
            return None;
        }
        let bare = line.trim_matches(['#', '*', '_', '`', ' ']);
        if line.is_empty() && self.paragraph.ends_with(":\n") {
            return None;
        }
        if line.is_empty() || (is_rule(line) && !self.is_underlined(line)) {
            let found = self.sentence();
            self.is_in_section = false;
            return found;
        }
        let begins = is_section(bare) || (is_list_item(line) && !self.paragraph.contains(":\n"));
        if is_rule(line) {
            self.paragraph.clear();
            self.leave(false)
        } else if (begins && !self.goes_on(line)) || line.starts_with("--") || is_markup(line) {
            self.leave(true)
        } else if self.paragraph.is_empty() && is_title(line) {
            self.title.get_or_insert_with(|| line.to_owned());
            self.leave(false)
        } else if is_heading(line, bare) {
            self.leave(false)
        } else if self.is_in_section {
            None
        } else {
            let found = if self.is_ended_by(line) { self.sentence() } else { None };
            self.paragraph.push_str(line);
            self.paragraph.push('\n');
            found
        }
    }

    /// Whether a line that looks like a section or an item is the rest of a sentence: a word in lower case, or a number that begins
    /// no list in Markdown either.
    fn goes_on(&self, line: &str) -> bool {
        let is_rest = line.chars().all(char::is_lowercase)
            || (line.starts_with(|first: char| first.is_ascii_digit())
                && !["1.", "1)"].iter().any(|first| line.starts_with(first)));
        is_rest && !self.paragraph.is_empty() && !is_complete(self.paragraph.trim())
    }

    /// Whether the line above is a sentence without a full stop: this one begins with a capital, and is a heading, or the one above
    /// is too short to have been wrapped.
    fn is_ended_by(&self, line: &str) -> bool {
        let above = self.paragraph.lines().next_back().unwrap_or_default();
        let last = above.rsplit(' ').next().unwrap_or_default();
        line.starts_with(char::is_uppercase)
            && above.ends_with(char::is_alphanumeric)
            && !GOING_ON.contains(&last)
            && (line.ends_with(':') || above.chars().count() < SHORTEST_WRAPPED)
    }

    /// Whether a line makes a heading of the one above.
    fn is_underlined(&self, line: &str) -> bool {
        line.starts_with(['-', '='])
            && self.paragraph.lines().count() == 1
            && !is_complete(self.paragraph.trim())
    }

    /// Ends a paragraph where something else begins: a section, or a heading or code.
    fn leave(&mut self, for_section: bool) -> Option<String> {
        let found = self.sentence();
        // A warning in capitals holds for what comes, whatever is between.
        if self.label.chars().any(char::is_lowercase) {
            self.label.clear();
        }
        self.is_in_section = for_section;
        found
    }

    /// The first sentence of the paragraph, which ends, with the labels in front of it.
    fn sentence(&mut self) -> Option<String> {
        let folded = folded(&std::mem::take(&mut self.paragraph));
        let paragraph = in_a_line(&folded);
        let mut rest = paragraph.as_str();
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(end_of_sentence(rest));
            self.label.push_str(sentence.trim());
            if !is_label(sentence) {
                return Some(std::mem::take(&mut self.label));
            }
            self.label.push(' ');
            rest = after.trim_start();
        }
        None
    }
}

/// Whether a line is a thematic break, or underlines a heading.
fn is_rule(line: &str) -> bool {
    let first = line.chars().next();
    line.len() >= 3
        && first.is_some_and(|first| "-=*_".contains(first) && line.chars().all(|each| each == first))
}

/// Whether a line is a word of [`SECTIONS`], alone or with a colon after it.
fn is_section(bare: &str) -> bool {
    let head = bare.split([':', '：']).next().unwrap_or_default().trim_end_matches(['*', '_', '`', ' ']);
    SECTIONS.contains(&&*head.to_lowercase())
}

/// Whether a line is a comment, a row of a table, or a field or directive of reStructuredText.
fn is_markup(line: &str) -> bool {
    let field = line.strip_prefix(':').and_then(|rest| rest.split_once(':'));
    let is_field = field.is_some_and(|(name, _)| !name.is_empty() && !name.starts_with(char::is_whitespace));
    is_field || line.starts_with("<!--") || line.starts_with('|') || line.starts_with(".. ")
}

fn is_list_item(line: &str) -> bool {
    let after = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered = after.len() < line.len();
    let after =
        if numbered { after.strip_prefix(['.', ')']) } else { line.strip_prefix(['-', '*', '+', '•']) };
    after.is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
}

/// Whether a line is a heading: `# …`, or a few words in bold that are neither a sentence nor a label.
fn is_heading(line: &str, bare: &str) -> bool {
    let after = line.trim_start_matches('#');
    let is_marked = line.len() - after.len() <= 6 && after.len() < line.len();
    let is_bold = ["**", "__"].iter().any(|mark| {
        let inner = line.strip_prefix(mark).and_then(|inner| inner.trim_end_matches(':').strip_suffix(mark));
        inner.is_some_and(|inner| !inner.contains(mark))
    });
    (is_marked && (after.is_empty() || after.starts_with(char::is_whitespace)))
        || (is_bold && !is_complete(bare) && !is_label(bare) && bare.split_whitespace().count() <= 6)
}

/// Whether a line is a few capitalized words without an end, but for short ones between them: `List Issues of a Repo`.
fn is_title(line: &str) -> bool {
    let (capitals, others): (Vec<&str>, Vec<&str>) =
        line.split_whitespace().partition(|word| word.starts_with(char::is_uppercase));
    (2..=6).contains(&capitals.len())
        && others.iter().all(|word| word.chars().count() <= 3)
        && line.ends_with(char::is_alphanumeric)
        && !is_label(line)
}

/// Whether a text ends as a sentence does.
fn is_complete(text: &str) -> bool {
    text.trim_end_matches(|last| CLOSING.contains(last)).ends_with(['.', '!', '?', '。', '！', '？'])
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
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        depth = if letter == '(' { depth + 1 } else { depth.saturating_sub(usize::from(letter == ')')) };
        let is_full = "。！？｡।॥؟۔።။։".contains(letter);
        if !is_full && !".!?".contains(letter) {
            continue;
        }
        let after = &text[at + letter.len_utf8()..];
        let rest = after.trim_start_matches(|next| CLOSING.contains(next));
        let is_within = depth > 0 && first(rest, LONGEST_SPAN).contains(')');
        if is_within || !(is_full || rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            continue;
        }
        // "approx. five", "U.S. stocks", "(files, etc.) of it", "\"Done!\" then"
        let mut next = rest.chars().take(LONGEST_SPAN);
        let goes_on = next.find(|next| next.is_alphanumeric()).is_some_and(char::is_lowercase)
            && (letter == '.' || rest.len() < after.len());
        if !goes_on && (letter != '.' || rest.is_empty() || !is_abbreviated(&text[..at])) {
            return text.len() - rest.len();
        }
    }
    text.len()
}

/// Whether the full stop after a text is that of an abbreviation, or of a number in a list within the text.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let earlier = before[..before.len() - word.len()].trim_end();
    let word = word.trim_start_matches(|first: char| !first.is_alphanumeric()).to_lowercase();
    let is_item =
        word.chars().all(|letter| letter.is_ascii_digit()) && (earlier.is_empty() || earlier.ends_with(':'));
    let has_letters_alone = || word.split('.').all(|part| part.chars().count() == 1);
    is_item || has_letters_alone() || ABBREVIATIONS.contains(&&*word)
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
