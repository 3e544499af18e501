//! The files of a source, and what they said when they were read: each is opened once.

use std::{
    fs::{File, Metadata},
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{About, DescriptionError, DescriptionFile, OnChange, Review, Rules};
use mcp_disclosure_gateway::{
    Problem,
    catalogue::{Accepting, Declared},
};

use super::Seen;
use crate::{
    config::{DisclosureFile, Servers, read_hosts, unreadable_file},
    lock::{First, LOCK, LockFile, WrittenFirst},
};

/// What the files of a source said.
#[derive(Clone, Debug, Default)]
pub struct Files {
    config: Option<ReadFile<DisclosureFile>>,
    /// Hosts' files.
    pub(super) hosts: Vec<ReadFile<Servers>>,
    directory: Option<PathBuf>,
    descriptions: Option<Result<Arc<[DescriptionFile]>, Vec<Problem>>>,
    /// What was reviewed, where the configuration is a file that something can be beside of.
    lock: Option<Result<Arc<LockFile>, Problem>>,
    /// The state of the files before they were read.
    pub(super) seen: Seen,
}

/// A file, and what it said.
#[derive(Clone, Debug)]
pub struct ReadFile<T> {
    /// The path by which it is named.
    pub path: PathBuf,
    /// Its text; empty where it cannot be read.
    pub text: Arc<str>,
    /// What that says, or what is wrong with it.
    pub said: Result<Arc<T>, Vec<Problem>>,
    parse: Parse<T>,
    /// Whether it can be read again. A pipe or a terminal says everything once.
    is_regular: bool,
}

/// What a text of a file with this path says.
type Parse<T> = fn(&Path, &str) -> Result<T, Vec<Problem>>;

impl Files {
    /// Reads a configuration. Its user reports what is wrong with it. It may be stdin where that is free.
    pub fn of_config(config: Option<&Path>, is_stdin_free: bool) -> Self {
        // Before it is read, so that a change meanwhile is one.
        let beside = config.filter(|path| path.is_file()).map(|path| path.with_file_name(LOCK));
        let named: Vec<PathBuf> = config.map(Path::to_owned).into_iter().collect();
        let seen = Seen::now(&regular(&named)).and(Seen::now(beside.as_slice()));
        let config = config.map(|path| ReadFile::of(path, is_stdin_free, DisclosureFile::of_file));
        Self { config, seen, ..Self::default() }
    }

    /// The same with hosts' files, and description files: those of `directory`, or else of the folder that the
    /// configuration names.
    pub fn with(self, hosts: &[PathBuf], directory: Option<PathBuf>, is_stdin_free: bool) -> Self {
        let of_config = self.config.as_ref().and_then(|config| {
            Some(config.folder().join(config.said.as_ref().ok()?.tool_descriptions.as_ref()?))
        });
        let directory = directory.or(of_config);
        let seen = self.seen.and(Seen::now(&regular(hosts))).and(Seen::now(directory.as_slice()));
        let parse: Parse<Servers> = |path, text| read_hosts(path, text).map_err(|problem| vec![problem]);
        let hosts = hosts.iter().map(|path| ReadFile::of(path, is_stdin_free, parse)).collect();
        Self { hosts, seen, ..Self::of(self.config, directory) }
    }

    /// A configuration that was read, and the description files of `directory`.
    pub fn of(config: Option<ReadFile<DisclosureFile>>, directory: Option<PathBuf>) -> Self {
        let descriptions = directory.as_deref().map(|directory| read_directory(directory).map(Into::into));
        let beside = config.as_ref().filter(|config| config.is_regular);
        let lock = beside.map(|config| LockFile::beside(&config.path).map(Arc::new));
        Self { config, directory, descriptions, lock, ..Self::default() }
    }

    /// The same files read again, but for those that say everything once.
    pub fn again(&self) -> Self {
        let seen = Seen::now(&self.watched());
        let config = self.config.as_ref().map(ReadFile::again);
        let hosts = self.hosts.iter().map(ReadFile::again).collect();
        Self { hosts, seen, ..Self::of(config, self.directory.clone()) }
    }

    /// The configuration, if one is named.
    pub fn config(&self) -> Option<&ReadFile<DisclosureFile>> {
        self.config.as_ref()
    }

    /// What the configuration says: nothing, if none is named or it cannot be read.
    pub fn declarations(&self) -> Arc<DisclosureFile> {
        let said = self.config.as_ref().and_then(|config| config.said.as_ref().ok());
        said.cloned().unwrap_or_default()
    }

    /// The lock file beside the configuration, as it was read.
    pub fn lock(&self) -> Option<&Arc<LockFile>> {
        self.lock.as_ref()?.as_ref().ok()
    }

    /// Whether a file is named that could name upstreams.
    pub fn are_named(&self) -> bool {
        self.config.is_some() || !self.hosts.is_empty()
    }

    /// The files and directories whose change is a reason to read again.
    pub fn watched(&self) -> Vec<PathBuf> {
        let config = self.config.iter().filter(|config| config.is_regular).map(|config| &config.path);
        let beside = config.clone().map(|config| config.with_file_name(LOCK));
        let hosts = self.hosts.iter().filter(|hosts| hosts.is_regular).map(|hosts| &hosts.path);
        config.chain(hosts).chain(&self.directory).cloned().chain(beside).collect()
    }

    /// Those that say everything once.
    pub fn read_once(&self) -> impl Iterator<Item = &Path> {
        let config = self.config.iter().filter(|config| !config.is_regular).map(|config| &*config.path);
        config.chain(self.hosts.iter().filter(|hosts| !hosts.is_regular).map(|hosts| &*hosts.path))
    }

    /// What they declare of the catalogue, over what holds without them.
    ///
    /// # Errors
    /// Every problem of the configuration and of description files, each with its file and a hint.
    pub fn declare(&self, over: &Declared) -> Result<Declared, Vec<Problem>> {
        let mut problems = Vec::new();
        let laid_over = match &self.config {
            Some(config) => config.said.clone().and_then(|file| {
                let (about, mut rules) = file.declare(&over.about)?;
                rules.switches.extend(over.rules.switches.iter().cloned());
                Ok((about, rules))
            }),
            None => Ok((About::clone(&over.about), Rules::clone(&over.rules))),
        };
        let review = self.review(&over.rules.review).map_err(|problem| problems.push(problem));
        let laid_over = laid_over.map_err(|found| problems.extend(found));
        let files = self.descriptions.clone().unwrap_or_else(|| Ok(Arc::clone(&over.files)));
        match (laid_over, files.map_err(|found| problems.extend(found)), review) {
            (Ok((about, rules)), Ok(files), Ok(review)) => {
                Ok(Declared { files, about, rules: Arc::new(Rules { review, ..rules }), ..over.clone() })
            }
            _ => Err(problems),
        }
    }

    /// Accepts what upstreams list the first time; only what serves writes it down.
    pub fn first(&self, written: Option<Arc<WrittenFirst>>) -> Option<Arc<dyn Accepting>> {
        let configuration = self.lock().and(self.config.as_ref())?.path.clone();
        Some(Arc::new(First { configuration, written }))
    }

    /// What was reviewed, and what is done about the rest.
    fn review(&self, over: &Arc<Review>) -> Result<Arc<Review>, Problem> {
        if self.config.is_none() {
            return Ok(Arc::clone(over));
        }
        let on_change = self.declarations().on_change();
        match &self.lock {
            Some(lock) => Ok(Arc::new(Review { lock: lock.clone()?.lock.clone(), on_change })),
            None if on_change.values().any(|what| *what == OnChange::Hold) => {
                let hint = "give --config a file, beside which disclosure.lock can be written";
                Err(Problem::new("on_change = \"hold\": what was accepted cannot be kept beside a pipe")
                    .hint(hint))
            }
            None => Ok(Arc::new(Review { on_change, ..Review::default() })),
        }
    }
}

impl<T: Clone> ReadFile<T> {
    /// What its relative paths are relative to: its folder. A pipe has none, and is written where the program is started.
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|_| self.is_regular).unwrap_or(Path::new(""))
    }

    /// Reads a file, which may be stdin if that is free.
    fn of(path: &Path, is_stdin_free: bool, parse: Parse<T>) -> Self {
        let (mut is_regular, mut text) = (true, String::new());
        let said = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        let said = said.map_err(|error| vec![unreadable_file(path, &error)]).and_then(|(found, mut file)| {
            // What a descriptor leads to has no folder of its own, whatever it is.
            let is_descriptor = path.starts_with("/dev") || path.starts_with("/proc");
            is_regular = (found.is_file() || found.is_dir()) && !is_descriptor;
            if is_stdin(&found) && !is_stdin_free {
                return Err(vec![taken(path)]);
            }
            file.read_to_string(&mut text).map_err(|error| vec![unreadable_file(path, &error)])?;
            parse(path, &text).map(Arc::new)
        });
        Self { path: path.to_owned(), text: text.into(), said, parse, is_regular }
    }

    /// What it says now, unless it said everything once.
    fn again(&self) -> Self {
        if self.is_regular { Self::of(&self.path, true, self.parse) } else { self.clone() }
    }
}

