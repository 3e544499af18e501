//! What hosts say of servers in other files than those that name the servers. A rule that is not seen here would stop
//! matching behind this program, so a file that cannot be read is an error.
//!
//! `permissions.allow` in the settings of Claude Code has tools that run without a question, as `mcp__SERVER__TOOL`. Where it names
//! tools of a server that is put behind this program, it gets those tools of the strategy that only read.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::{
    Edits, Folders, Front, Place, Plan, append, candidates, hosts, opened, remove_added, write::LARGEST,
};
use crate::{
    config::hosts::{
        Document,
        node::{self, Node},
    },
    files::Change,
};

/// The host whose rules are in files of their own.
const CLAUDE_CODE: &str = "Claude Code";

/// Its files of servers, wherever they are.
const OF_SERVERS: [&str; 2] = [".mcp.json", ".claude.json"];

/// Its settings in a folder `.claude`.
const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

/// The settings of an administrator.
const MANAGED: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode/managed-settings.json"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode\managed-settings.json"
} else {
    "/etc/claude-code/managed-settings.json"
};

/// The other files that may have rules for the servers of this one.
///
/// # Errors
/// One that cannot be read, with a hint.
pub(crate) fn rules(place: &Place, folders: &Folders) -> Result<Vec<Node>, Problem> {
    let mut files = others(place, folders);
    let is_of_claude_code = OF_SERVERS.iter().any(|name| place.path.ends_with(name));
    if is_of_claude_code || place.host == Some(CLAUDE_CODE) {
        files.extend(settings(place, folders)?);
        files.extend(folders.home.as_ref().map(|home| home.join(OF_SERVERS[1])));
    }
    files.iter().filter_map(|file| parsed(file).transpose()).collect()
}

/// Whether Claude Code's tool search is off: by its own variable, or because requests go to another's server or to Vertex AI,
/// where it is off by default. Variables are the process's and those of its settings.
pub(crate) fn tool_search_is_off(place: &Place, folders: &Folders) -> bool {
    if place.host != Some(CLAUDE_CODE) {
        return false;
    }
    let roots = folders.home.iter().chain([&folders.project]);
    let files = roots.flat_map(|folder| SETTINGS.map(|name| folder.join(".claude").join(name)));
    let settings: Vec<Node> = files.filter_map(|file| parsed(&file).ok().flatten()).collect();
    let variable = |name: &str| {
        let said = settings.iter().rev().find_map(|root| root.path(&["env", name])?.scalar());
        said.or_else(|| std::env::var(name).ok()).filter(|value| !value.is_empty())
    };
    if let Some(said) = variable("ENABLE_TOOL_SEARCH") {
        return matches!(&*said, "false" | "0");
    }
    let is_own = |url: &str| {
        let url = reqwest::Url::parse(url).ok();
        url.is_some_and(|url| url.host_str().is_some_and(|host| host == "api.anthropic.com"))
    };
    variable("ANTHROPIC_BASE_URL").is_some_and(|url| !is_own(&url))
        || variable("CLAUDE_CODE_USE_VERTEX").is_some()
}

/// The names that lead to the list.
pub(crate) const LIST: [&str; 2] = ["permissions", "allow"];

/// Whether a file is one of its settings, and not one that names servers.
pub(crate) fn is_settings(place: &Place) -> bool {
    place.host == Some(CLAUDE_CODE) && place.path.parent().is_some_and(|parent| parent.ends_with(".claude"))
}

