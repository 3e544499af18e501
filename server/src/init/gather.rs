//! Moving the servers of a file into one of ours, behind one entry.
//!
//! Only JSON is edited so far: an entry of TOML may be spread over the file. A server is moved if the moved entry reads the
//! same as it did (`same`); the others are wrapped where they stand.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::{
    ENTRY,
    address::of_program,
    edit::{Edits, list, quoted},
    ours::Ours,
    wrap::{APPROVED, Front},
};
use crate::config::{
    UpstreamEntry,
    hosts::{
        document::{Document, Server, Syntax},
        node::{Member, Node, Value},
        read_as,
    },
};

/// Servers that are moved.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// The name of our entry.
    pub(crate) entry: String,
    pub(crate) names: Vec<String>,
    /// The file of ours, which does not exist yet, and its text.
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

/// What files say of servers outside their entries.
const ABOUT: &[&str] = &["inputs", "tools", "permission", "agent"];

/// A folder that paths are relative to when readings are compared: what depends on the host's folder is not the same.
const ELSEWHERE: &str =
    if cfg!(windows) { r"C:\mcp-disclosure-elsewhere" } else { "/mcp-disclosure-elsewhere" };

/// The file without the servers that can be moved, and where they go. `beginning` begins the names of new files.
pub(super) fn gathered(mut document: Document, front: &Front, beginning: &Path) -> (Document, Vec<Moved>) {
    let mut all = Vec::new();
    if document.syntax() != Syntax::Json {
        return (document, all);
    }
    let mut tables: Vec<Vec<String>> =
        document.servers().iter().map(|server| document.path_of(server.servers)).collect();
    tables.dedup();
    for (number, table) in tables.iter().enumerate() {
        let file = file(beginning, number, &all);
        if let Some((changed, moved)) = of_table(&document, table, front, &file) {
            document = changed;
            all.push(moved);
        }
    }
    (document, all)
}

/// A name that no file has, and none of those that are written later.
fn file(beginning: &Path, number: usize, planned: &[Moved]) -> PathBuf {
    let mut names = (number..).map(|number| PathBuf::from(format!("{}-{number}.json", beginning.display())));
    let is_planned = |name: &PathBuf| planned.iter().any(|moved| moved.file == *name);
    names.find(|name| !name.exists() && !is_planned(name)).unwrap_or_else(|| beginning.to_owned())
}

fn of_table(document: &Document, table: &[String], front: &Front, file: &Path) -> Option<(Document, Moved)> {
    let servers = document.servers();
    let servers: Vec<&Server<'_>> =
        servers.iter().filter(|server| document.path_of(server.servers) == table).collect();
    let can_move = |server: &&&Server<'_>| {
        let words = server.launch.and_then(|launch| launch.words());
        let is_ours = words.is_some_and(|words| Ours::of(&words, &front.launcher).is_some());
        let asks = document.source(server.node).contains("${input:");
        let signs_in = server.launch.is_none() && server.address.headers.is_none();
        // Lists outside the entry name the server, not ours.
        let is_listed = server.allow.is_some() && server.filters.is_empty();
        server.key.is_some()
            && server.off.is_none()
            && !(is_ours || asks || signs_in || is_listed || server.is_ruled())
    };
    let candidates: Vec<&Server<'_>> = servers.iter().filter(can_move).copied().collect();
    let names = same(document, table, &candidates, file);
    let moved: Vec<&Server<'_>> =
        candidates.into_iter().filter(|server| names.contains(&server.name)).collect();
    let text = moved_text(document, table, &moved);
    let holder = moved.first()?.servers;
    let taken = |name: &str| holder.members().iter().any(|member| member.name == name);
    let mut free =
        (1..).map(|number| if number == 1 { ENTRY.to_owned() } else { format!("{ENTRY}-{number}") });
    let entry = free.find(|name| !taken(name))?;
    let own = own_entry(&moved, front, file)?;
    let changed = replaced(document, holder, &names, &entry, &own)?;
    let is_as_expected = {
        let mut members: Vec<&str> = names.iter().map(String::as_str).collect();
        members.push(&entry);
        let after = changed.servers();
        let is_ours = |server: &Server<'_>| {
            let words = server.launch.and_then(|launch| launch.words());
            server.name == entry && words.is_some_and(|words| Ours::of(&words, &front.launcher).is_some())
        };
        after.iter().any(is_ours)
            && after.len() == document.servers().len() - names.len() + 1
            && document.root.is_same_but(&changed.root, Some(holder), &members)
    };
    is_as_expected.then(|| (changed, Moved { entry, names, file: file.to_owned(), text }))
}

