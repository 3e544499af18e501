//! What is done to one file, where its servers are moved to, and what is moved there.

use std::{
    iter,
    path::{Path, PathBuf},
};

use mcp_disclosure_core::digest::hex;
use mcp_disclosure_gateway::Problem;
use sha2::{Digest, Sha256};

use super::{ENTRY, Folders, Front, Ours, Place, Why, gather, is_read_whole, opened, wrapped, wrapped_url};
use crate::{
    config::hosts::{Document, Server, node::Node},
    files::Change,
};

/// What is done to one file.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) place: Place,
    pub(crate) change: Change,
    /// The names of the servers that this program is put in front of.
    pub(crate) served: Vec<String>,
    /// Those that are served by this program already.
    pub(crate) already: Vec<String>,
    /// Those that are left as they are, and why.
    pub(crate) left: Vec<(String, Why)>,
    /// Servers for which the host's settings name the only tools outside the entry, and the tools that are missing there.
    pub(crate) unlisted: Vec<(String, String)>,
    /// The tools that are added to a list of tools that run without a question.
    pub(crate) permitted: Vec<String>,
    /// Servers that are moved to files of ours.
    pub(crate) moved: Vec<Moved>,
    /// Servers that keep their entries though others are moved, and why.
    pub(crate) apart: Vec<(String, Why)>,
}

impl Plan {
    pub(crate) fn changes(&self) -> bool {
        self.change.changes()
    }

    /// The servers that are started to count: those that our entries serve now are counted again with those that join them.
    pub(crate) fn started(&self) -> Vec<&String> {
        self.served.iter().chain(self.moved.iter().flat_map(|moved| &moved.former.names)).collect()
    }

    /// Whether the file names any server.
    pub(crate) fn has_servers(&self) -> bool {
        !(self.served.is_empty() && self.already.is_empty() && self.left.is_empty())
    }
}

/// What is done to the file at this place, of whose servers these other files may say something. With a destination, servers are moved
/// there where that is possible.
///
/// # Errors
/// Why the file as a whole cannot be edited.
pub(crate) fn plan(
    place: Place,
    current: &Path,
    front: &Front,
    destination: Option<&Destination>,
    others: Vec<Node>,
) -> Result<Plan, Problem> {
    let (path, mut document) = opened(&place.path, current)?;
    let before = document.bytes();
    document.others = others;
    let mut plan = Plan::default();
    let bridges: Vec<&str> = front.bridges.iter().map(|bridge| &*bridge.name).collect();
    if let Some(destination) = destination {
        (document, plan.moved, plan.apart) = gather::gathered(document, front, destination);
        plan.served.extend(plan.moved.iter().flat_map(|moved| moved.names.clone()));
    }
    let ours: Vec<&String> = plan.moved.iter().map(|moved| &moved.entry).collect();
    let has_aliases = document.root.has_alias();
    // Editing an entry changes no other, so numbers stay.
    for number in 0..document.servers().len() {
        let servers = document.servers();
        let server = &servers[number];
        let (name, words) = (server.name.clone(), server.words());
        if Ours::of(&words, &front.launcher).is_some() {
            let files = destination.map(|destination| gather::files(server, front, destination));
            let is_gone = |file: &PathBuf| !(file.exists() || ours.contains(&&name));
            if let Some(file) = files.into_iter().flatten().find(is_gone) {
                let why = "is gone, and the servers in it; mcp-disclosure undo restores them from its backup";
                plan.left.push((name, format!("{} {why}", file.display())));
                continue;
            }
            plan.already.extend(Some(name).filter(|name| !ours.contains(&name)));
            continue;
        }
        let is_unlisted = server.ruling.allow.is_some() && server.filters.is_empty() && !bridges.is_empty();
        match wrapped_in_place(&document, server, front, has_aliases) {
            Ok(changed) => {
                document = changed;
                plan.unlisted.extend(is_unlisted.then(|| (name.clone(), bridges.join(", "))));
                plan.served.push(name);
            }
            Err(why) => plan.left.push((name, why)),
        }
    }
    plan.apart.retain(|(name, _)| plan.served.contains(name));
    let change = Change { path, before: Some(before), after: document.bytes() };
    Ok(Plan { place, change, ..plan })
}

/// The file with this program in front of one server, which stays where it stands.
fn wrapped_in_place(
    document: &Document,
    server: &Server<'_>,
    front: &Front,
    has_aliases: bool,
) -> Result<Document, Why> {
    if has_aliases && document.root.shares(server.node) {
        let why = "other parts of the file stand for parts of it (YAML aliases), and would change with it";
        return Err(why.to_owned());
    }
    if server.node.member("<<").is_some() {
        return Err("it merges another part of the file, with keys of that".to_owned());
    }
    let put = if server.launch.is_some() { wrapped } else { wrapped_url };
    put(document, server, front)
}

/// Where the servers of a host's file are moved to: files of ours in the user's folder or, for a project, beside the file.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    /// What the paths of these files begin with; a number may follow, and `.json`.
    stem: PathBuf,
    /// The folder of a project, and what an entry says for it.
    project: Option<(PathBuf, &'static str)>,
    /// The names of servers in other files of the host. Where two files have a name, one of them counts.
    pub(crate) elsewhere: Vec<String>,
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
    pub(crate) switch: Option<String>,
}

/// Names a file in our folders.
pub(crate) fn key(path: &Path) -> String {
    hex(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..12])
}

/// A name, or the first of the same with a number, that is not taken.
fn free(name: &str, ending: &str, is_taken: impl Fn(&String) -> bool) -> String {
    let numbered = (2..).map(|number: usize| format!("{name}-{number}{ending}"));
    let mut names = iter::once(format!("{name}{ending}")).chain(numbered);
    names.find(|name| !is_taken(name)).expect("numbers do not end")
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

    /// A name for our entry in this table: in a project another one than in the user's file, which it would replace there.
    pub(crate) fn entry(&self, table: &Node) -> String {
        let of_project = if self.is_in_project() { "-project" } else { "" };
        let has = |name: &str| table.members().iter().any(|member| member.name == name);
        let is_taken = |name: &String| has(name) || self.elsewhere.contains(name);
        free(&format!("{ENTRY}{of_project}"), "", is_taken)
    }

    /// Whether this is beside the host's file, in a project.
    pub(crate) fn is_in_project(&self) -> bool {
        self.project.is_some()
    }

    /// Whether the host would read our file as one of its own.
    pub(crate) fn is_among_hosts_files(&self) -> bool {
        self.project.is_some() && self.stem.parent().is_some_and(is_read_whole)
    }

    /// A path that no file has, and none of those that are written later.
    pub(crate) fn free(&self, planned: &[Moved]) -> PathBuf {
        let is_planned = |name: &Path| planned.iter().any(|moved| moved.file == name);
        let is_taken = |name: &String| Path::new(name).exists() || is_planned(Path::new(name));
        free(&self.stem.display().to_string(), ".json", is_taken).into()
    }

    /// What an entry names a file of ours by.
    pub(crate) fn named(&self, file: &Path) -> Option<String> {
        let Some((root, variable)) = &self.project else { return file.to_str().map(str::to_owned) };
        let within = file.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        Some(format!("{variable}{within}"))
    }

    /// The file of ours that an entry names, if it is one.
    pub(crate) fn file_of(&self, named: &str) -> Option<PathBuf> {
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