/// What is added to the list of this file for the servers of these plans; `None` if nothing is.
///
/// # Errors
/// Why the file cannot be edited, if it could matter.
pub(crate) fn permitted(
    place: Place,
    current: &Path,
    plans: &[Plan],
    front: &Front,
) -> Result<Option<Plan>, Problem> {
    let plans = plans.iter().filter(|plan| plan.place.host == Some(CLAUDE_CODE));
    // A moved server's tools are now those of our entry.
    let servers = plans.flat_map(|plan| {
        let entry = |name: &String| {
            plan.moved.iter().find(|moved| moved.names.contains(name)).map(|moved| moved.entry.clone())
        };
        plan.served.iter().map(move |name| (name.clone(), entry(name).unwrap_or_else(|| name.clone())))
    });
    let servers: Vec<(String, String)> = servers.collect();
    if servers.is_empty() || !front.bridges.iter().any(|bridge| bridge.reads_only) {
        return Ok(None);
    }
    let (path, document) = opened(&place.path, current)?;
    let Some(list) = document.root.path(&LIST).filter(|list| list.is_list()) else { return Ok(None) };
    let mut permitted: Vec<String> = Vec::new();
    for (name, entry) in &servers {
        let of_server = format!("mcp__{name}__");
        if !list.items().iter().any(|item| item.text().is_some_and(|text| text.starts_with(&of_server))) {
            continue;
        }
        let reading = front.bridges.iter().filter(|bridge| bridge.reads_only);
        let tools = reading.map(|bridge| format!("mcp__{entry}__{}", bridge.name));
        let new: Vec<String> = tools.filter(|tool| !list.lists(tool) && !permitted.contains(tool)).collect();
        permitted.extend(new);
    }
    if permitted.is_empty() {
        return Ok(None);
    }
    let mut edits = Edits::default();
    append(&mut edits, &document, list, &permitted);
    let Some(changed) = edited(&document, edits) else { return Ok(None) };
    let change = Change { path, before: Some(document.bytes()), after: changed.bytes() };
    Ok(Some(Plan { place, change, permitted, ..Plan::default() }))
}

/// The file without what was added to the list between two older texts; `None` if nothing of it is there.
pub(crate) fn withdrawn(now: &Document, before: &Document, after: &Document) -> Option<Document> {
    let list = now.root.path(&LIST)?;
    let mut edits = Edits::default();
    let is_there = remove_added(&mut edits, list, before.root.path(&LIST), after.root.path(&LIST));
    is_there.then(|| edited(now, edits)).flatten()
}

/// The files of settings that hold where these servers are used: the user's, those of the projects, the administrator's.
fn settings(place: &Place, folders: &Folders) -> Result<Vec<PathBuf>, Problem> {
    let mut used = vec![folders.project.clone()];
    used.extend(folders.home.clone());
    used.extend(place.path.parent().map(Path::to_owned));
    // The servers of the user are used in all projects.
    let root = parsed(&place.path)?;
    let projects = root.as_ref().and_then(|root| root.get("projects")).map_or(&[][..], Node::members);
    used.extend(projects.iter().map(|project| PathBuf::from(&project.name)));
    used.sort();
    used.dedup();
    let files = used.iter().flat_map(|folder| SETTINGS.map(|name| folder.join(".claude").join(name)));
    Ok(files.chain([PathBuf::from(MANAGED)]).collect())
}

/// The other files of a host that reads several, and merges them.
fn others(place: &Place, folders: &Folders) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = real(&place.path);
    let files = hosts(&[])
        .into_iter()
        .filter(|host| host.title != CLAUDE_CODE)
        .map(|host| (host, candidates(host, folders)));
    let of_host = files
        .filter(|(host, files)| place.host == Some(host.title) || files.iter().any(|file| real(file) == own));
    of_host.flat_map(|(_, files)| files).filter(|file| real(file) != own).collect()
}

/// A file, if it is there.
fn parsed(path: &Path) -> Result<Option<Node>, Problem> {
    let refused = |what: String| {
        let hint = "its rules for tools must be known; mend it, or make it readable";
        Problem::new(format!("{}: {what}", path.display())).hint(hint)
    };
    let mut text = String::new();
    match fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text)) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(refused(error.to_string())),
        Ok(read) if read as u64 > LARGEST => return Err(refused(format!("is larger than {LARGEST} bytes"))),
        Ok(_) => {}
    }
    let text = text.trim_start_matches('\u{feff}');
    // A host takes an empty file for one without settings.
    if text.trim().is_empty() {
        return Ok(None);
    }
    node::parse(path, text).map(Some).map_err(|error| refused(error.message))
}

/// The edited file, if nothing but the list changed.
fn edited(document: &Document, edits: Edits) -> Option<Document> {
    let table = document.root.get(LIST[0])?;
    let is_same = |changed: &Document| document.root.is_same_but(&changed.root, Some(table), &LIST[1..]);
    edits.checked(document, is_same).ok()
}