/// The names of those servers that read the same in a file of ours.
fn same(document: &Document, table: &[String], candidates: &[&Server<'_>], file: &Path) -> Vec<String> {
    let read = |path: &Path, text: &str| {
        let read = read_as(path, text, Path::new(ELSEWHERE)).unwrap_or_default();
        let entries = read.upstreams.into_iter();
        entries.filter_map(|named| Some((named.name?.to_string(), named.entry?))).collect::<Vec<_>>()
    };
    let before = read(&document.path, &document.text);
    let after = read(file, &moved_text(document, table, candidates));
    let find = |entries: &[(String, UpstreamEntry)], server: &Server<'_>| {
        let (_, entry) = entries.iter().find(|(name, _)| *name == server.name)?;
        let cwd = entry.cwd.clone().filter(|_| server.node.get("cwd").is_some());
        Some(UpstreamEntry { cwd, ..entry.clone() })
    };
    let same = candidates.iter().filter(|server| {
        let (one, two) = (find(&before, server), find(&after, server));
        one.is_some() && one == two
    });
    same.map(|server| server.name.clone()).collect()
}

/// A file of ours with these servers, in the shape of their own file.
fn moved_text(document: &Document, table: &[String], servers: &[&Server<'_>]) -> String {
    let members = servers.iter().map(|server| (server.name.clone(), json(server.node)));
    let entries = Json::Object(members.collect());
    let within = table.iter().rev().fold(entries, |inner, name| json!({name: inner}));
    let mut root = within.as_object().cloned().unwrap_or_default();
    for name in ABOUT {
        if let Some(said) = document.root.get(name) {
            root.entry((*name).to_owned()).or_insert_with(|| json(said));
        }
    }
    format!("{:#}\n", Json::Object(root))
}

/// A value as JSON; what an alias stands for is not known.
fn json(node: &Node) -> Json {
    let member = |member: &Member| (member.name.clone(), json(&member.node));
    match &node.value {
        Value::Null | Value::Alias => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => {
            serde_json::from_str(number).unwrap_or_else(|_| Json::String(number.clone()))
        }
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Table(members) => Json::Object(members.iter().map(member).collect::<Map<_, _>>()),
    }
}

/// The source of our entry.
fn own_entry(moved: &[&Server<'_>], front: &Front, file: &Path) -> Option<String> {
    let source = ["serve", "--mcp-config", file.to_str()?, "--inherit-env"].map(str::to_owned);
    let words = [&front.launcher[..], &source, &front.strategy].concat();
    let mut members = Vec::new();
    if let Some(transport) = moved.iter().find_map(|server| server.address.transport) {
        members.push((transport.name.clone(), quoted(of_program(transport)?)));
    }
    if moved.iter().any(|server| server.address.has_arguments) {
        members.push(("command".to_owned(), quoted(&words[0])));
        members.push(("args".to_owned(), list(&words[1..])));
    } else {
        members.push(("command".to_owned(), list(&words)));
    }
    let approves = |key: &&&str| {
        moved.iter().any(|server| server.node.get(key).is_some_and(|list| !list.items().is_empty()))
    };
    let reading: Vec<&str> =
        front.bridges.iter().filter(|bridge| bridge.reads_only).map(|bridge| &*bridge.name).collect();
    for key in APPROVED.iter().filter(approves).filter(|_| !reading.is_empty()) {
        members.push(((*key).to_owned(), list(&reading)));
    }
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    Some(format!("{{{}}}", members.join(", ")))
}

/// The file with our entry in the place of the first of these members of a table, and without the others.
fn replaced(document: &Document, table: &Node, names: &[String], entry: &str, own: &str) -> Option<Document> {
    let members = table.members();
    let is_moved = |member: &Member| names.contains(&member.name);
    let first = members.iter().position(is_moved)?;
    let mut edits = Edits::default();
    edits.replace(members[first].at..members[first].node.end, format!("{}: {own}", quoted(entry)));
    // Each run of moved members goes with the comma before it, which stands behind what is kept.
    let mut kept_end = members[first].node.end;
    let mut run_end = None;
    for member in &members[first + 1..] {
        if is_moved(member) {
            run_end = Some(member.node.end);
        } else {
            if let Some(end) = run_end.take() {
                edits.replace(kept_end..end, "");
            }
            kept_end = member.node.end;
        }
    }
    if let Some(end) = run_end {
        edits.replace(kept_end..end, "");
    }
    document.with_text(&edits.apply(&document.text)?).ok()
}
