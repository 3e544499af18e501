//! Moving the servers of a file into one of ours, behind one entry.
//!
//! Only JSON is edited so far: an entry of TOML may be spread over the file. A server is moved if the moved entry reads the
//! same as it did (`same`); the others are wrapped where they stand.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::{
    Destination, Edits, Former, Front, Moved, Ours, WHOLE_LINE, Why, append, is_whole_line, list, of_program,
    quoted, remove_members, wrap,
};
use crate::config::{
    UpstreamEntry,
    hosts::{
        Document, Server,
        node::{Member, Node, Syntax, Value},
        read_as,
    },
};

/// What files say of servers outside their entries.
pub(crate) const ABOUT: &[&str] = &["inputs", "tools", "permission", "agent"];

/// The flag of `serve` that names a host's file.
pub(crate) const CONFIG: &str = "--mcp-config";

/// The folder that paths are relative to when a moved entry is read for comparison, so that what depends on the host's folder
/// differs.
const ELSEWHERE: &str =
    if cfg!(windows) { r"C:\mcp-disclosure-elsewhere" } else { "/mcp-disclosure-elsewhere" };

/// The servers that keep their entries, and why.
pub(crate) type Apart = Vec<(String, Why)>;

/// The file without the servers that can be moved, and where they go.
pub(crate) fn gathered(
    mut document: Document,
    front: &Front,
    destination: &Destination,
) -> (Document, Vec<Moved>, Apart) {
    let (mut all, mut apart) = (Vec::new(), Vec::new());
    let mut tables: Vec<Vec<String>> = document.servers().into_iter().map(|server| server.table).collect();
    tables.dedup();
    for table in &tables {
        let file = destination.free(&all);
        if let Some((changed, moved)) = of_table(&document, table, front, (destination, &file), &mut apart) {
            document = changed;
            all.push(moved);
        }
    }
    (document, all, apart)
}

fn of_table(
    document: &Document,
    table: &[String],
    front: &Front,
    (destination, file): (&Destination, &Path),
    apart: &mut Apart,
) -> Option<(Document, Moved)> {
    let servers = document.servers();
    let is_ours = |server: &Server<'_>| Ours::of(&server.words(), &front.launcher).is_some();
    let of_table = servers.iter().filter(|server| server.table == table);
    let (ours, servers): (Vec<&Server<'_>>, Vec<&Server<'_>>) = of_table.partition(|server| is_ours(server));
    let former = ours.into_iter().find(|server| !files(server, front, destination).is_empty());
    let known = former.map_or_else(|| Ok(Former::default()), |former| behind(former, front, destination));
    let holder = servers.first()?.servers;
    let mut moved: Vec<&Server<'_>> = Vec::new();
    for server in servers {
        match stays(document, server, &known, destination) {
            Some(why) => apart.push((server.name.clone(), why)),
            None => moved.push(server),
        }
    }
    let different = different(document, table, &moved, file);
    moved.retain(|server| different.iter().all(|(name, _)| *name != server.name));
    apart.extend(different);
    let switch = moved.first()?.switch.clone();
    let names: Vec<String> = moved.iter().map(|server| server.name.clone()).collect();
    let text = moved_text(document, table, &moved);
    let named = destination.named(file)?;
    let (entry, changed) = match former {
        Some(former) => (former.name.clone(), extended(document, former, &names, &named)?),
        None => {
            let entry = destination.entry(holder);
            let own = own_entry(&moved, front, &named)?;
            let changed = replaced(document, holder, &names, &entry, &own)?;
            (entry, changed)
        }
    };
    let is_as_expected = {
        let mut members: Vec<&str> = names.iter().map(String::as_str).collect();
        members.push(&entry);
        let after = changed.servers();
        after.iter().any(|server| server.name == entry && is_ours(server))
            && after.len() == document.servers().len() - names.len() + usize::from(former.is_none())
            && document.root.is_same_but(&changed.root, Some(holder), &members)
    };
    let is_shared = destination.is_in_project();
    let (file, former) = (file.to_owned(), known.unwrap_or_default());
    is_as_expected.then_some((changed, Moved { entry, names, file, text, former, is_shared, switch }))
}

