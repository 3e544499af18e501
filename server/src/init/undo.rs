//! What a file is without this program.
//!
//! As long as the lines that `init` wrote are in the file, the lines that were there before take their place, as when three
//! texts are merged: of a file that was not edited since, that gives back the bytes. Where they are not, as in a file that its
//! host wrote anew, single entries are turned back: to their former text if they are untouched, else by what the entry says.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use mcp_disclosure_gateway::Problem;
use serde_json::Value as Json;
use similar::{DiffTag, TextDiff};

use super::{
    ABOUT, CONFIG, Destination, Edits, LIST, Ours, Step, UNUSUAL, Why, json, moved_members, quoted,
    remove_added, remove_members, unwrapped, withdrawn,
};
use crate::config::hosts::{
    Document, Launch, Server,
    node::{Member, Syntax},
};

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
type Back = Result<(Document, Vec<String>), Why>;

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
            undone.entry_by_entry(now, |now, number| run.entry(now, number));
            if let Some(document) = withdrawn(&run.parse(&undone.text)?, &run.before, &run.after) {
                undone.text = document.bytes();
                undone.turned_back.push(LIST.join("."));
            }
        }
        runs.push((run, undone.turned_back[from..].to_vec()));
    }
    if steps.is_empty() {
        let mut files = Vec::new();
        let now = Document::parse(path, text, current)?;
        undone.entry_by_entry(now, |now, number| by_itself(now, number, (launcher, destination), &mut files));
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
        mut turned: impl FnMut(&Document, usize) -> Option<Back>,
    ) {
        let from = (self.turned_back.len(), self.left.len());
        // From the last one on, so that the numbers of the others stay.
        for number in (0..now.servers().len()).rev() {
            match turned(&now, number) {
                Some(Ok((document, names))) => {
                    now = document;
                    self.turned_back.extend(names.into_iter().rev());
                }
                Some(Err(why)) => self.left.push((now.servers()[number].name.clone(), why)),
                None => {}
            }
        }
        self.turned_back[from.0..].reverse();
        self.left[from.1..].reverse();
        self.text = now.bytes();
    }
}

/// A run of `init`.
struct Run<'s> {
    step: &'s Step,
    launcher: &'s [String],
    before: Document,
    after: Document,
    /// The files that it moved servers to and that were edited since.
    edited: Vec<Document>,
}

impl<'s> Run<'s> {
    /// Reads what it did; `kept` gets the files of which not everything can be brought back.
    fn of(
        path: &Path,
        step: &'s Step,
        launcher: &'s [String],
        kept: &mut Vec<(PathBuf, Why)>,
    ) -> Result<Self, Problem> {
        let parse = |path: &Path, text: &str| Document::parse(path, text, &step.current);
        let (before, after) = (parse(path, &step.before)?, parse(path, &step.after)?);
        let mut edited = Vec::new();
        for (file, text) in step.changed() {
            let parsed = text.map_err(|error| error.to_string()).and_then(|text| {
                let document = parse(file, &text).map_err(|problem| problem.to_string())?;
                let is_other =
                    |key: &&str| before.root.get(key).map(json) != document.root.get(key).map(json);
                let is_more = serde_json::from_str::<Json>(&text).is_err() || ABOUT.iter().any(is_other);
                edited.push(document);
                let why = format!("it has comments, or other {} than before", ABOUT.join(", "));
                if is_more { Err(why) } else { Ok(()) }
            });
            kept.extend(parsed.err().map(|why| (file.to_owned(), why)));
        }
        Ok(Self { step, launcher, before, after, edited })
    }

    fn parse(&self, text: &str) -> Result<Document, Problem> {
        Document::parse(&self.before.path, text, &self.step.current)
    }

    fn is_ours(&self, server: &Server<'_>) -> bool {
        Ours::of(&server.words(), self.launcher).is_some()
    }

