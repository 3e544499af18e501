//! A source's configuration that becomes that of another folder: its text stays, but for paths that are relative to its own.

use std::path::Path;

use mcp_disclosure_gateway::Problem;
use toml_edit::Value;

use super::merge::MARK;
use crate::{
    config::{
        DisclosureFile, absolute_path,
        hosts::node::{Node, Syntax, parse_as},
    },
    files::ReadFile,
    init::edit::Edits,
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
    let root = parse(existing)?;
    let mut edits = Edits::default();
    let mut write = |node: &Node, text: &str| {
        edits.replace(node.at..node.end, Value::from(text).to_string());
    };
    for path in PATHS {
        for (node, text) in at(&root, path).into_iter().filter_map(|node| Some((node, node.text()?))) {
            let is_name = path.last() == Some(&"command") && !text.contains(std::path::is_separator);
            let absolute = absolute_path(from, text).filter(|_| !is_name);
            absolute.iter().for_each(|absolute| write(node, absolute));
        }
    }
    at(&root, &[DIRECTORY]).into_iter().for_each(|node| write(node, "."));
    // Places are counted behind the byte order mark.
    let body = existing.strip_prefix(MARK).unwrap_or(existing);
    let mark = &existing[..existing.len() - body.len()];
    Ok(format!("{mark}{}", edits.apply(body).unwrap_or_else(|| body.to_owned())))
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
    let is_lost = |path: &&&[&str]| !at(&said, path).is_empty() && at(&there, path).is_empty();
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
    parse(text).is_ok_and(|root| root.get(key).is_some())
}

fn parse(text: &str) -> Result<Node, Problem> {
    let body = text.strip_prefix(MARK).unwrap_or(text);
    parse_as(Syntax::Toml, body).map_err(|error| Problem::new(error.message))
}

/// The values at a path.
fn at<'n>(node: &'n Node, path: &[&str]) -> Vec<&'n Node> {
    let Some((key, rest)) = path.split_first() else { return vec![node] };
    let tables = node.items().iter().chain([node]);
    let members = tables.flat_map(Node::members).filter(|member| *key == "*" || member.name == *key);
    members.flat_map(|member| at(&member.node, rest)).collect()
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