/// Why a server keeps its entry, if something of it would be lost in a file of ours, beside what is `known` to be there.
fn stays(
    document: &Document,
    server: &Server<'_>,
    known: &Result<Former, Why>,
    destination: &Destination,
) -> Option<Why> {
    let known = match known {
        Ok(known) => known,
        Err(why) => return Some(why.clone()),
    };
    let gaps = server.servers.members().windows(2);
    let mut gaps = gaps.filter_map(|pair| document.text.get(pair[0].node.end..pair[1].at));
    let has_comments = document.syntax() == Syntax::Json && gaps.any(|gap| gap.contains(['/', '#']));
    // Lists outside the entry name the server, not ours.
    let is_listed = server.ruling.allow.is_some() && server.filters.is_empty();
    let why = match &server.foreign[..] {
        _ if known.names.contains(&server.name) => "a server of the same name is behind our entry already",
        // An entry of a list may have no name.
        _ if server.key.is_some() && destination.elsewhere.contains(&server.name) => {
            "another file of the host has an entry of the same name, and one replaces the other"
        }
        _ if destination.is_among_hosts_files() => {
            "the host reads every file of its folder, and would read the one with the moved servers"
        }
        _ if has_comments => "comments stand between the servers, and would be lost",
        _ if document.syntax() != Syntax::Json => "only servers of JSON files are moved",
        _ if server.key.is_none() => "the entry is in a list",
        _ if !is_plain(&server.name) => "the name cannot be part of the names of tools",
        _ if server.ruling.off.is_some() => "it is switched off in the host",
        _ if server.table.len() > 1 && server.table[0] == "projects" => "it is a server of one project only",
        _ if is_whole_line(&server.words()) => WHOLE_LINE,
        _ if server.launch.is_none() && wrap::may_sign_in(server) => "the host may have to sign in (OAuth)",
        _ if document.source(server.node).contains("${input:") => "the host asks for inputs",
        _ if is_listed => "the host's settings enable only some of the tools",
        _ if server.ruling.is_bound_to_the_name() => {
            "the host's rules or one of its projects name the server"
        }
        _ if has_relative_path(server) => "it has a relative path, which only the host can resolve",
        [] => return None,
        foreign => return Some(format!("only the host reads {}", foreign.join(", "))),
    };
    Some(why.to_owned())
}

/// Whether the tools of a server of this name can be qualified by it, for any host.
fn is_plain(name: &str) -> bool {
    const LONGEST: usize = 40;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    name.len() <= LONGEST && name.bytes().all(is_part)
}

/// The files of ours that an entry reads.
pub(super) fn files(entry: &Server<'_>, front: &Front, destination: &Destination) -> Vec<PathBuf> {
    let words = entry.words();
    let named = Ours::of(&words, &front.launcher).map(|ours| ours.values(CONFIG)).unwrap_or_default();
    named.iter().filter_map(|file| destination.file_of(file)).collect()
}

/// What is behind an entry of ours.
fn behind(entry: &Server<'_>, front: &Front, destination: &Destination) -> Result<Former, Why> {
    let files = files(entry, front, destination);
    let names = files.iter().map(|file| Ok(moved_members(file)?.into_iter().map(|(name, _)| name).collect()));
    let names = names.collect::<Result<Vec<Vec<String>>, Why>>()?.concat();
    Ok(Former { files, names })
}

/// The servers that were moved to a file of ours, by name.
pub(crate) fn moved_members(file: &Path) -> Result<Vec<(String, Json)>, Why> {
    let unknown = |error: String| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| unknown(error.to_string()))?;
    let document =
        Document::parse(file, &text, Path::new("")).map_err(|problem| unknown(problem.to_string()))?;
    Ok(document.servers().into_iter().map(|server| (server.name, json(server.node))).collect())
}

/// Whether a word of its command is a path that depends on the folder in which the host starts it. One that says its folder,
/// such as `uv --directory /srv/weather run weather.py`, takes that along.
fn has_relative_path(server: &Server<'_>) -> bool {
    const FOLDERS: &[&str] = &["--directory", "--cwd", "-C"];
    let words = server.words();
    let said = words.iter().position(|word| FOLDERS.contains(&&**word)).and_then(|at| words.get(at + 1));
    match said.map(String::as_str).or_else(|| server.node.get("cwd").and_then(Node::text)) {
        Some(folder) => !is_full(folder),
        None => words.iter().any(|word| is_relative(word.rsplit('=').next().unwrap_or(word))),
    }
}

/// Whether a path means the same in every folder. What begins with a variable is compared as it is read.
fn is_full(path: &str) -> bool {
    Path::new(path).is_absolute() || path.starts_with(['~', '$', '{'])
}

