//! Patterns of names and URIs, and how they name things of upstreams.

use wildmatch::WildMatch;

/// What separates an upstream's name from a tool's or prompt's in a rule.
pub(crate) const SEPARATOR: char = '/';

/// What separates them in the name of a thing that is served under its upstream's name.
pub(crate) const CLASH_SEPARATOR: &str = "__";

/// A name or URI, in which `*` stands for any text and `?` for any one character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    text: String,
    wild: Option<WildMatch>,
}

impl Pattern {
    /// Takes any text.
    pub fn new(text: &str) -> Self {
        let wild = text.contains(['*', '?']).then(|| WildMatch::new(text));
        Self { text: text.to_owned(), wild }
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it can match more than itself.
    pub fn is_wild(&self) -> bool {
        self.wild.is_some()
    }

    /// Whether it matches; a name that is written like the pattern is matched by it, too.
    pub fn matches(&self, key: &str) -> bool {
        self.text == key || self.wild.as_ref().is_some_and(|wild| wild.matches(key))
    }

    /// Whether it names a thing of this upstream in the form `upstream/name`.
    ///
    /// This is the reading for whatever permits: no name that an upstream gives its tools can make a pattern
    /// about another upstream match. (A name may hold `/`, so each one may be what ends the upstream's name.)
    pub fn names(&self, upstream: &str, name: &str) -> bool {
        self.splits(&SEPARATOR.to_string())
            .any(|(left, right)| Self::new(left).matches(upstream) && Self::new(right).matches(name))
    }

    /// What stands before and after each separator.
    pub(crate) fn splits<'p>(&'p self, separator: &str) -> impl Iterator<Item = (&'p str, &'p str)> {
        let length = separator.len();
        let places: Vec<usize> = (0..self.text.len())
            .filter(|at| self.text.is_char_boundary(*at) && self.text[*at..].starts_with(separator))
            .collect();
        places.into_iter().map(move |at| (&self.text[..at], &self.text[at + length..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_what_is_written_like_it() {
        for (pattern, key, matches) in [
            ("a*", "abc", true),
            ("a?", "abc", false),
            ("file://*", "file:///a/b?c", true),
            ("x[1]*", "x[1]*", true),
            ("x{id}", "x{id}", true),
            ("x", "X", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(key), matches, "{pattern} {key}");
        }
    }
}
