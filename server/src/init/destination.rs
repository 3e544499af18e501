//! Where the servers of a host's file are moved to, and what is moved there.

use std::path::{Path, PathBuf};

use mcp_disclosure_core::digest::hex;
use sha2::{Digest, Sha256};

use super::{
    ENTRY,
    places::{Folders, is_read_whole},
};

/// Where the servers of a host's file are moved to: files of ours in the user's folder or, for a project, beside the file.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    /// What the paths of these files begin with; a number may follow, and `.json`.
    stem: PathBuf,
    /// The folder of a project, and what an entry says for it.
    project: Option<(PathBuf, &'static str)>,
    /// The names of servers in other files of the host. Where two files have a name, one of them counts.
    pub(super) elsewhere: Vec<String>,
}

/// What is behind an entry of ours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Former {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) names: Vec<String>,
}

/// Servers that are moved.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// The name of our entry, which may have been there.
    pub(crate) entry: String,
    pub(crate) names: Vec<String>,
    /// The file of ours, which does not exist yet, and its text.
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    /// The files of ours that the entry reads already, and the names of their servers.
    pub(crate) former: Former,
    /// Whether it lies in a project, whose files people share.
    pub(crate) is_shared: bool,
    /// What switches a server off in its entry, where its host has a key for that.
    pub(crate) switch: Option<&'static str>,
}

/// Names a file in our folders.
pub(super) fn key(path: &Path) -> String {
    hex(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..12])
}

impl Destination {
    /// Of the servers of this file; `gathered` is the user's folder.
    pub(crate) fn of(file: &Path, folders: &Folders, gathered: &Path) -> Self {
        let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let Some((root, folder)) = folders.project_of(file).zip(file.parent()) else {
            // Short, since people open it; another file's would be numbered.
            let stem = gathered.join(&key(file)[..8]);
            return Self { stem, project: None, elsewhere: Vec::new() };
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (plain, hidden) = name.strip_prefix('.').map_or((&*name, ""), |plain| (plain, "."));
        // Each file of a folder has files of its own.
        let of_file = match plain {
            "mcp.json" => String::new(),
            _ => format!("-{}", plain.trim_end_matches(".json").replace('.', "-")),
        };
        // Others are started in the project's folder, and have no name for it.
        let has_variable = [".cursor", ".vscode"].iter().any(|name| folder.ends_with(name));
        Self {
            stem: folder.join(format!("{hidden}{ENTRY}{of_file}")),
            project: Some((root, if has_variable { "${workspaceFolder}/" } else { "" })),
            elsewhere: Vec::new(),
        }
    }

    /// Of servers of whose host other files have servers of these names.
    pub(crate) fn beside(self, elsewhere: Vec<String>) -> Self {
        Self { elsewhere, ..self }
    }

    /// The name of our entry: in a project another one than in the user's file, which it would replace there.
    pub(super) fn entry(&self) -> String {
        let of_project = if self.is_in_project() { "-project" } else { "" };
        format!("{ENTRY}{of_project}")
    }

    /// Whether this is beside the host's file, in a project.
    pub(crate) fn is_in_project(&self) -> bool {
        self.project.is_some()
    }

    /// Whether the host would read our file as one of its own.
    pub(super) fn is_among_hosts_files(&self) -> bool {
        self.project.is_some() && self.stem.parent().is_some_and(is_read_whole)
    }

    /// A path that no file has, and none of those that are written later.
    pub(super) fn free(&self, planned: &[Moved]) -> PathBuf {
        let numbered = |number: usize| match number {
            0 => format!("{}.json", self.stem.display()),
            _ => format!("{}-{number}.json", self.stem.display()),
        };
        let is_planned = |name: &PathBuf| planned.iter().any(|moved| moved.file == *name);
        let mut paths = (0..).map(|number| PathBuf::from(numbered(number)));
        paths.find(|name| !name.exists() && !is_planned(name)).unwrap_or_else(|| self.stem.clone())
    }

    /// What an entry names a file of ours by.
    pub(super) fn named(&self, file: &Path) -> Option<String> {
        let Some((root, variable)) = &self.project else { return file.to_str().map(str::to_owned) };
        let within = file.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        Some(format!("{variable}{within}"))
    }

    /// The file of ours that an entry names, if it is one.
    pub(super) fn file_of(&self, named: &str) -> Option<PathBuf> {
        let file = match &self.project {
            Some((root, variable)) => root.join(named.strip_prefix(variable)?),
            None => PathBuf::from(named),
        };
        // A host's file that was renamed or moved has its servers in the same folder.
        let is_ours = match &self.project {
            Some(_) => file.to_str()?.starts_with(self.stem.to_str()?),
            None => file.parent() == self.stem.parent(),
        };
        is_ours.then_some(file)
    }
}
