//! `${VAR}`: references to variables, their substitution from the environment, how messages name them, and paths that
//! read the same elsewhere.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex_lite::Regex;

/// Looks a variable up.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The process's own environment.
pub(crate) fn own(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// An expression for references, whose group is what stands between their delimiters.
pub(crate) fn references(expression: &str) -> Regex {
    Regex::new(expression).expect("a valid expression, as tests show")
}

/// `${…}`; and without a group `$${`, and a `${` that is not closed.
pub(crate) static DOLLAR: LazyLock<Regex> = LazyLock::new(|| references(r"\$\$\{|\$\{([^}]*)\}|\$\{"));

/// Substitutes variables: `${VAR}` or `${env:VAR}`, and `${VAR:-default}` with a default. `$${` stands for `${`; any other
/// `$` for itself.
///
/// # Errors
/// The problem with the first reference that cannot be resolved. It quotes names of variables and no other text.
pub(crate) fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, String> {
    replaced(text, &DOLLAR, str::to_owned, |reference| value(reference, lookup))
}

/// How a text says `${`, for messages.
pub(crate) const ESCAPED: &str = "'$${' stands for '${'";

/// A text with something in the place of each reference; `keep` converts the text beside them.
///
/// # Errors
/// The first of `replace`.
pub(crate) fn replaced<E>(
    text: &str,
    references: &Regex,
    keep: impl Fn(&str) -> String,
    replace: impl Fn(Reference<'_>) -> Result<String, E>,
) -> Result<String, E> {
    let (mut whole, mut done) = (String::with_capacity(text.len()), 0);
    for found in references.captures_iter(text) {
        let Some(all) = found.get(0) else { continue };
        let inside = found.get(1).map_or(all.end()..all.end(), |inside| inside.range());
        let marks = (&text[all.start()..inside.start], &text[inside.end..all.end()]);
        whole.push_str(&keep(&text[done..all.start()]));
        whole.push_str(&replace(Reference { value: text, at: all.start(), marks, inside: &text[inside] })?);
        done = all.end();
    }
    whole.push_str(&keep(&text[done..]));
    Ok(whole)
}

fn value(reference: Reference<'_>, lookup: Lookup<'_>) -> Result<String, String> {
    if let Some(literal) = reference.literal("${") {
        return literal;
    }
    let (name, otherwise) = match reference.inside.split_once(":-") {
        Some((name, otherwise)) => (name, Some(otherwise)),
        None => (reference.inside, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    if !is_name(name) {
        return Err(format!("{reference} is not the name of an environment variable"));
    }
    // As in shells, `:-` also replaces an empty value.
    let found = lookup(name).filter(|value| otherwise.is_none() || !value.is_empty());
    let found = found.or_else(|| otherwise.map(str::to_owned));
    // How to give a default depends on the host, and not all have a way.
    found.ok_or_else(|| format!("the environment variable {name} is not set; set it"))
}

/// The text that [`expand`] turns into this one.
pub(crate) fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

/// Escapes every string of a value.
pub(crate) fn escape_all(value: &mut toml::Value) {
    match value {
        toml::Value::String(text) => *text = escape(text),
        toml::Value::Array(items) => items.iter_mut().for_each(escape_all),
        toml::Value::Table(table) => table.iter_mut().for_each(|(_, value)| escape_all(value)),
        _ => {}
    }
}

/// A reference to a variable, such as `${VAR}`, in the text of a value.
///
/// Messages go to logs, and any value may be a password that happens to contain `${`. Only a name (`VAR`) or a pair of
/// words (`input:api-key`) is displayed; of anything else only the position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference<'t> {
    /// The whole value.
    pub(crate) value: &'t str,
    /// The byte offset of the reference in it.
    pub(crate) at: usize,
    /// The delimiters; the second is empty where the text says `${`, or does not close it.
    pub(crate) marks: (&'t str, &'t str),
    /// The text between the delimiters.
    pub(crate) inside: &'t str,
}

impl Reference<'_> {
    /// What stands for `$${`, or that it is a `${` that is not closed; `None` for a reference.
    pub(crate) fn literal(&self, literal: &str) -> Option<Result<String, String>> {
        let unclosed = || format!("'${{' at character {} is not closed", character(self.value, self.at));
        match self.marks {
            ("$${", _) => Some(Ok(literal.to_owned())),
            (_, "") => Some(Err(unclosed())),
            _ => None,
        }
    }
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
fn character(value: &str, at: usize) -> usize {
    value[..at].chars().count() + 1
}

/// Whether this can be the name of an environment variable.
pub(crate) fn is_name(text: &str) -> bool {
    is_word(text) && !text.contains('-') && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether this consists of ASCII letters, digits, `_` and `-`.
pub(crate) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// A path that reads the same in every folder.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path in a file of the folder `base` as one that reads the same elsewhere; `None` for one that does so already.
pub(crate) fn absolute_path(base: &Path, text: &str) -> Option<String> {
    let filled = expand(text, &own).unwrap_or_else(|_| text.to_owned());
    // The folder of a bare name is empty, which has no absolute form.
    let base = absolute(&Path::new(".").join(base));
    let base = escape(&base.to_string_lossy());
    (!Path::new(&filled).is_absolute()).then(|| Path::new(&base).join(text).to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        expand(text, &|name| match name {
            "HOME" => Some("/home/me".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        })
    }

    #[test]
    fn variables_are_substituted_and_other_text_is_kept() {
        for (text, message) in [
            ("${HOME}/x", "/home/me/x"),
            ("a${HOME}b${HOME}", "a/home/meb/home/me"),
            ("${env:HOME}", "/home/me"),
            ("${NONE:-other}", "other"),
            ("${EMPTY:-other}", "other"),
            ("${EMPTY}", ""),
            ("$HOME costs 5$", "$HOME costs 5$"),
            ("$${HOME} and ${HOME}", "${HOME} and /home/me"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(message), "{text}");
            assert_eq!(expanded(&escape(text)).as_deref(), Ok(text));
        }
    }

    #[test]
    fn errors_name_the_variable_or_its_place_and_never_quote_a_secret() {
        for (text, message) in [
            ("${NONE}", "the environment variable NONE is not set"),
            ("${input:key}", "'${input:key}' is not the name of an environment variable"),
            ("${", "'${' at character 1 is not closed"),
            ("é s3cret${s3cret", "'${' at character 9 is not closed"),
            ("s3cret${s3cret!}s3cret", "'${…}' at character 7 is not the name of an environment variable"),
            ("${HOME}${s3cret s3cret:-s3cret}", "'${…}' at character 8 is not the name"),
            ("s3cret${env:s3cret/}", "'${…}' at character 7 is not the name"),
            ("${}s3cret", "'${…}' at character 1 is not the name"),
            ("s3cret${NONE}s3cret", "the environment variable NONE is not set"),
        ] {
            let error = expanded(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
