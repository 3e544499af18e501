//! Commands that people copy into a shell.

/// A word of a command line, quoted for a shell if it has to be.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "@%+=:,./-_…".contains(character);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
