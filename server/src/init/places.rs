//! Where MCP hosts keep the files that name their servers.

use std::path::{Path, PathBuf};

/// A host, and its files. The sources of this are in docs/init.md, and those of what defers in docs/clients.md.
#[derive(Debug)]
pub(crate) struct Host {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The name that people know.
    pub(crate) title: &'static str,
    /// How it defers definitions of tools by itself, and since when; the others show all of them to the model.
    defers: Option<&'static str>,
    /// Its files, user's files first.
    files: &'static [(Base, &'static str)],
}

/// The folder that a path begins in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// The current folder.
    Project,
    /// The user's home.
    Home,
    /// `$XDG_CONFIG_HOME`, or `~/.config`; on macOS, too.
    DotConfig,
    /// Where the system keeps applications' data: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    Applications,
    /// `%APPDATA%` on Windows, else as `DotConfig`.
    Roaming,
}

use Base::{Applications, DotConfig, Home, Project, Roaming};

/// A folder that may hold several files is given by a path that ends with `/`.
#[rustfmt::skip]
const HOSTS: &[Host] = &[
    Host { name: "claude-desktop", title: "Claude Desktop", defers: None, files: &[(Applications, "Claude/claude_desktop_config.json")] },
    Host { name: "claude-code", title: "Claude Code", defers: Some("its tool search reads definitions on demand, since January 2026"), files: &[
        (Home, ".claude.json"), (Project, ".mcp.json"), (Home, ".claude/settings.json"),
        (Project, ".claude/settings.json"), (Project, ".claude/settings.local.json"),
    ] },
    Host { name: "cursor", title: "Cursor", defers: Some("its agent is given names alone and reads definitions on demand, since January 2026"), files: &[
        (Home, ".cursor/mcp.json"), (Project, ".cursor/mcp.json")
    ] },
    Host { name: "vscode", title: "VS Code", defers: Some("its agent defers MCP tools with models that can search them, since April 2026"), files: &[
        (Applications, "Code/User/mcp.json"), (Applications, "Code/User/settings.json"),
        (Project, ".vscode/mcp.json"), (Project, ".vscode/settings.json"),
    ] },
    Host { name: "windsurf", title: "Windsurf", defers: None, files: &[(Home, ".codeium/windsurf/mcp_config.json")] },
    Host { name: "gemini", title: "Gemini CLI", defers: None, files: &[(Home, ".gemini/settings.json"), (Project, ".gemini/settings.json")] },
    Host { name: "cline", title: "Cline", defers: None, files: &[
        (Applications, "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ] },
    Host { name: "roo", title: "Roo", defers: None, files: &[
        (Applications, "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"), (Project, ".roo/mcp.json"),
    ] },
    Host { name: "zed", title: "Zed", defers: None, files: &[(Roaming, "zed/settings.json"), (Project, ".zed/settings.json")] },
    Host { name: "opencode", title: "opencode", defers: None, files: &[
        (DotConfig, "opencode/opencode.json"), (DotConfig, "opencode/opencode.jsonc"),
        (Project, "opencode.json"), (Project, "opencode.jsonc"),
    ] },
    Host { name: "continue", title: "Continue", defers: None, files: &[
        (Home, ".continue/config.yaml"), (Home, ".continue/config.json"),
        (Home, ".continue/mcpServers/"), (Project, ".continue/mcpServers/"),
    ] },
    Host { name: "codex", title: "Codex", defers: None, files: &[(Home, ".codex/config.toml"), (Project, ".codex/config.toml")] },
];

/// The folders of a user on this system.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    /// The current folder.
    pub(crate) project: PathBuf,
    pub(crate) home: Option<PathBuf>,
    /// Those that paths begin in; of a user without a home, some are left out.
    bases: Vec<(Base, PathBuf)>,
}

impl Folders {
    /// The folders of this process's user.
    pub(crate) fn of_user(lookup: &dyn Fn(&str) -> Option<String>, project: PathBuf) -> Self {
        let folder = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let within_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let dot_config = folder("XDG_CONFIG_HOME").or_else(|| within_home(".config"));
        let app_data = folder("APPDATA").or_else(|| within_home("AppData/Roaming"));
        let applications = match std::env::consts::OS {
            "macos" => within_home("Library/Application Support"),
            "windows" => app_data.clone(),
            _ => dot_config.clone(),
        };
        let roaming = if cfg!(windows) { app_data } else { dot_config.clone() };
        let bases = [
            (Project, Some(project.clone())),
            (Home, home.clone()),
            (DotConfig, dot_config),
            (Applications, applications),
            (Roaming, roaming),
        ];
        let bases = bases.into_iter().filter_map(|(base, folder)| Some((base, folder?))).collect();
        Self { project, home, bases }
    }

    /// The folder of the project that a file belongs to, if hosts look for it in their project's folder, and not in the user's.
    pub(crate) fn project_of(&self, file: &Path) -> Option<PathBuf> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let file = &real(file);
        // Of a folder, any file.
        let named = |path: &str| if path.ends_with('/') { file.parent() } else { Some(&**file) };
        let is_users = |base: Base, path: &str| {
            let at = self.of(base).filter(|_| base != Project);
            at.is_some_and(|at| named(path).is_some_and(|named| real(&at.join(path)) == *named))
        };
        let files = || HOSTS.iter().flat_map(|host| host.files);
        if files().any(|(base, path)| is_users(*base, path)) {
            return None;
        }
        let mut of_project = files().filter(|(base, _)| *base == Project).filter_map(|(_, path)| {
            let named = named(path).filter(|named| named.ends_with(path))?;
            named.ancestors().nth(Path::new(path).components().count())
        });
        of_project.next().map(Path::to_owned)
    }

    fn of(&self, base: Base) -> Option<&Path> {
        self.bases.iter().find(|(found, _)| *found == base).map(|(_, folder)| &**folder)
    }
}

/// A file of a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// The host's name for people; none for a file that was named.
    pub(crate) host: Option<&'static str>,
    /// The path, absolute.
    pub(crate) path: PathBuf,
}

