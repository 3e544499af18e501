//! What a shape of hosts' files is: where the servers are, and what the keys of an entry mean; and the context of such a file:
//! its path, the current directory, and the environment.

use std::path::{Path, PathBuf};

use super::{Ruling, node::Node};
use crate::config::Lookup;

/// A shape of file.
pub(crate) struct Shape {
    /// The hosts with this shape, for messages.
    pub(crate) hosts: &'static str,
    /// The paths of the tables or lists of servers, highest precedence first; none in a file of another shape.
    pub(crate) servers: Tables,
    /// The keys of an entry.
    pub(crate) keys: Keys,
    /// The syntax of variables.
    pub(crate) style: Style,
    /// What is said of a server outside its entry, by the server's name.
    pub(crate) elsewhere: Elsewhere,
}

pub(crate) type Tables = for<'n> fn(&'n Node, &FileContext<'_>) -> Vec<Vec<&'n str>>;
pub(crate) type Elsewhere = fn(&Node, &FileContext<'_>, &str) -> Ruling;

/// A host's syntax of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `${VAR}`, `${VAR:-otherwise}`, `${env:VAR}`, `${workspaceFolder}`, `${userHome}`, `${input:x}`, `${file:x}`.
    Dollar,
    /// The same, and `$VAR` if it is set.
    BareDollar,
    /// `{env:VAR}` and `{file:x}`.
    Braces,
    /// `${{ secrets.VAR }}`.
    Secrets,
    /// No variables.
    Literal,
}

/// A file that is read in a shape.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) shape: &'a Shape,
    /// The whole file, which may say something of a server outside its entry.
    pub(crate) root: &'a Node,
    pub(crate) context: &'a FileContext<'a>,
}

/// Keys and their meanings. Other keys are ignored.
pub(crate) type Keys = &'static [(&'static str, Means)];

/// The meaning of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Means {
    /// The program: a string, a list with its arguments, or a table of these keys.
    Command,
    /// The program's arguments.
    Arguments,
    /// Variables of the program, by name.
    Environment,
    /// A file with variables of the program.
    EnvironmentFile,
    /// Names of variables that the program inherits.
    Inherited,
    /// The directory that the program runs in.
    Directory,
    /// A URL.
    Address,
    /// A Streamable HTTP URL, which takes precedence over other URLs.
    HttpAddress,
    /// Headers of each request, by name.
    Headers,
    /// The variables that hold headers, by the header's name.
    HeadersFromVariables,
    /// The token of `Authorization: Bearer`.
    Bearer,
    /// The variable that holds it.
    BearerFromVariable,
    /// The transport.
    Transport,
    /// Whether the server is used; this value disables it.
    Switch(bool),
    /// Disabled tools.
    Hidden,
    /// The only enabled tools.
    Allowed,
    /// A table of more keys.
    Parts(Keys),
    /// A reference that only the host can resolve, with a hint.
    Foreign(&'static str),
}

/// The variable that holds the user's home directory.
pub(crate) const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Folders in a project in which hosts keep their files, and files directly in a project.
const FOLDERS: &[&str] =
    &[".claude", ".codex", ".continue", ".cursor", ".gemini", ".opencode", ".roo", ".vscode", ".zed"];
const FILES: &[&str] = &[".mcp.json", "opencode.json", "opencode.jsonc"];

pub(crate) struct FileContext<'a> {
    /// The file, absolute.
    file: PathBuf,
    /// The current directory.
    pub(crate) current: PathBuf,
    /// The project that the file belongs to; none for a user's file.
    pub(crate) project: Option<PathBuf>,
    pub(crate) lookup: Lookup<'a>,
}

impl<'a> FileContext<'a> {
    pub(crate) fn new(file: &Path, current: PathBuf, lookup: Lookup<'a>) -> Self {
        let file = current.join(file);
        let home = lookup(HOME).map(PathBuf::from);
        let project = project(&file).filter(|project| Some(*project) != home.as_deref());
        Self { project: project.map(Path::to_path_buf), file, current, lookup }
    }

    /// The base of relative paths: the project that the host would have open.
    pub(crate) fn folder(&self) -> &Path {
        self.project.as_ref().unwrap_or(&self.current)
    }

    /// Whether the file has this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.file.ends_with(name)
    }

    /// Whether the file is in a folder of this name.
    pub(crate) fn is_in(&self, folder: &str) -> bool {
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
