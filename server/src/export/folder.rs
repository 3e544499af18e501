//! The folder that is exported into, as it is: what a person decided there stays.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{Rules, Tool};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};

use super::{CONFIGURATION, merge};
use crate::{
    config::DisclosureFile,
    files::{ConfigFile, Origin, description_paths},
};

/// Where description files of a configuration are put that names no folder for them.
const DESCRIPTIONS: &str = "tools";

/// A folder with a `disclosure.toml` or description files.
#[derive(Debug)]
pub struct Folder {
    config: Option<ConfigFile>,
    /// Where description files are, or would be.
    descriptions: PathBuf,
    /// The same within the folder, unless that leads out of it.
    inside: Option<PathBuf>,
    /// Its files as they were read, by their names within the folder.
    texts: BTreeMap<String, String>,
}

impl Folder {
    /// Reads a folder; `None` where nothing in it was decided yet.
    ///
    /// # Errors
    /// Everything that keeps its files from being used, each with place and hint.
    pub fn read(path: &Path) -> Result<Option<Self>, Vec<Problem>> {
        if !path.exists() {
            return Ok(None);
        }
        let mut texts = BTreeMap::new();
        let mut config = None;
        let file = path.join(CONFIGURATION);
        if file.exists() {
            texts.insert(CONFIGURATION.to_owned(), read(&file)?);
            config = Some(ConfigFile { first: Arc::new(DisclosureFile::read(&file)?), path: file });
        }
        let inside = match &config {
            // Beside a configuration that names no folder there may be other files of this kind.
            Some(config) => config.first.tool_descriptions.clone().unwrap_or_else(|| DESCRIPTIONS.into()),
            None => PathBuf::new(),
        };
        let descriptions = if inside == Path::new("") { path.to_owned() } else { path.join(&inside) };
        let inside = within(path, &descriptions, inside);
        let is_read = config.as_ref().is_none_or(|config| config.first.tool_descriptions.is_some());
        let files = if is_read { description_files(&descriptions)? } else { Vec::new() };
        for file in files {
            if let Some(name) = inside.as_ref().and_then(|inside| name(inside, file.file_name()?)) {
                texts.insert(name, read(&file)?);
            }
        }
        Ok((!texts.is_empty()).then_some(Self { config, descriptions, inside, texts }))
    }

    /// Whether a file is its `disclosure.toml`.
    pub fn is_configured_by(&self, file: &Path) -> bool {
        self.configuration().is_some_and(|own| is_same(own, file))
    }

    /// The `disclosure.toml` in it.
    fn configuration(&self) -> Option<&Path> {
        self.config.as_ref().map(|config| &*config.path)
    }

    /// What its `disclosure.toml` says.
    pub(super) fn config(&self) -> Option<&DisclosureFile> {
        self.config.as_ref().map(|config| &*config.first)
    }

    /// Whether its `disclosure.toml` switches an upstream off.
    pub fn disables(&self, upstream: &str) -> bool {
        let upstreams = self.config().into_iter().flat_map(|config| &config.upstreams.0);
        upstreams.into_iter().any(|(name, _, entry)| name == upstream && entry.disabled)
    }

    /// What is declared in it, over what the source declares: where both have a word, the folder's counts, and what
    /// either hides is hidden.
    ///
    /// # Errors
    /// Everything that is wrong with its files.
    pub fn declare_over(&self, source: &Declared) -> Result<Declared, Vec<Problem>> {
        let has_files = self.texts.keys().any(|name| name != CONFIGURATION);
        let directory = has_files.then(|| self.descriptions.clone());
        let base = Declared { files: [].into(), ..source.clone() };
        let mut declared =
            Origin { base, directory, config: self.config.clone(), ..Origin::default() }.read()?.declared;
        if self.config.is_some() {
            let mut rules = Rules::clone(&declared.rules);
            rules.tools.extend(source.rules.tools.iter().cloned());
            rules.resources.extend(source.rules.resources.iter().cloned());
            rules.prompts.extend(source.rules.prompts.iter().cloned());
            rules.allowed_resources =
                rules.allowed_resources.or_else(|| source.rules.allowed_resources.clone());
            declared.rules = Arc::new(rules);
        }
        let others =
            source.files.iter().filter(|other| declared.files.iter().all(|own| own.name != other.name));
        declared.files = declared.files.iter().chain(others).cloned().collect();
        Ok(declared)
    }

    /// The description file that is in force for a tool, if it is one of this folder's, with its text.
    pub(super) fn file_of(&self, tool: &Tool) -> Option<(String, &str)> {
        let path = Path::new(tool.supplement().path.as_deref()?);
        let name = name(self.inside.as_ref()?, path.file_name()?)?;
        let text = self.text(&name)?;
        is_same(path.parent()?, &self.descriptions).then_some((name, text))
    }

    /// Whether its description files are outside of it.
    pub(super) fn describes_elsewhere(&self) -> bool {
        self.inside.is_none()
    }

    /// The text of its `disclosure.toml`, which must say where description files are if there are any.
    pub(super) fn with_descriptions(&self, text: String) -> String {
        match self.config() {
            Some(config) if config.tool_descriptions.is_none() => {
                merge::with_key(&text, "tool_descriptions", DESCRIPTIONS)
            }
            _ => text,
        }
    }

    /// Where a new description file belongs.
    ///
    /// # Errors
    /// That it would be outside of the folder.
    pub(super) fn place_of(&self, file: &str) -> Result<String, Problem> {
        self.inside.as_ref().and_then(|inside| name(inside, file.as_ref())).ok_or_else(|| {
            let elsewhere = self.descriptions.display();
            let message = format!(
                "tool_descriptions leads out of the folder, to {elsewhere}; nothing is written there"
            );
            Problem::new(message).hint("move the description files into the folder that is exported into")
        })
    }

    /// The text of a file as it was read.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }
}

/// The part of a path that is within a folder. One that is not there yet is judged by its text.
fn within(folder: &Path, path: &Path, declared: PathBuf) -> Option<PathBuf> {
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path.strip_prefix(folder).ok().map(Path::to_owned),
        _ => {
            let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            declared.components().all(is_plain).then_some(declared)
        }
    }
}

fn name(inside: &Path, file: &OsStr) -> Option<String> {
    inside.join(file).to_str().map(str::to_owned)
}

fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

fn description_files(directory: &Path) -> Result<Vec<PathBuf>, Vec<Problem>> {
    match description_paths(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        paths => paths.map_err(|error| unreadable(directory, &error)),
    }
}

fn read(path: &Path) -> Result<String, Vec<Problem>> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Vec<Problem> {
    let message = format!("{}: {error}", path.display());
    vec![Problem::new(message).hint("give a directory that can be read and written, or a new one")]
}
