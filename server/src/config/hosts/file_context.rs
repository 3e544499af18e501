//! The context of a host's file: its path, the current directory, and the environment.

use std::path::{Path, PathBuf};

use super::super::environment::Lookup;

/// The variable that holds the user's home directory.
pub(super) const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Folders in a project in which hosts keep their files, and files directly in a project.
const FOLDERS: &[&str] =
    &[".claude", ".codex", ".continue", ".cursor", ".gemini", ".opencode", ".roo", ".vscode", ".zed"];
const FILES: &[&str] = &[".mcp.json", "opencode.json", "opencode.jsonc"];

pub(super) struct FileContext<'a> {
    /// The file, absolute.
    file: PathBuf,
    /// The current directory.
    pub(super) current: PathBuf,
    /// The project that the file belongs to; none for a user's file.
    pub(super) project: Option<PathBuf>,
    pub(super) lookup: Lookup<'a>,
}

impl<'a> FileContext<'a> {
    pub(super) fn new(file: &Path, current: PathBuf, lookup: Lookup<'a>) -> Self {
        let file = current.join(file);
        let home = lookup(HOME).map(PathBuf::from);
        let project = project(&file).filter(|project| Some(*project) != home.as_deref());
        Self { project: project.map(Path::to_path_buf), file, current, lookup }
    }

    /// The base of relative paths: the project that the host would have open.
    pub(super) fn folder(&self) -> &Path {
        self.project.as_ref().unwrap_or(&self.current)
    }

    /// Whether the file has this name.
    pub(super) fn is(&self, name: &str) -> bool {
        self.file.ends_with(name)
    }

    /// Whether the file is in a folder of this name.
    pub(super) fn is_in(&self, folder: &str) -> bool {
        self.file.parent().is_some_and(|parent| parent.ends_with(folder))
    }
}

fn project(file: &Path) -> Option<&Path> {
    let is = |path: &Path, names: &[&str]| names.iter().any(|name| path.ends_with(name));
    if is(file, FILES) {
        return file.parent();
    }
    file.ancestors().skip(1).find(|folder| is(folder, FOLDERS))?.parent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_project_that_contains_it() {
        let lookup = |name: &str| (name == HOME).then(|| "/home/me".to_owned());
        for (file, folder) in [
            ("/work/app/.vscode/mcp.json", "/work/app"),
            ("/work/app/.continue/mcpServers/a.yaml", "/work/app"),
            ("/work/app/.mcp.json", "/work/app"),
            (".cursor/mcp.json", "/now"),
            ("/home/me/.cursor/mcp.json", "/now"),
            ("/home/me/.claude.json", "/now"),
            ("/home/me/.config/zed/settings.json", "/now"),
            ("/work/app/mcp.json", "/now"),
        ] {
            let context = FileContext::new(Path::new(file), "/now".into(), &lookup);
            assert_eq!(context.folder(), Path::new(folder), "{file}");
        }
    }
}
