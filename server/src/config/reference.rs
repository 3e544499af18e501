//! References to variables, and how messages name them.

use std::fmt;

/// A reference to a variable, such as `${VAR}`, in the text of a value.
///
/// Messages go to logs, and any value may be a password that happens to contain `${`. Only a name (`VAR`) or a pair of
/// words (`input:api-key`) is displayed; of anything else only the position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'t> {
    /// The whole value.
    pub(super) value: &'t str,
    /// The byte offset of the reference in it.
    pub(super) at: usize,
    /// The delimiters.
    pub(super) marks: (&'static str, &'static str),
    /// The text between the delimiters.
    pub(super) inside: &'t str,
}

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, at, marks: (open, close), inside } = self;
        if is_name(inside)
            || inside.split_once(':').is_some_and(|(kind, name)| is_word(kind) && is_word(name))
        {
            write!(f, "'{open}{inside}{close}'")
        } else {
            write!(f, "'{open}…{close}' at character {}", character(value, *at))
        }
    }
}

/// The number of the character at this byte offset, from 1.
pub(super) fn character(value: &str, at: usize) -> usize {
    value[..at].chars().count() + 1
}

/// Whether this can be the name of an environment variable.
pub(super) fn is_name(text: &str) -> bool {
    is_word(text) && !text.contains('-') && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether this consists of ASCII letters, digits, `_` and `-`.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_pairs_of_words_are_quoted() {
        for (inside, shown) in [
            ("VAR_1", "'${VAR_1}'"),
            ("input:api-key", "'${input:api-key}'"),
            ("1VAR", "'${…}' at character 4"),
            ("a-b", "'${…}' at character 4"),
            ("a.b", "'${…}' at character 4"),
            ("a:b:c", "'${…}' at character 4"),
            ("a:-b c", "'${…}' at character 4"),
            ("", "'${…}' at character 4"),
        ] {
            let value = format!("äöü${{{inside}}}");
            let reference = Reference { value: &value, at: 6, marks: ("${", "}"), inside };
            assert_eq!(reference.to_string(), shown);
        }
    }
}
