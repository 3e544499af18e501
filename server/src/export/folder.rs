//! The folder that is exported into, as it is: what a person decided there stays. The source's configuration becomes that of a
//! new one: its text stays, but for paths that are relative to its own folder.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{OnChange, Review, Rules, Tool};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};

use super::merge;
use crate::{
    config::{
        CONFIGURATION, DisclosureFile, absolute_path,
        hosts::{Document, node::Node},
    },
    files::{Files, ReadFile, description_paths, is_same},
    init::{Edits, quoted},
    lock::LockFile,
};

/// Where description files of a configuration are put that names no folder for them.
const DESCRIPTIONS: &str = "tools";

/// The folder that is exported into: its `disclosure.toml` or description files, or where the source's `disclosure.toml` goes.
#[derive(Debug)]
pub struct Folder {
    /// What is decided in it.
    pub(crate) files: Files,
    /// The text that what is new is put into: of its `disclosure.toml`, or else of the source's.
    pub(super) base: Option<String>,
    /// Where description files are, or would be.
    pub descriptions: PathBuf,
    /// Whether that is within the folder.
    pub(super) is_inside: bool,
    /// Its `disclosure.toml`.
    pub(super) configuration: PathBuf,
    /// What is reviewed in it.
    pub(super) lock: LockFile,
    /// Its files as they were read; description files only where they stay.
    pub(super) texts: BTreeMap<PathBuf, String>,
}

impl Folder {
    /// Reads a folder, which need not be there. With `replace`, its description files are none of it.
    ///
    /// # Errors
    /// Everything that keeps its files from being used, and what of the source's configuration cannot be put into its own,
    /// each with place and hint.
    pub fn read(path: &Path, source: &Files, replace: bool) -> Result<Self, Vec<Problem>> {
        let configuration = path.join(CONFIGURATION);
        // The source may be this very file.
        let is_own = |given: &&ReadFile<DisclosureFile>| is_same(&given.path, &configuration);
        let own = configuration.exists().then(|| match source.config().filter(is_own) {
            Some(given) => given.clone(),
            None => ReadFile::read(&configuration),
        });
        let said = own.as_ref().map(|own| own.said.clone()).transpose()?;
        let declared = said.as_ref().and_then(|said| said.tool_descriptions.clone());
        let is_read = own.is_none() || declared.is_some();
        // Beside a configuration that names no folder there may be other files of this kind.
        let inside = declared.unwrap_or_else(|| said.map_or("", |_| DESCRIPTIONS).into());
        let descriptions = if inside == Path::new("") { path.to_owned() } else { path.join(&inside) };
        let is_inside = is_within(path, &descriptions, &inside);
        let mut texts = BTreeMap::new();
        if is_read && is_inside && !replace && path.exists() {
            for file in description_files(&descriptions)? {
                let text = fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
                texts.insert(file, text);
            }
        }
        let directory = (!texts.is_empty()).then(|| descriptions.clone());
        let base = match (&own, source.config().filter(|given| given.said.is_ok())) {
            (Some(own), given) => {
                given.map_or(Ok(()), |given| keeps_all(given, own))?;
                texts.insert(configuration.clone(), own.text.to_string());
                Some(own.text.to_string())
            }
            (None, Some(given)) => {
                let moved = moved(&given.text, given.folder());
                Some(moved.map_err(|problem| vec![problem])?)
            }
            (None, None) => None,
        };
        let lock = LockFile::beside(&configuration).map_err(|problem| vec![problem])?;
        texts.extend(lock.text.clone().map(|text| (lock.path.clone(), text)));
        let files = Files::of(own, directory);
        Ok(Self { files, base, descriptions, is_inside, configuration, lock, texts })
    }

    /// Whether anything is in it already.
    pub fn is_there(&self) -> bool {
        !self.texts.is_empty()
    }

    /// What its `disclosure.toml` says.
    pub(super) fn config(&self) -> Option<&DisclosureFile> {
        self.files.config()?.said.as_deref().ok()
    }

    /// Whether its `disclosure.toml` switches an upstream off.
    pub fn disables(&self, upstream: &str) -> bool {
        let upstreams = self.config().into_iter().flat_map(|config| &config.upstreams.0);
        upstreams.into_iter().any(|(name, _, entry)| name == upstream && entry.disabled)
    }