impl ReadFile<DisclosureFile> {
    /// Reads a configuration.
    pub fn read(path: &Path) -> Self {
        Self::of(path, true, DisclosureFile::of_file)
    }
}

/// Reads every `*.json` of a directory, in the order of their names.
///
/// # Errors
/// Every problem there is, with its file and a hint.
pub fn read_directory(directory: &Path) -> Result<Vec<DescriptionFile>, Vec<Problem>> {
    let paths = description_paths(directory).map_err(|error| {
        let hint = match directory.is_file() {
            true => "give the directory that it is in",
            false => "give a directory that can be read",
        };
        vec![Problem::new(format!("{}: {error}", directory.display())).hint(hint)]
    })?;
    let mut files = Vec::with_capacity(paths.len());
    let mut problems = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        match std::fs::read_to_string(&path) {
            Err(error) => problems.push(unreadable_file(&path, &error)),
            Ok(text) => match DescriptionFile::parse(&shown, stem, text.trim_start_matches('\u{feff}')) {
                Ok(file) => {
                    tracing::debug!(path = shown, "description file read");
                    files.push(file);
                }
                Err(errors) => problems.extend(errors.iter().map(problem)),
            },
        }
    }
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

/// Every `*.json` of a directory, in the order of their names. Hidden files are the editors' and the file system's own.
pub(crate) fn description_paths(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let is_json = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    paths.retain(|path| is_json(path) && !is_hidden(path) && !path.is_dir());
    paths.sort();
    Ok(paths)
}

