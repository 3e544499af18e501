//! Markdown within a line, folded to the text that a reader sees.

use crate::given;

/// How far the end of a span is looked for, in bytes.
const LONGEST_SPAN: usize = 1024;

/// How deep spans nest.
const DEEPEST: usize = 8;

/// A text without the marks of emphasis and links, of which the text stays. Code keeps its own: it may read like a word.
pub(crate) fn folded(text: &str) -> String {
    folded_to(text, 0)
}

fn folded_to(text: &str, depth: usize) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = folded.chars().next_back();
        let (shown, length) = if depth < DEEPEST { span(rest, before, depth) } else { None }
            .unwrap_or_else(|| (String::from(first), first.len_utf8()));
        folded.push_str(&shown);
        rest = &rest[length..];
    }
    folded
}

/// What the span at the beginning of a text says, and its length; `None` if there is none.
fn span(text: &str, before: Option<char>, depth: usize) -> Option<(String, usize)> {
    let within = given::first(text, LONGEST_SPAN);
    let first = text.chars().next()?;
    let run = within.len() - within.trim_start_matches(first).len();
    match first {
        '\\' => text[1..].starts_with(['*', '_', '`', '#', '[', ']']).then(|| (text[1..2].to_owned(), 2)),
        '`' => {
            let length = within[run..].find(&text[..run])?;
            Some((within[..length + 2 * run].to_owned(), length + 2 * run))
        }
        '<' => {
            let end = within.find('>').filter(|_| within[1..].starts_with("http"))?;
            Some((within[1..end].to_owned(), end + 1))
        }
        '[' | '!' if !before.is_some_and(char::is_alphanumeric) => {
            let open = usize::from(first == '!');
            let close =
                open + within[open..].strip_prefix('[').and_then(|_| closing(&within[open..], '[', ']'))?;
            let target = close + 1;
            let end =
                within[target..].strip_prefix('(').and_then(|_| closing(&within[target..], '(', ')'))?;
            Some((folded_to(&within[open + 1..close], depth + 1), target + end + 1))
        }
        '*' | '_' | '~' => {
            let is_word = |beside: Option<char>| {
                beside.is_some_and(|beside| {
                    if first == '_' { beside.is_alphanumeric() } else { beside.is_ascii_alphanumeric() }
                })
            };
            let inner = &within[run..];
            // `**/x`, `src/*.js`, `?x=*1*`
            let is_path = |beside: char| "/.=".contains(beside);
            let opens = !is_word(before)
                && !before.is_some_and(is_path)
                && inner.starts_with(|next: char| !next.is_whitespace() && !is_path(next));
            let closes = |at: &usize| {
                let (said, after) = (&inner[..*at], &inner[*at + run..]);
                !said.ends_with(|last: char| last.is_whitespace() || last == first)
                    && !after.starts_with(first)
                    && !is_word(after.chars().next())
                    && !is_word(after.strip_prefix('.').and_then(|after| after.chars().next()))
            };
            let ends = || inner.match_indices(&text[..run]).map(|(at, _)| at);
            let end = ends()
                .filter(|at| *at > 0)
                .find(closes)
                .filter(|_| opens && run <= 3 && (first != '~' || run == 2))?;
            Some((folded_to(&inner[..end], depth + 1), end + 2 * run))
        }
        _ => None,
    }
}

/// Where the bracket is closed that a text begins with.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().find_map(|(at, letter)| {
        depth += usize::from(letter == open);
        depth -= usize::from(letter == close);
        (depth == 0).then_some(at)
    })
}