    /// The servers that it changed, as they were; without an entry of ours that got more.
    fn servers(&self) -> impl Iterator<Item = Server<'_>> {
        let is_changed = |server: &Server<'_>| !has(&self.after, server) && !self.is_ours(server);
        self.before.servers().into_iter().filter(is_changed)
    }

    /// The names of what it changed.
    fn changed(&self) -> Vec<String> {
        self.servers().map(|server| server.name).chain(self.list()).collect()
    }

    /// The name of the list of permissions, if it added to that.
    fn list(&self) -> Option<String> {
        let list = |document: &Document| document.root.path(&LIST).map(json);
        (list(&self.before) != list(&self.after)).then(|| LIST.join("."))
    }

    /// The file with the lines that it changed as they were; `None` where one of them is another now, or moved servers are.
    fn by_lines(&self, now: &str) -> Option<String> {
        let Step { before, after, .. } = self.step;
        let text = put_back(before, after, now).filter(|_| self.edited.is_empty())?;
        let document = self.parse(&text).ok()?;
        let named = |server: &Server<'_>| {
            server.servers.members().iter().filter(|member| member.name == server.name).count()
        };
        // A person may have edited it, or written one of its name in the meantime.
        let is_back = |was: Server<'_>| {
            let found = document.same(&was).filter(|found| !self.is_ours(found));
            found.is_some_and(|found| named(&found) == named(&was))
        };
        self.servers().all(is_back).then_some(text)
    }

    /// What it changed, and the file does not have as it was before.
    fn missing(&self, text: &str, turned_back: &[String]) -> Result<Vec<String>, Problem> {
        let now = self.parse(text)?;
        let is_gone = |server: &Server<'_>| !turned_back.contains(&server.name) && !has(&now, server);
        let list = self.list().filter(|_| now.root.path(&LIST).is_none());
        Ok(self.servers().filter(is_gone).map(|server| server.name).chain(list).collect())
    }

    /// An entry as it was, if the run wrote it and it is still ours, or without this program if it was edited since.
    fn entry(&self, now: &Document, number: usize) -> Option<Back> {
        let servers = now.servers();
        let entry = Some(&servers[number]).filter(|entry| self.is_ours(entry))?;
        let written = self.written(entry)?;
        let was = self.before.same(&written);
        let Some(was) = was.as_ref().filter(|was| !self.is_ours(was)) else {
            let back = in_place_of(now, number, &self.members(now, entry, (was.as_ref(), &written)));
            // An entry of ours that got more is no server that is back.
            return Some(back.map(|(now, names)| {
                (now, names.into_iter().filter(|name| *name != written.name).collect())
            }));
        };
        let is_untouched = written.node.is_same_but(entry.node, None, &[]);
        let back = if is_untouched && now.syntax() == Syntax::Json {
            let mut edits = Edits::default();
            edits.replace(entry.node.at..entry.node.end, with_line_ends(now, self.before.source(was.node)));
            edits.edited(now)
        } else {
            unwrapped(now, number, self.launcher)
                .and_then(|now| without_additions(&now, number, was, &written))
        };
        Some(back.map(|document| (document, vec![was.name.clone()])))
    }

    /// What it wrote or changed as this entry, which may have another name or, in a list, another place now.
    fn written(&self, entry: &Server<'_>) -> Option<Server<'_>> {
        let changed = || self.after.servers().into_iter().filter(|server| !has(&self.before, server));
        let by_name = || changed().find(|server| server.is_same(entry));
        let by_words = || changed().find(|server| server.words() == entry.words());
        match entry.key {
            Some(_) => by_name().or_else(by_words),
            None => by_words().or_else(by_name),
        }
    }

    /// The members that take the place of an entry with moved servers: the entry as it was, if it was there, and the servers as
    /// they were, or as they are now where they were moved to.
    fn members(
        &self,
        now: &Document,
        entry: &Server<'_>,
        (was, written): (Option<&Server<'_>>, &Server<'_>),
    ) -> Vec<(String, String)> {
        let is_gone =
            |server: &Server<'_>| server.table == written.table && self.after.same(server).is_none();
        let gone: Vec<Server<'_>> = self.before.servers().into_iter().filter(is_gone).collect();
        let former = |server: &Server<'_>| {
            let source = self.before.text.get(server.key?.at..server.node.end)?;
            Some((server.name.clone(), with_line_ends(now, source)))
        };
        let edited = self.edited.iter().flat_map(Document::servers);
        let edited: Vec<Server<'_>> = edited.filter(|server| server.table == written.table).collect();
        let is_as_it_was = |server: &Server<'_>, was: &Server<'_>| {
            was.name == server.name && json(was.node) == json(server.node)
        };
        let as_now = |server: &Server<'_>| match gone.iter().find(|was| is_as_it_was(server, was)) {
            Some(was) => former(was),
            None => Some((server.name.clone(), laid_out(now, entry, &server.name, &json(server.node)))),
        };
        let servers: Vec<_> = match &edited[..] {
            [] => gone.iter().filter_map(former).collect(),
            edited => edited.iter().filter_map(as_now).collect(),
        };
        was.and_then(former).into_iter().chain(servers).collect()
    }
}