fn taken(path: &Path) -> Problem {
    Problem::new(format!("{}: clients connect over stdin, so no file is read from it", path.display()))
        .hint("add --transport http, or give a file")
}

/// Those of these files that can be read again.
fn regular(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter(|path| path.is_file() || path.is_dir()).cloned().collect()
}

/// Whether an opened file is what this process has as stdin.
#[cfg(unix)]
fn is_stdin(found: &Metadata) -> bool {
    use std::os::{fd::AsFd, unix::fs::MetadataExt};
    let stdin = std::io::stdin().as_fd().try_clone_to_owned().and_then(|stdin| File::from(stdin).metadata());
    stdin.is_ok_and(|stdin| (stdin.dev(), stdin.ino()) == (found.dev(), found.ino()))
}

/// Whether an opened file is what this process has as stdin, which has no path on this platform.
#[cfg(not(unix))]
fn is_stdin(_: &Metadata) -> bool {
    false
}

/// The problem a person reads, with what to do about it.
fn problem(error: &DescriptionError) -> Problem {
    let hint = match error {
        DescriptionError::Syntax { .. } => "a description file is one JSON object with the name of its tool",
        DescriptionError::Missing { .. } => "name must be there, and what else is there must say something",
        DescriptionError::NotAnObject { .. } => {
            "write a JSON Schema such as {\"type\": \"object\", \"properties\": {}}"
        }
        DescriptionError::NameDiffers { .. } => "rename the file, or correct 'name' in it",
        _ => "see docs/description-files.md",
    };
    Problem::new(error.to_string()).hint(hint)
}
