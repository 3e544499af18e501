//! Regular expressions, as far as all engines agree on them.
//!
//! A pattern is judged if it has nothing but literals, sets, groups, alternatives, quantifiers and anchors, behind lookaheads
//! that exclude a beginning; and only for printable ASCII: engines differ in what `\d`, `.` and `$` mean beyond that. It is
//! matched in time linear in the text and in its size, which is limited.

use std::borrow::Cow;

use regex_lite::RegexBuilder;

/// The steps that are left. A step is about one keyword on one value, or 64 bytes of text.
pub(super) struct Steps(pub(super) usize);

impl Steps {
    /// `None` if there are fewer; then none are left.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.map(drop)
    }

    pub(super) fn read(&mut self, text: &str) -> Option<()> {
        self.spend(1 + text.len() / 64)
    }
}

/// The sizes of compiled patterns, in bytes: of nearly all, and of the largest.
const SIZES: [usize; 2] = [4_000, 32_000];
/// Number of bytes of a compiled pattern that cost one step for each byte of text.
const SIZE_OF_STEP: usize = 160;
/// Compiling takes as many steps as a text of this length.
const COMPILING: usize = 8;
/// Groups in groups.
const MAX_DEPTH: u32 = 16;

/// Whether a pattern is found in a text; `None` where that is not judged.
pub(super) fn matches(pattern: &str, text: &str, steps: &mut Steps) -> Option<bool> {
    steps.spend(pattern.len() + text.len())?;
    let (excluded, rest) = parts(pattern).filter(|_| text.chars().all(is_printable))?;
    let mut matches = is_found(&rest, text, steps)?;
    for beginning in excluded {
        matches &= !is_found(&format!("^(?:{beginning})"), text, steps)?;
    }
    Some(matches)
}

/// Whether a pattern has nothing in which engines differ.
pub(super) fn is_judged(pattern: &str) -> bool {
    parts(pattern).is_some()
}

fn is_found(pattern: &str, text: &str, steps: &mut Steps) -> Option<bool> {
    steps.spend(8 * pattern.len())?;
    for size in SIZES {
        steps.spend(COMPILING * size / SIZE_OF_STEP)?;
        if let Ok(regex) = RegexBuilder::new(pattern).size_limit(size).nest_limit(MAX_DEPTH).build() {
            steps.spend(text.len() * size / SIZE_OF_STEP)?;
            return Some(regex.is_match(text));
        }
    }
    None
}

/// What lookaheads at the beginning of a pattern exclude, and the pattern without them. `None` where it is not judged.
fn parts(pattern: &str) -> Option<(Vec<&str>, Cow<'_, str>)> {
    let (mut excluded, mut rest) = (Vec::new(), Cow::Borrowed(pattern));
    if pattern.starts_with("^(?!") {
        let mut behind = &pattern[1..];
        while let Some((one, after)) = behind.strip_prefix("(?!").and_then(|ahead| ahead.split_once(')')) {
            excluded.push(one);
            behind = after;
        }
        (!behind.contains('|') && !behind.starts_with(['*', '+', '?', '{'])).then_some(())?;
        rest = Cow::Owned(format!("^{behind}"));
    }
    let is_simple = |one: &&str| !one.contains(['(', '[']) && !one.ends_with('\\') && is_common(one);
    (is_common(&rest) && excluded.iter().all(is_simple)).then_some((excluded, rest))
}

fn is_common(pattern: &str) -> bool {
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        let text = rest.as_str();
        let is_common = match character {
            '\\' => rest.next().is_some_and(|escaped| {
                "dDwWsS".contains(escaped) || (escaped.is_ascii_punctuation() && !"<>".contains(escaped))
            }),
            '(' => !text.starts_with('?') || text.starts_with("?:"),
            // Empty sets, classes of POSIX, and ranges from a hyphen.
            '[' => !["]", "^]", ":", "--", "^--"].iter().any(|start| text.starts_with(start)),
            '*' | '+' | '}' => !text.starts_with(['*', '+', '{']),
            '?' => !text.starts_with(['*', '+', '{', '?']),
            '{' => text.split_once('}').is_some_and(|(counts, _)| {
                // Without a least count it is a literal in ECMA-262, and a count elsewhere.
                counts.len() < 10
                    && counts.starts_with(|first: char| first.is_ascii_digit())
                    && counts.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b','))
            }),
            other => is_printable(other),
        };
        if !is_common {
            return false;
        }
    }
    true
}

fn is_printable(character: char) -> bool {
    matches!(character, ' '..='~')
}