/// Whether a word is a path relative to the working directory: `.`, `./data`, `..\\x`, or the name of a file by its ending,
/// as in `node server.js`.
fn is_relative(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "bat", "cjs", "cmd", "csv", "db", "env", "exe", "jar", "js", "json", "jsonc", "key", "md", "mjs",
        "pem", "php", "pl", "ps1", "py", "rb", "sh", "sqlite", "sqlite3", "toml", "ts", "txt", "yaml", "yml",
    ];
    if is_full(word) || word.contains("://") || word.starts_with(['-', '@']) {
        return false;
    }
    let first = word.split(['/', '\\']).next().unwrap_or_default();
    let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    matches!(first, "." | "..") || ENDINGS.contains(&&*ending.to_lowercase())
}

/// The servers that would not read the same in a file of ours, and why.
fn different(document: &Document, table: &[String], candidates: &[&Server<'_>], file: &Path) -> Apart {
    let read = |path: &Path, text: &str, folder: &Path| {
        let read = read_as(path, text, folder).unwrap_or_default();
        let entries = read.upstreams.into_iter();
        let entries = entries.filter_map(|named| Some((named.name?.to_string(), named.entry?)));
        (entries.collect::<Vec<_>>(), read.left_out)
    };
    let (before, left_out) = read(&document.path, &document.text, &document.current);
    // Beside a project's file, its folder could still be inferred from the path, but not after the file is moved again.
    let elsewhere = Path::new(ELSEWHERE).join(file.file_name().unwrap_or_default());
    let (after, _) = read(&elsewhere, &moved_text(document, table, candidates), Path::new(ELSEWHERE));
    let find = |entries: &[(String, UpstreamEntry)], server: &Server<'_>| {
        let (_, entry) = entries.iter().find(|(name, _)| *name == server.name)?;
        let cwd = entry.cwd.clone().filter(|_| server.node.get("cwd").is_some());
        Some(UpstreamEntry { cwd, ..entry.clone() })
    };
    let why = |server: &Server<'_>| {
        let (one, two) = (find(&before, server), find(&after, server));
        if one.is_some() && one == two {
            return None;
        }
        let start = format!("server '{}' is left out: ", server.name);
        let said = left_out.iter().find_map(|problem| problem.message().strip_prefix(&start));
        let usual =
            "in another file it would not mean the same, as it depends on the host's folder or variables";
        Some(said.unwrap_or(usual).to_owned())
    };
    let named = |server: &&Server<'_>| Some((server.name.clone(), why(server)?));
    candidates.iter().filter_map(named).collect()
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
pub(crate) fn json(node: &Node) -> Json {
    let member = |member: &Member| (member.name.clone(), json(&member.node));
    match &node.value {
        Value::Null | Value::Alias => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => {
            // One that JSON would write otherwise stays as it is written.
            let read: Json = serde_json::from_str(number).unwrap_or_default();
            let again = read.to_string();
            if again == *number { read } else { Json::String(number.clone()) }
        }
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Table(members) => Json::Object(members.iter().map(member).collect::<Map<_, _>>()),
    }
}

/// The source of our entry.
fn own_entry(moved: &[&Server<'_>], front: &Front, file: &str) -> Option<String> {
    let source = ["serve", CONFIG, file, "--inherit-env"].map(str::to_owned);
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
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
    Some(format!("{{{}}}", members.join(", ")))
}

/// The file with our entry in the place of the first of these members of a table, and without the others.
fn replaced(document: &Document, table: &Node, names: &[String], entry: &str, own: &str) -> Option<Document> {
    let first = table.members().iter().find(|member| names.contains(&member.name))?;
    let mut edits = Edits::default();
    edits.replace(first.at..first.node.end, format!("{}: {own}", quoted(entry)));
    let is_removed = |member: &Member| names.contains(&member.name) && !std::ptr::eq(member, first);
    remove_members(&mut edits, table.members(), is_removed);
    edits.edited(document).ok()
}

/// The file in which this entry of ours reads one more file, without these members of its table.
fn extended(document: &Document, entry: &Server<'_>, names: &[String], file: &str) -> Option<Document> {
    let launch = entry.launch?;
    let mut edits = Edits::default();
    let words = if launch.is_list() { &launch.command.node } else { launch.arguments? };
    append(&mut edits, document, words, &[CONFIG.to_owned(), file.to_owned()]);
    remove_members(&mut edits, entry.servers.members(), |member| names.contains(&member.name));
    edits.edited(document).ok()
}