    /// What is declared in it, over what the source declares: where both have a word, the folder's counts, and what
    /// either hides or holds is hidden or held.
    ///
    /// # Errors
    /// Everything that is wrong with its files.
    pub fn declare_over(&self, source: &Declared) -> Result<Declared, Vec<Problem>> {
        let mut declared = self.files.declare(&Declared { files: [].into(), ..source.clone() })?;
        let mut rules = Rules::clone(&declared.rules);
        if self.config().is_some() {
            rules.tools.extend(source.rules.tools.iter().cloned());
            rules.resources.extend(source.rules.resources.iter().cloned());
            rules.prompts.extend(source.rules.prompts.iter().cloned());
            rules.allowed_resources =
                rules.allowed_resources.or_else(|| source.rules.allowed_resources.clone());
        }
        let (own, given) = (&declared.rules.review, &source.rules.review);
        let held = own.holding().chain(given.holding()).map(|name| (name.clone(), OnChange::Hold));
        let review = Review { lock: given.lock.clone().with(&self.lock.lock), on_change: held.collect() };
        rules.review = Arc::new(review);
        declared.rules = Arc::new(rules);
        let others =
            source.files.iter().filter(|other| declared.files.iter().all(|own| own.name != other.name));
        declared.files = declared.files.iter().chain(others).cloned().collect();
        Ok(declared)
    }

    /// Whether the description file that is in force for a tool is one of this folder's.
    pub(super) fn has_file_of(&self, tool: &Tool) -> bool {
        let Some(path) = tool.supplement().path.as_deref().map(Path::new) else { return false };
        let own = path.file_name().map(|name| self.descriptions.join(name));
        own.is_some_and(|own| self.texts.contains_key(&own) && is_same(&own, path))
    }

    /// The text of its `disclosure.toml`, which must say where description files are if there are any.
    pub(super) fn with_descriptions(&self, text: String) -> String {
        let is_said = parse(&text).is_ok_and(|said| said.root.get(DIRECTORY).is_some());
        let said = if self.config().is_some() { DESCRIPTIONS } else { "." };
        if is_said { text } else { merge::with_key(&text, DIRECTORY, said) }
    }

    /// Where a new description file belongs.
    ///
    /// # Errors
    /// That it would be outside of the folder.
    pub(super) fn place_of(&self, file: &str) -> Result<PathBuf, Problem> {
        let elsewhere = self.descriptions.display();
        let message =
            || format!("tool_descriptions leads out of the folder, to {elsewhere}; nothing is written there");
        let hint = "move the description files into the folder that is exported into";
        let place = Some(self.descriptions.join(file)).filter(|_| self.is_inside);
        place.ok_or_else(|| Problem::new(message()).hint(hint))
    }
}

/// Whether a path is within a folder. One that is not there yet is judged by what is `declared` of it.
fn is_within(folder: &Path, path: &Path, declared: &Path) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => declared.components().all(is_plain),
    }
}

/// The description files of a folder, which may not be there yet.
pub(super) fn description_files(directory: &Path) -> Result<Vec<PathBuf>, Vec<Problem>> {
    match description_paths(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|error| unreadable(directory, &error)),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Vec<Problem> {
    let message = format!("{}: {error}", path.display());
    vec![Problem::new(message).hint("give a directory that can be read and written, or a new one")]
}

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
    let mut edits = Edits::default();
    let mut write = |node: &Node, text: &str| {
        edits.replace(node.at..node.end, quoted(text));
    };
    for path in PATHS {
        for (node, text) in at(&document.root, path).into_iter().filter_map(|node| Some((node, node.text()?)))
        {
            let is_name = path.last() == Some(&"command") && !text.contains(std::path::is_separator);
            let absolute = absolute_path(from, text).filter(|_| !is_name);
            absolute.iter().for_each(|absolute| write(node, absolute));
        }
    }
    at(&document.root, &[DIRECTORY]).into_iter().for_each(|node| write(node, "."));
    Ok(edits.edited(&document).map_or_else(|_| existing.to_owned(), |moved| moved.bytes()))
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
    let is_lost = |path: &&&[&str]| !at(&said.root, path).is_empty() && at(&there.root, path).is_empty();
    let problem = |path: &&[&str]| {
        let (key, given, own) = (path.join("."), given.path.display(), own.path.display());
        Problem::new(format!("{given}: '{key}' is not in {own}, and export adds only single tables by name"))
            .hint("copy it there, or export into a new folder, which gets all of the file")
    };
    let lost: Vec<Problem> = WHOLE.iter().filter(is_lost).map(problem).collect();
    if lost.is_empty() { Ok(()) } else { Err(lost) }
}

pub(super) fn parse(text: &str) -> Result<Document, Problem> {
    Document::parse(Path::new(CONFIGURATION), text, Path::new(""))
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
    use mcp_disclosure_core::About;

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
    #[test]
    fn u10_what_a_source_declares_is_in_force_where_a_folder_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let empty = Folder::read(folder.path(), &Files::default(), false).unwrap();
        let said = "[tools.secret]\nhidden = true\n[upstreams.u]\ncommand = 'x'\nprefix = 'p_'\n";
        let (_, rules) = DisclosureFile::parse("d.toml", said).unwrap().declare(&About::default()).unwrap();
        let source = Declared { rules: Arc::new(rules), ..Declared::default() };
        assert_eq!(empty.declare_over(&source).unwrap().rules, source.rules);
    }
}