/// Whether a file has a server, and the same is said of it.
fn has(document: &Document, server: &Server<'_>) -> bool {
    document.same(server).is_some_and(|found| found.node.is_same_but(server.node, None, &[]))
}

/// A text with the lines that differ between two older states of it as they were before; `None` if such lines are others now.
fn put_back(before: &str, after: &str, now: &str) -> Option<String> {
    // Texts that have little in common take as long as their product.
    const LONGEST: Duration = Duration::from_secs(1);
    let of_run = TextDiff::configure().timeout(LONGEST).diff_lines(after, before);
    let since = TextDiff::configure().timeout(LONGEST).diff_lines(after, now);
    let same = since.ops().iter().filter(|op| op.tag() == DiffTag::Equal);
    // Where the lines are now that are as they were after the run.
    let places: Vec<(usize, usize)> = same.flat_map(|op| op.old_range().zip(op.new_range())).collect();
    let place = |line: usize| places.binary_search_by_key(&line, |(old, _)| *old).ok().map(|at| places[at].1);
    let mut lines = since.new_slices().to_vec();
    for op in of_run.ops().iter().rev().filter(|op| op.tag() != DiffTag::Equal) {
        let (mut old, mut new) = (op.old_range(), op.new_range());
        if old.is_empty() {
            // Behind the line that they were removed behind.
            (old.start, new.start) = (old.start.checked_sub(1)?, new.start.checked_sub(1)?);
        }
        let start = place(old.start)?;
        if !old.clone().zip(start..).all(|(line, now)| place(line) == Some(now)) {
            return None;
        }
        lines.splice(start..start + old.len(), of_run.new_slices()[new].iter().copied());
    }
    Some(lines.concat())
}

/// An entry of ours without this program, by what it says itself; `files` gets those that its servers are read from.
fn by_itself(
    now: &Document,
    number: usize,
    (launcher, destination): (&[String], &Destination),
    files: &mut Vec<PathBuf>,
) -> Option<Back> {
    let servers = now.servers();
    let (entry, words) = (&servers[number], servers[number].words());
    let named = Ours::of(&words, launcher)?.values(CONFIG);
    let own: Option<Vec<PathBuf>> = named.iter().map(|file| destination.file_of(file)).collect();
    let Some(own) = own.filter(|own| !own.is_empty()) else {
        let back = unwrapped(now, number, launcher);
        return Some(back.map(|document| (document, vec![entry.name.clone()])));
    };
    let moved = own.iter().map(|file| moved_members(file)).collect::<Result<Vec<_>, _>>();
    let back = moved.and_then(|moved| {
        let members = moved.concat().into_iter().map(|(name, server)| {
            let source = laid_out(now, entry, &name, &server);
            (name, source)
        });
        in_place_of(now, number, &members.collect::<Vec<_>>())
    });
    files.extend(own.into_iter().filter(|_| back.is_ok()));
    Some(back)
}

/// The file with these members in the place of an entry, without those whose name has come back.
fn in_place_of(now: &Document, number: usize, members: &[(String, String)]) -> Back {
    let servers = now.servers();
    let entry = &servers[number];
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
fn laid_out(now: &Document, entry: &Server<'_>, name: &str, value: &Json) -> String {
    let indent = now.line_before(entry.key.map_or(entry.node.at, |key| key.at));
    match indent.trim() {
        "" => format!("{}: {value:#}", quoted(name)).replace('\n', &format!("{}{indent}", now.line_end())),
        _ => format!("{}: {value}", quoted(name)),
    }
}

/// A piece of an older text of the file with the line ends that it has now.
fn with_line_ends(now: &Document, source: &str) -> String {
    source.replace("\r\n", "\n").replace('\n', now.line_end())
}

/// An entry without the names that `init` added to its lists of tools.
fn without_additions(
    document: &Document,
    number: usize,
    was: &Server<'_>,
    written: &Server<'_>,
) -> Result<Document, Why> {
    let servers = document.servers();
    let now = &servers[number];
    let is_of_command =
        |launch: &Launch<'_>, name: &str| launch.command.name == name || launch.arguments_key == name;
    let mut edits = Edits::default();
    for Member { name, node, .. } in now.node.members() {
        let (Some(was), Some(written)) = (was.node.get(name), written.node.get(name)) else { continue };
        let is_of_command = now.launch.as_ref().is_some_and(|launch| is_of_command(launch, name));
        if !is_of_command && was.is_list() && written.is_list() && node.is_list() {
            remove_added(&mut edits, node, Some(was), Some(written));
        }
    }
    edits.edited(document)
}
