//! What a file is without this program.
//!
//! As long as the lines that `init` wrote are in the file, the lines that were there before take their place, as when three
//! texts are merged: of a file that was not edited since, that gives back the bytes. Where they are not, as in a file that its
//! host wrote anew, single entries are turned back: to their former text if they are untouched, else by what the entry says.

use std::path::{Path, PathBuf};

use mcp_disclosure_gateway::Problem;
use serde_json::Value as Json;

use super::{
    CONFIG, Destination, Edits, LIST, Ours, Step, UNUSUAL, Why, moved_members, quoted, remove_members,
    run::Run, unwrapped,
};
use crate::config::hosts::{Document, Server};

/// A file without this program.
#[derive(Debug, Default)]
pub(crate) struct Undone {
    pub(crate) text: String,
    /// The entries that are as they were, or without this program.
    pub(crate) turned_back: Vec<String>,
    /// The entries that are left as they are, and why.
    pub(crate) left: Vec<(String, Why)>,
    /// What `init` changed and is neither turned back nor as it was: the record may be the only copy of it.
    pub(crate) missing: Vec<String>,
    /// The files that servers were moved to and that are still needed, and why.
    pub(crate) kept: Vec<(PathBuf, Why)>,
}

/// An entry turned back: the file then, and the names of the servers that are back.
pub(super) type Back = Result<(Document, Vec<String>), Why>;

/// Turns a file back. Without steps, every entry that starts this program is turned back by what it says itself; servers
/// that were moved are read from their destination.
///
/// # Errors
/// If the file cannot be read as a host's file.
pub(crate) fn undone(
    path: &Path,
    current: &Path,
    text: &str,
    steps: &[Step],
    launcher: &[String],
    destination: &Destination,
) -> Result<Undone, Problem> {
    let mut undone = Undone { text: text.to_owned(), ..Undone::default() };
    let mut runs = Vec::new();
    for step in steps.iter().rev() {
        let run = Run::of(path, step, launcher, &mut undone.kept)?;
        let from = undone.turned_back.len();
        if let Some(text) = run.by_lines(&undone.text) {
            undone.text = text;
            undone.turned_back.extend(run.changed());
        } else {
            let now = run.parse(&undone.text)?;
            undone.entry_by_entry(now, |now, entry| run.entry(now, entry));
            if let Some(text) = run.without_permissions(&undone.text)? {
                undone.text = text;
                undone.turned_back.push(LIST.join("."));
            }
        }
        runs.push((run, undone.turned_back[from..].to_vec()));
    }
    if steps.is_empty() {
        let mut files = Vec::new();
        let now = Document::parse(path, text, current)?;
        undone.entry_by_entry(now, |now, entry| by_itself(now, entry, (launcher, destination), &mut files));
        let why = "its servers are back, and no backup says that this program wrote it; remove it if you do not need it";
        undone.kept.extend(files.into_iter().map(|file| (file, why.to_owned())));
    }
    for (run, turned_back) in runs {
        undone.missing.extend(run.missing(&undone.text, &turned_back)?);
    }
    Ok(undone)
}

impl Undone {
    /// Turns back the entries of the file that are to be, and notes which.
    fn entry_by_entry(
        &mut self,
        mut now: Document,
        mut turned: impl FnMut(&Document, &Server<'_>) -> Option<Back>,
    ) {
        let from = (self.turned_back.len(), self.left.len());
        // From the last one on, so that the numbers of the others stay.
        for number in (0..now.servers().len()).rev() {
            let servers = now.servers();
            let entry = &servers[number];
            match turned(&now, entry) {
                Some(Ok((document, names))) => {
                    self.turned_back.extend(names.into_iter().rev());
                    now = document;
                }
                Some(Err(why)) => self.left.push((entry.name.clone(), why)),
                None => {}
            }
        }
        self.turned_back[from.0..].reverse();
        self.left[from.1..].reverse();
        self.text = now.bytes();
    }
}

/// An entry of ours without this program, by what it says itself; `files` gets those that its servers are read from.
fn by_itself(
    now: &Document,
    entry: &Server<'_>,
    (launcher, destination): (&[String], &Destination),
    files: &mut Vec<PathBuf>,
) -> Option<Back> {
    let words = entry.words();
    let named = Ours::of(&words, launcher)?.values(CONFIG);
    let own: Option<Vec<PathBuf>> = named.iter().map(|file| destination.file_of(file)).collect();
    let Some(own) = own.filter(|own| !own.is_empty()) else {
        let back = unwrapped(now, entry, launcher);
        return Some(back.map(|document| (document, vec![entry.name.clone()])));
    };
    let moved = own.iter().map(|file| moved_members(file)).collect::<Result<Vec<_>, _>>();
    let back = moved.and_then(|moved| {
        let members = moved.concat().into_iter().map(|(name, server)| {
            let source = laid_out(now, entry, &name, &server);
            (name, source)
        });
        in_place_of(now, entry, &members.collect::<Vec<_>>())
    });
    files.extend(own.into_iter().filter(|_| back.is_ok()));
    Some(back)
}

/// The file with these members in the place of an entry, without those whose name has come back.
pub(super) fn in_place_of(now: &Document, entry: &Server<'_>, members: &[(String, String)]) -> Back {
    let key = entry.key.ok_or(UNUSUAL)?;
    if members.is_empty() {
        return Err("the servers behind it are not known any more; remove it by hand".to_owned());
    }
    let others = entry.servers.members().iter().filter(|member| !std::ptr::eq(*member, key));
    let is_there = |name: &String| others.clone().any(|member| member.name == *name);
    let back = members.iter().filter(|(name, _)| !is_there(name));
    let (names, sources): (Vec<String>, Vec<String>) = back.cloned().unzip();
    let mut edits = Edits::default();
    match &sources[..] {
        [] => remove_members(&mut edits, entry.servers.members(), |member| member.name == entry.name),
        sources => edits.replace(key.at..entry.node.end, sources.join(&now.separator(key.at))),
    }
    Ok((edits.edited(now)?, names))
}

/// The source of a member that takes the place of an entry.
pub(super) fn laid_out(now: &Document, entry: &Server<'_>, name: &str, value: &Json) -> String {
    let indent = now.line_before(entry.key.map_or(entry.node.at, |key| key.at));
    match indent.trim() {
        "" => format!("{}: {value:#}", quoted(name)).replace('\n', &format!("{}{indent}", now.line_end())),
        _ => format!("{}: {value}", quoted(name)),
    }
}