impl Place {
    /// How its host defers definitions by itself, and the host's name on the command line.
    pub(crate) fn defers(&self) -> Option<(&'static str, &'static str)> {
        let host = HOSTS.iter().find(|host| self.host == Some(host.title))?;
        Some((host.name, host.defers?))
    }
}

/// The names of all hosts on the command line.
pub(crate) fn host_names() -> impl Iterator<Item = &'static str> {
    HOSTS.iter().map(|host| host.name)
}

/// The hosts of these names; all of them if none is named.
pub(crate) fn hosts(names: &[String]) -> Vec<&'static Host> {
    let is_meant = |host: &&Host| names.is_empty() || names.iter().any(|name| name == host.name);
    HOSTS.iter().filter(is_meant).collect()
}

/// The files of these hosts that exist. Two hosts may share one by a link.
pub(crate) fn existing(hosts: &[&Host], folders: &Folders) -> Vec<Place> {
    let of_host = |host: &&Host| {
        let paths = candidates(host, folders).into_iter().filter(|path| path.symlink_metadata().is_ok());
        let title = host.title;
        paths.map(move |path| Place { host: Some(title), path })
    };
    hosts.iter().flat_map(of_host).collect()
}

/// The paths at which a host looks for its files.
pub(crate) fn candidates(host: &Host, folders: &Folders) -> Vec<PathBuf> {
    let paths = host.files.iter().filter_map(|(base, path)| Some((folders.of(*base)?.join(path), *path)));
    let files = paths.flat_map(|(full, path)| if path.ends_with('/') { within(&full) } else { vec![full] });
    files.collect()
}

/// Whether a host reads every file of this folder.
pub(crate) fn is_read_whole(folder: &Path) -> bool {
    HOSTS.iter().flat_map(|host| host.files).any(|(_, path)| path.ends_with('/') && folder.ends_with(path))
}

fn within(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let is_read = |path: &PathBuf| {
        path.extension().is_some_and(|kind| ["json", "yaml", "yml"].iter().any(|read| kind == *read))
    };
    files.retain(is_read);
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Folders {
        /// Those of a user of this home, who works in this project.
        pub(crate) fn of_home(home: Option<&Path>, project: &Path) -> Self {
            let home = home.map(|path| path.to_str().unwrap().to_owned());
            let lookup = |name: &str| home.clone().filter(|_| matches!(name, "HOME" | "USERPROFILE"));
            Self::of_user(&lookup, project.to_owned())
        }
    }

    #[test]
    fn w1_each_host_is_documented() {
        let (files, hosts) =
            (include_str!("../../../docs/init.md"), include_str!("../../../docs/clients.md"));
        let (_, deferring) = hosts.split_once("## Hosts that defer").unwrap();
        for host in HOSTS {
            assert!(files.contains(&format!("`{}`", host.name)), "{}", host.name);
            assert!(host.defers.is_none() || deferring.contains(host.title), "{}", host.name);
        }
    }

    #[test]
    fn w1_a_projects_files_are_known_from_the_users() {
        let home = Path::new(if cfg!(windows) { "C:/home" } else { "/home/me" });
        let folders = Folders::of_home(Some(home), home);
        let project = |path: &str| folders.project_of(&home.join(path));
        for (path, expected) in [
            (".cursor/mcp.json", None),
            ("a/.cursor/mcp.json", Some("a")),
            ("a/b/.vscode/mcp.json", Some("a/b")),
            ("a/.mcp.json", Some("a")),
            ("a/mcp.json", None),
            ("a/.continue/mcpServers/x.json", Some("a")),
            (".continue/mcpServers/x.json", None),
            (".codeium/windsurf/mcp_config.json", None),
            // Of a program that keeps its file in the folder of another one.
            (".gemini/antigravity/mcp_config.json", None),
        ] {
            assert_eq!(project(path), expected.map(|folder| home.join(folder)), "{path}");
        }
    }

    #[test]
    fn w1_files_are_found_in_the_users_folders_and_in_the_current_one() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let project = root.path().join("project");
        for path in
            ["home/.cursor/mcp.json", "project/.cursor/mcp.json", "project/.continue/mcpServers/a.yaml"]
        {
            std::fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(path), "{}").unwrap();
        }
        let found = |names: &[&str], home: Option<&Path>| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            existing(&hosts(&names), &Folders::of_home(home, &project)).len()
        };
        assert_eq!(found(&[], Some(&home)), 3);
        assert_eq!(found(&["cursor"], Some(&home)), 2);
        assert_eq!(found(&["cursor"], None), 1, "without a home, the current folder is left");
    }
}
