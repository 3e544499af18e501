//! A source's configuration that becomes that of another folder: its text stays, but for paths that are relative to its own.

use std::{ops::Range, path::Path};

use mcp_disclosure_gateway::Problem;
use toml_edit::{Document, Item, TableLike, Value};

use super::merge::{parse, spliced};
use crate::{
    config::{DisclosureFile, absolute_path},
    files::ReadFile,
};

/// The key of the folder with description files, which are exported beside the configuration.
pub(super) const DIRECTORY: &str = "tool_descriptions";

/// The keys with paths. A table or array of tables stands for each of its tables, and `*` for every key.
const PATHS: &[&[&str]] = &[
    &["upstreams", "*", "command"],
    &["upstreams", "*", "cwd"],
    &["upstreams", "*", "oauth", "client_secret", "file"],
    &["auth", "tokens", "file"],
    &["auth", "jwt", "jwks_file"],
];

/// What cannot be added to a configuration that is there: tables without names of their own.
const WHOLE: &[&[&str]] = &[
    &["demo"],
    &["server"],
    &["serve"],
    &["limits"],
    &["pins"],
    &["resources", "allow"],
    &["auth"],
    &["principals"],
    &["profiles"],
];

/// A configuration of the folder `from`, as it reads in the folder that is exported into.
///
/// # Errors
/// That it is no TOML.
pub(super) fn moved(existing: &str, from: &Path) -> Result<String, Problem> {
    let document = parse(existing)?;
    let mut splices = Vec::new();
    for path in PATHS {
        for (value, span) in values(document.as_table(), path) {
            let is_command = path.last() == Some(&"command");
            let name = is_command && !value.contains(std::path::is_separator);
            splices.extend(
                absolute_path(from, value)
                    .filter(|_| !name)
                    .map(|path| (span, Value::from(path).to_string())),
            );
        }
    }
    splices.extend(
        values(document.as_table(), &[DIRECTORY])
            .into_iter()
            .map(|(_, span)| (span, Value::from(".").to_string())),
    );
    Ok(spliced(existing, splices))
}

/// Whether a configuration says everything itself that nothing is added for.
///
/// # Errors
/// Everything that `given` says, and `own` does not.
pub(super) fn keeps_all(
    given: &ReadFile<DisclosureFile>,
    own: &ReadFile<DisclosureFile>,
) -> Result<(), Vec<Problem>> {
    let both = parse(&given.text).and_then(|given| Ok((given, parse(&own.text)?)));
    let (said, there) = both.map_err(|problem| vec![problem])?;
    let is_lost = |path: &&&[&str]| holds(&said, path) && !holds(&there, path);
    let problem = |path: &&[&str]| {
        let (key, given, own) = (path.join("."), given.path.display(), own.path.display());
        Problem::new(format!("{given}: '{key}' is not in {own}, and export adds only single tables by name"))
            .hint("copy it there, or export into a new folder, which gets all of the file")
    };
    let lost: Vec<Problem> = WHOLE.iter().filter(is_lost).map(problem).collect();
    if lost.is_empty() { Ok(()) } else { Err(lost) }
}

/// Whether a configuration has a key.
pub(super) fn has_key(text: &str, key: &str) -> bool {
    parse(text).is_ok_and(|document| document.as_table().contains_key(key))
}

fn holds(document: &Document<&str>, path: &[&str]) -> bool {
    let (mut tables, mut is_there) = (vec![document.as_table() as &dyn TableLike], false);
    for key in path {
        let items: Vec<&Item> = tables.iter().filter_map(|table| table.get(key)).collect();
        is_there = !items.is_empty();
        tables = items.into_iter().flat_map(tables_of).collect();
    }
    is_there
}

/// The texts at a path, and where they are written.
fn values<'d>(table: &'d dyn TableLike, path: &[&str]) -> Vec<(&'d str, Range<usize>)> {
    let Some((key, rest)) = path.split_first() else { return Vec::new() };
    let items = table.iter().filter(|(name, _)| *key == "*" || name == key).map(|(_, item)| item);
    if rest.is_empty() {
        return items.filter_map(|item| Some((item.as_str()?, item.span()?))).collect();
    }
    items.flat_map(tables_of).flat_map(|table| values(table, rest)).collect()
}

/// The tables that an item is.
fn tables_of(item: &Item) -> Vec<&dyn TableLike> {
    match item {
        Item::ArrayOfTables(list) => list.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(list)) => {
            list.iter().filter_map(|value| Some(value.as_inline_table()? as &dyn TableLike)).collect()
        }
        other => other.as_table_like().into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u10_paths_of_another_folder_are_absolute_and_the_rest_stays() {
        let text = "\u{feff}# Mine.\r\ntool_descriptions  =  'd' # here\r\n[auth]\r\ntokens = [{name='a', file = 'a.token'}, {name = 'b', env = 'B'}]\r\n\
            [upstreams.u]\r\ncommand = './run'\r\ncwd=\"/abs\"\r\n[upstreams.v]\r\ncommand = 'npx'\r\n[[auth.more]]\r\nfile = 'x'\r\n";
        let expected = text
            .replace("'d'", "\".\"")
            .replace("'a.token'", "\"/from/a.token\"")
            .replace("'./run'", "\"/from/./run\"");
        assert_eq!(moved(text, Path::new("/from")).unwrap(), expected);
        assert_eq!(moved(&expected, Path::new("/other")).unwrap(), expected);
        let listed = "[[auth.tokens]]\nfile = 't'\n[upstreams]\nu.cwd = '${PATH_THAT_IS_NOT_SET:-c}'\n";
        let expected = "[[auth.tokens]]\nfile = \"/$${f}/t\"\n[upstreams]\nu.cwd = \"/$${f}/${PATH_THAT_IS_NOT_SET:-c}\"\n";
        assert_eq!(moved(listed, Path::new("/${f}")).unwrap(), expected);
    }
}
