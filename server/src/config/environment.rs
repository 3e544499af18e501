//! `${VAR}`: substitution from the environment.

use super::reference::{Reference, character, is_name};

/// Looks a variable up.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The process's own environment.
pub(super) fn own(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Substitutes variables: `${VAR}` or `${env:VAR}`, and `${VAR:-default}` with a default. `$${` stands for `${`; any other
/// `$` for itself.
///
/// # Errors
/// The problem with the first reference that cannot be resolved. It quotes names of variables and no other text.
pub(super) fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        let at = text.len() - after.len();
        if let Some(before) = before.strip_suffix('$') {
            expanded.push_str(before);
            expanded.push_str("${");
            rest = &after[2..];
            continue;
        }
        expanded.push_str(before);
        let Some((inside, after)) = after[2..].split_once('}') else {
            let at = character(text, at);
            return Err(format!("'${{' at character {at} is not closed; '$${{' stands for '${{'"));
        };
        expanded.push_str(&value(Reference { value: text, at, marks: ("${", "}"), inside }, lookup)?);
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value(reference: Reference<'_>, lookup: Lookup<'_>) -> Result<String, String> {
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
    found.or_else(|| otherwise.map(str::to_owned)).ok_or_else(|| {
        format!(
            "the environment variable {name} is not set; set it, or write '${{{name}:-…}}' to give a default"
        )
    })
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
