//! A description as sentences: markup removed, the parts about parameters, results and examples left out.

use super::tables::{
    ABBREVIATIONS, DANGER_SIGNS, INLINE, LAID_OUT, SECTIONS, SPACED_ENDS, STARTERS, TITLES, UNSPACED_ENDS,
    WARNING_LINES,
};

/// The bytes of a description that are read. What a model must know first stands in them.
const MOST_BYTES: usize = 16 * 1024;

/// A line that is shorter ends its sentence if the next one begins with a capital letter; longer ones are wrapped.
const WRAPPED: usize = 60;

/// Ends the heading that an element becomes.
const ELEMENT: char = '\u{1}';

/// The sentences of a description.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// What it says, in order.
    pub(super) sentences: Vec<String>,
    /// Sentences of lists and of later sections, which are read for marks only.
    pub(super) asides: Vec<String>,
}

/// Where a line belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    What,
    Aside,
    How,
}

impl Prose {
    pub(super) fn of(description: &str) -> Self {
        let text = without_markup(within(description, MOST_BYTES));
        let mut prose = Self::default();
        let mut paragraph = String::new();
        let mut part = Part::What;
        let mut last_width = 0;
        for line in text.lines() {
            let bullet = is_bullet(line);
            let decorated = line.trim();
            let line = decorated.trim_start_matches(['#', '*', '-', '>', '=', '`', '•', '+']).trim();
            let lower = line.trim_start_matches(['*', '_', '[', '(']).to_lowercase();
            let warns = WARNING_LINES.iter().any(|opening| lower.starts_with(opening));
            let ends = SECTIONS.iter().any(|section| lower.starts_with(section))
                || (decorated.starts_with("##") && !prose.is_empty(&paragraph))
                || (!prose.is_empty(&paragraph) && (is_heading(line) || is_element(line)));
            if prose.is_empty(&paragraph) && is_element(line) {
                continue;
            }
            let breaks = line.is_empty() || bullet || warns || ends;
            let is_new =
                starts_upper(line) && last_width < WRAPPED && !paragraph.ends_with([',', ':', '-', '(']);
            if breaks || is_new {
                prose.close(&mut paragraph, part);
            }
            last_width = line.chars().count();
            part = match part {
                _ if ends && !warns => Part::How,
                Part::How if warns => Part::Aside,
                Part::What if bullet && !prose.sentences.is_empty() => Part::Aside,
                Part::Aside if !bullet && !warns && line.is_empty() => Part::What,
                part => part,
            };
            if part == Part::How || line.is_empty() {
                continue;
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
        prose.close(&mut paragraph, part);
        prose
    }

    fn is_empty(&self, paragraph: &str) -> bool {
        self.sentences.is_empty() && paragraph.is_empty()
    }

    fn close(&mut self, paragraph: &mut String, part: Part) {
        let (sentences, warnings) = sentences(&std::mem::take(paragraph));
        self.asides.extend(warnings);
        let informative = sentences.into_iter().filter(|text| is_informative(text));
        if part == Part::What { self.sentences.extend(informative) } else { self.asides.extend(informative) }
    }
}

pub(super) fn is_informative(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

fn is_bullet(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    ["- ", "* ", "• ", "+ "].iter().any(|bullet| line.starts_with(bullet))
        || (numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

/// Whether a line is a heading, such as `Error Responses:`.
fn is_heading(line: &str) -> bool {
    line.trim_end_matches('*').ends_with(':') && starts_upper(line) && line.split_whitespace().count() <= 3
}

/// Whether a line is the heading that an element became.
fn is_element(line: &str) -> bool {
    line.ends_with(ELEMENT)
}

/// Maximum length of a link's text and address, in bytes.
const LONGEST_LINK: usize = 400;

/// The text without emphasis and links. Elements that are closed (`<use_case>…</use_case>`) become headed paragraphs.
fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[', '*', '_']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (shown, taken) =
            element(rest, text).or_else(|| link(rest)).or_else(|| emphasis(rest)).unwrap_or_else(|| {
                let width = rest.chars().next().map_or(0, char::len_utf8);
                (rest[..width].to_owned(), width)
            });
        plain.push_str(&shown);
        rest = &rest[taken..];
    }
    plain.push_str(rest);
    plain
}

/// What stands for the tag at the beginning, and the tag's length.
fn element(rest: &str, text: &str) -> Option<(String, usize)> {
    let inner = within(rest.strip_prefix('<')?, LONGEST_LINK);
    let inner = &inner[..inner.find('>')?];
    let taken = inner.len() + 2;
    let tag = inner.trim_start_matches('/').trim_end_matches('/').trim_end();
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let is_name = !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    let is_closed = || inner.ends_with('/') || text.contains(&format!("</{name}>"));
    let lower = name.to_ascii_lowercase();
    if !is_name || inner.contains('<') || !(lower == "br" || is_closed()) {
        return None;
    }
    if INLINE.contains(&&*lower) {
        return Some((String::new(), taken));
    }
    if lower == "br" || LAID_OUT.contains(&&*lower) {
        return Some((if lower == "br" { "\n" } else { "\n\n" }.to_owned(), taken));
    }
    if !attributes.is_empty() {
        return None;
    }
    let heading = if inner.starts_with('/') {
        String::new()
    } else {
        format!("{}:{ELEMENT}", capitalized(&name.replace(['_', '-'], " ")))
    };
    Some((format!("\n\n{heading}\n"), taken))
}

/// The beginning of a text, of at most this many bytes.
fn within(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// `[text](address)` as its text.
fn link(rest: &str) -> Option<(String, usize)> {
    let inner = within(rest.strip_prefix('[')?, LONGEST_LINK);
    let middle = inner.find("](")?;
    let end = closing(&inner[middle + 2..])? + middle + 2;
    let is_plain = !inner[..end].contains(['\n', '[']);
    is_plain.then(|| (inner[..middle].to_owned(), end + 2))
}

/// The place of the bracket that closes one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut brackets = text.char_indices().filter(|(_, character)| "()".contains(*character));
    let closes = |(_, character): &(usize, char)| {
        depth = if *character == '(' { depth + 1 } else { depth - 1 };
        depth == 0
    };
    brackets.find(closes).map(|(at, _)| at)
}

fn emphasis(rest: &str) -> Option<(String, usize)> {
    ["**", "__"].iter().find(|mark| rest.starts_with(**mark)).map(|mark| {
        // `__init__` and `a__b` are names.
        let is_name = *mark == "__" && rest[2..].starts_with(|next: char| next.is_lowercase());
        (if is_name { (*mark).to_owned() } else { String::new() }, 2)
    })
}

/// The sentences of a paragraph before its first section, and the warnings after that.
fn sentences(paragraph: &str) -> (Vec<String>, Vec<String>) {
    let words = split(paragraph);
    let (said, read) = sentences_of(&words);
    let how = &words[read..];
    let warning = how.iter().position(|word| warns(word));
    (said, warning.map(|at| sentences_of(&how[at..]).0).unwrap_or_default())
}

/// The sentences before the first section, and how many words they are.
fn sentences_of(words: &[String]) -> (Vec<String>, usize) {
    let mut read = words.len();
    let mut sentences = vec![String::new()];
    let mut brackets = Brackets::default();
    for (index, word) in words.iter().enumerate() {
        let is_section = index > 0
            && starts_upper(word)
            && word.ends_with(':')
            && SECTIONS.contains(&&*word.to_lowercase())
            && !brackets.are_open();
        if is_section {
            read = index;
            break;
        }
        // A sign of danger begins a sentence, or ends one that it began.
        let is_sign = word.contains(DANGER_SIGNS) && !is_informative(word);
        if is_sign && sentences.last().is_some_and(|sentence| is_informative(sentence)) {
            let is_framed = sentences.last().is_some_and(|sentence| sentence.starts_with(DANGER_SIGNS));
            sentences.push(if is_framed { String::new() } else { word.clone() });
            brackets = Brackets::default();
            continue;
        }
        let Some(sentence) = sentences.last_mut() else { break };
        if !sentence.is_empty() && !sentence.ends_with(UNSPACED_ENDS) {
            sentence.push(' ');
        }
        sentence.push_str(word);
        brackets.read(word);
        let next = words.get(index + 1);
        // A bracket that a sentence goes on after ends none.
        let goes_on =
            word.ends_with([')', '）']) && next.is_some_and(|next| next.starts_with(char::is_lowercase));
        if !brackets.are_open() && !goes_on && ends_sentence(word, next) {
            sentences.push(String::new());
            brackets = Brackets::default();
        }
    }
    (sentences, read)
}

/// Whether a word within a line begins a warning: `DANGER:`.
fn warns(word: &str) -> bool {
    let lower = word.trim_start_matches(['*', '_', '[', '(']).to_lowercase();
    let is_label = lower.trim_end_matches(['*', '_']).ends_with([':', '!']) && starts_upper(word);
    word.contains(DANGER_SIGNS)
        || (is_label && WARNING_LINES.iter().any(|opening| lower.starts_with(opening)))
}

/// Words, and pieces that end with a sign that ends a sentence without a space after it.
fn split(paragraph: &str) -> Vec<String> {
    let words = paragraph.split_whitespace();
    words.flat_map(|word| word.split_inclusive(UNSPACED_ENDS).map(str::to_owned)).collect()
}

/// Round brackets in which no sentence ends, unless they are left open for long.
#[derive(Default)]
struct Brackets {
    depth: usize,
    words: usize,
}

impl Brackets {
    const LONGEST: usize = 40;

    fn read(&mut self, word: &str) {
        for character in word.chars() {
            match character {
                '(' | '（' => self.depth += 1,
                ')' | '）' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.words = if self.depth > 0 { self.words + 1 } else { 0 };
    }

    fn are_open(&self) -> bool {
        self.depth > 0 && self.words < Self::LONGEST
    }
}

fn ends_sentence(word: &str, next: Option<&String>) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '`', '*', '”', '»', '」', '』']);
    if bare.ends_with(UNSPACED_ENDS) {
        return true;
    }
    let is_upper = next.is_some_and(|next| !next.starts_with(char::is_lowercase));
    if bare.ends_with(SPACED_ENDS) {
        return !bare.ends_with('…') || is_upper;
    }
    let Some(stem) = bare.strip_suffix('.') else { return false };
    if stem.ends_with('.') {
        return is_upper;
    }
    let stem = stem.trim_start_matches(['(', '"', '\'', '[']);
    let Some(next) = next else { return true };
    // A word that can begin a sentence after an abbreviation.
    let begins = is_upper && !next.starts_with(char::is_numeric);
    let lower = stem.to_lowercase();
    match ABBREVIATIONS.iter().find(|(abbreviation, _)| *abbreviation == lower) {
        Some((_, always)) => !always && begins,
        None if TITLES.contains(&stem) => false,
        None if is_initials(stem) => begins && STARTERS.contains(&&*next.to_lowercase()),
        None if stem.chars().all(char::is_numeric) => begins,
        None => true,
    }
}

/// Whether a word before a full stop is an initial, or several: `J`, `U.S`, `p.m`.
fn is_initials(stem: &str) -> bool {
    let is_letter = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    stem.split('.').all(is_letter) && (stem.contains('.') || starts_upper(stem))
}

pub(super) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_in_any_script() {
        for (description, sentences) in [
            (
                "Reads a file. Only works in allowed directories.",
                &["Reads a file.", "Only works in allowed directories."][..],
            ),
            ("天気を取得します。詳細は別に。", &["天気を取得します。", "詳細は別に。"]),
            ("फ़ाइल पढ़ता है। तेज़ है।", &["फ़ाइल पढ़ता है।", "तेज़ है।"]),
            ("هل تريد ملفا؟ يقرأ الملف.", &["هل تريد ملفا؟", "يقرأ الملف."]),
            (
                "Shows changes (e.g. A. And B.) of a file, v2.0 etc. and more",
                &["Shows changes (e.g. A. And B.) of a file, v2.0 etc. and more"],
            ),
            ("Shows changes\n\nArgs:\n  path: DEPRECATED.", &["Shows changes"]),
            ("Returns data Parameters: a, b", &["Returns data"]),
            ("Service | Get a thing\nError Responses:\n400: Bad", &["Service | Get a thing"]),
            (
                "Captures the page along with a unique\nidentifier (uid). Fast.",
                &["Captures the page along with a unique identifier (uid).", "Fast."],
            ),
            ("Get weather\nUnits are metric", &["Get weather", "Units are metric"]),
            (
                "<use_case>Retrieves **all** [pages](https://x.y/z).</use_case><hints>Be quick.</hints>",
                &["Retrieves all pages."],
            ),
            ("Ask Dr. House for help. Fast.", &["Ask Dr. House for help.", "Fast."]),
            (
                "Searches the U.S. Census of St. Louis. Returns rows.",
                &["Searches the U.S. Census of St. Louis.", "Returns rows."],
            ),
            ("Waits 30 ms. Fast.", &["Waits 30 ms.", "Fast."]),
            ("Plots point A. Returns it.", &["Plots point A.", "Returns it."]),
            ("Convert approx. 30 units, e.g. Kelvin.", &["Convert approx. 30 units, e.g. Kelvin."]),
            ("Compare versions no. 1 and no. 2 of a file.", &["Compare versions no. 1 and no. 2 of a file."]),
            ("Runs steps 1. and 2. of the pipeline.", &["Runs steps 1. and 2. of the pipeline."]),
            ("<p>Deletes a <code>user</code> account.</p>", &["Deletes a user account."]),
            (
                "Create a page. <br/>Supports <b>markdown</b> and tables.",
                &["Create a page.", "Supports markdown and tables."],
            ),
            ("<b>Deletes</b> all <a href=\"https://x.y/z\">users</a>", &["Deletes all users"]),
            ("Reads (see [docs](http://a.b/c(d)e)) pages.", &["Reads (see docs) pages."]),
            ("🚨 DO NOT CALL 🚨 Wipes it. ⚠️ Slow", &["🚨 DO NOT CALL", "Wipes it.", "⚠️ Slow"]),
            ("select an option from a <select> element.", &["select an option from a <select> element."]),
            ("Does one of:\n- listing\n- reading\n\nIs quick.", &["Does one of:", "Is quick."]),
        ] {
            assert_eq!(Prose::of(description).sentences, sentences, "{description}");
        }
    }

    #[test]
    fn warnings_after_the_parameters_are_read() {
        let prose = Prose::of(
            "Writes.\n\nArgs:\n  force: deprecated\n\nWARNING: It overwrites files.\n\nReturns: a number",
        );
        assert_eq!(
            (prose.sentences.len(), prose.asides),
            (1, vec!["WARNING: It overwrites files.".to_owned()])
        );
    }
}
