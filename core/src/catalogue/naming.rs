//! The names by which an upstream's tools and prompts are served, where they are not its own (contract U14).
//!
//! A prefix is put in front of all of them; a single tool can have another name, which is served as it is written,
//! without the prefix. Nothing else changes: rules, switches and description files go by the upstream's own names, and
//! so do calls.

use std::collections::BTreeMap;

use crate::name::{Kind, ToolName, UpstreamName};

/// Maximum number of characters of a served name: hosts and model interfaces refuse longer ones, some of them together
/// with the rest of the list.
pub(crate) const MAX_CHARACTERS: usize = 64;

/// The names of one upstream's tools and prompts as served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    upstream: UpstreamName,
    /// Where it is written, for messages.
    pub(super) place: String,
    prefix: String,
    /// The tools that get another name, by their own names.
    pub(super) renamed: BTreeMap<String, ToolName>,
}

/// A prefix or name that cannot be used. `key` is `prefix`, or `rename` with the tool's own name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NamingError {
    /// Hosts refuse it.
    #[error("{key} {problem}")]
    Refused {
        /// Where it is written.
        key: String,
        /// Why, behind that.
        problem: String,
    },
    /// Two tools get the same name.
    #[error("'{first}' and '{second}' are both renamed to '{name}'")]
    Twice {
        /// One tool, by its own name.
        first: String,
        /// The other.
        second: String,
        /// The name.
        name: String,
    },
}

impl Naming {
    /// The names of this upstream's tools and prompts. `place` is where they are written, for messages; `rename` maps
    /// tools' own names to the names by which they are served. An empty prefix has no effect.
    ///
    /// # Errors
    /// Everything that is wrong with prefix and names.
    pub fn new(
        upstream: UpstreamName,
        place: String,
        prefix: &str,
        rename: &BTreeMap<String, String>,
    ) -> Result<Self, Vec<NamingError>> {
        let mut errors: Vec<NamingError> = misfit("prefix", prefix, MAX_CHARACTERS - 1).into_iter().collect();
        let mut renamed = BTreeMap::new();
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for (own, name) in rename {
            let key = format!("rename.{own:?}");
            match ToolName::parse(name) {
                Err(_) => errors.push(NamingError::Refused { key, problem: "is empty".to_owned() }),
                Ok(parsed) => {
                    errors.extend(misfit(&key, name, MAX_CHARACTERS));
                    renamed.insert(own.clone(), parsed);
                }
            }
            if let Some(first) = owners.insert(name, own).filter(|_| !name.is_empty()) {
                let (first, second, name) = (first.to_owned(), own.clone(), name.clone());
                errors.push(NamingError::Twice { first, second, name });
            }
        }
        let naming = Self { upstream, place, prefix: prefix.to_owned(), renamed };
        if errors.is_empty() { Ok(naming) } else { Err(errors) }
    }

    /// The upstream, by the name that the operator gave it.
    pub fn upstream(&self) -> &UpstreamName {
        &self.upstream
    }

    /// The name for a tool or prompt of this name; `None` if it keeps its own.
    pub(crate) fn name(&self, kind: Kind, own: &str) -> Option<String> {
        let renamed = (kind == Kind::Tools).then(|| self.renamed.get(own)).flatten();
        let name = renamed.map_or_else(|| format!("{}{own}", self.prefix), ToolName::to_string);
        (name != own).then_some(name)
    }
}

/// What keeps a text from being a served name, or the beginning of one.
fn misfit(key: &str, text: &str, most: usize) -> Option<NamingError> {
    let refused =
        |character: &char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-' | '.');
    let length = text.chars().count();
    let problem = match text.chars().find(refused) {
        Some(character) => {
            format!("contains {character:?}, and hosts accept A-Z, a-z, 0-9, '_', '-' and '.' in names")
        }
        None if length > most => {
            format!("has {length} characters, and hosts refuse names of more than {MAX_CHARACTERS}")
        }
        None => return None,
    };
    Some(NamingError::Refused { key: key.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(prefix: &str, rename: &[(&str, &str)]) -> Result<Naming, Vec<String>> {
        let rename = rename.iter().map(|(own, name)| ((*own).to_owned(), (*name).to_owned())).collect();
        Naming::new(UpstreamName::parse("u").unwrap(), String::new(), prefix, &rename)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn u14_names_that_hosts_refuse_are_errors() {
        let (longest, long) = ("n".repeat(64), "n".repeat(65));
        naming(&longest[1..], &[("a", &longest), ("b", "A.b-c_9")]).unwrap();
        for (prefix, rename, errors) in [
            ("", &[("a", "")][..], &["rename.\"a\" is empty"][..]),
            ("g h", &[], &["prefix contains ' ', and hosts accept A-Z, a-z, 0-9, '_', '-' and '.' in names"]),
            (
                &longest,
                &[("a", &*long), ("b", "b/c")],
                &[
                    "prefix has 64 characters, and hosts refuse names of more than 64",
                    "rename.\"a\" has 65 characters, and hosts refuse names of more than 64",
                    "rename.\"b\" contains '/', and hosts accept A-Z, a-z, 0-9, '_', '-' and '.' in names",
                ],
            ),
            ("", &[("a", "x"), ("b", "x")], &["'a' and 'b' are both renamed to 'x'"]),
        ] {
            assert_eq!(naming(prefix, rename).unwrap_err(), errors);
        }
    }
}
