//! Regular expressions, as far as all engines agree on them.
//!
//! A pattern is judged if it has nothing but literals, sets, groups, alternatives, quantifiers and anchors, behind lookaheads
//! that exclude a beginning; and only for printable ASCII: engines differ in what `\d`, `.` and `$` mean beyond that. It is
//! matched in time linear in the text and in its size, which is limited.

use regex_lite::RegexBuilder;

use super::check::Steps;

/// The sizes of compiled patterns, in bytes: of nearly all, and of the largest.
const SIZES: [usize; 2] = [4_000, 32_000];
/// So many bytes of a compiled pattern take a step for each byte of text.
const SIZE_OF_STEP: usize = 160;
/// Compiling takes as many steps as a text of this length.
const COMPILING: usize = 8;
/// Groups in groups.
const MAX_DEPTH: u32 = 16;

/// Whether a pattern is found in a text; `None` where that is not judged.
pub(super) fn matches(pattern: &str, text: &str, steps: &mut Steps) -> Option<bool> {
    steps.spend(8 * pattern.len() + text.len())?;
    if let Some((excluded, rest)) = excluded(pattern) {
        let is_excluded = matches(&format!("^(?:{excluded})"), text, steps)?;
        return Some(!is_excluded & matches(&rest, text, steps)?);
    }
    (is_common(pattern) && text.chars().all(is_printable)).then_some(())?;
    let build =
        |size: &usize| RegexBuilder::new(pattern).size_limit(*size).nest_limit(MAX_DEPTH).build().ok();
    let (size, regex) = SIZES.iter().find_map(|size| Some((size, build(size)?)))?;
    steps.spend((COMPILING + text.len()) * size / SIZE_OF_STEP)?;
    Some(regex.is_match(text))
}

/// Whether a pattern has nothing in which engines differ.
pub(super) fn is_judged(pattern: &str) -> bool {
    excluded(pattern).map_or(is_common(pattern), |(excluded, rest)| is_common(excluded) && is_judged(&rest))
}

/// What a simple lookahead at the beginning of a pattern excludes, and the pattern without it.
fn excluded(pattern: &str) -> Option<(&str, String)> {
    let (excluded, rest) = pattern.strip_prefix("^(?!")?.split_once(')')?;
    let is_simple = !excluded.contains(['(', '[']) && !excluded.ends_with('\\');
    let is_alone = !rest.contains('|') && !rest.starts_with(['*', '+', '?', '{']);
    (is_simple && is_alone).then(|| (excluded, format!("^{rest}")))
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
            // Empty sets, and classes of POSIX.
            '[' => !["]", "^]", ":"].iter().any(|start| text.starts_with(start)),
            '*' | '+' | '}' => !text.starts_with(['*', '+', '{']),
            '?' => !text.starts_with(['*', '+', '{', '?']),
            '{' => text.split_once('}').is_some_and(|(counts, _)| {
                counts.len() < 10 && counts.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b','))
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
