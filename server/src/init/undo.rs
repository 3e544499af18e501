//! What a file is without this program.
//!
//! If a file is as `init` left it, the bytes that were there before are given back. If it was edited since, only the entries
//! that `init` changed are turned back: to their former text if they are untouched, else by what the entry itself says.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use mcp_disclosure_gateway::Problem;

use super::{
    CONFIG, Destination, Edited, Edits, LIST, NOT_OURS, Ours, Step, UNUSUAL, Why, edited, json,
    moved_members, remove_added, remove_members, unwrapped, unwrapped_url, withdrawn,
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
    let mut edited_steps = Vec::new();
    for recorded in steps.iter().rev() {
        let Edited { before, kept } = edited(path, recorded);
        let step = Step { before, ..recorded.clone() };
        undone.kept.extend(kept);
        let parse = |text: &str| Document::parse(path, text, &step.current);
        let (before, after) = (parse(&step.before)?, parse(&step.after)?);
        let from = undone.turned_back.len();
        if undone.text == step.after {
            undone.text.clone_from(&step.before);
            let names = changed(&before, &after, launcher).into_iter().map(|server| server.name);
            undone.turned_back.extend(names);
        } else {
            let mut turned = Turned { now: parse(&undone.text)?, launcher, undone: &mut undone };
            turned.step(&before, &after);
            undone.text = turned.now.bytes();
        }
        edited_steps.push((step, from..undone.turned_back.len()));
    }
    if steps.is_empty() {
        let now = Document::parse(path, &undone.text, current)?;
        let mut turned = Turned { now, launcher, undone: &mut undone };
        turned.without_record(destination);
        undone.text = turned.now.bytes();
    }
    for (step, turned) in edited_steps {
        let missing = missing(path, &step, (&undone, turned), launcher)?;
        undone.missing.extend(missing);
    }
    Ok(undone)
}

/// What a step changed, and the file does not have as it was before.
fn missing(
    path: &Path,
    step: &Step,
    (undone, turned): (&Undone, Range<usize>),
    launcher: &[String],
) -> Result<Vec<String>, Problem> {
    let parse = |text: &str| Document::parse(path, text, &step.current);
    let (before, after, now) = (parse(&step.before)?, parse(&step.after)?, parse(&undone.text)?);
    let is_there = |server: &Server<'_>| {
        let is_as_it_was = |found: Server<'_>| found.node.is_same_but(server.node, None, &[]);
        undone.turned_back[turned.clone()].contains(&server.name)
            || now.same(server).is_some_and(is_as_it_was)
    };
    let servers = changed(&before, &after, launcher).into_iter().filter(|server| !is_there(server));
    let list = |document: &Document| document.root.path(&LIST).map(json);
    let is_list_gone = list(&before) != list(&after) && list(&now).is_none();
    let list = is_list_gone.then(|| LIST.join("."));
    Ok(servers.map(|server| server.name).chain(list).collect())
}

/// The servers that differ between the two texts of a step, by what they were before; without an entry of ours that got more.
fn changed<'n>(before: &'n Document, after: &Document, launcher: &[String]) -> Vec<Server<'n>> {
    let servers = before.servers().into_iter().filter(|server| {
        let same = after.same(server);
        same.is_none_or(|same| !server.node.is_same_but(same.node, None, &[]))
            && Ours::of(&server.words(), launcher).is_none()
    });
    servers.collect()
}

/// The servers of an entry's table that were moved behind it.
fn gone<'n>(before: &'n Document, after: &Document, entry: &Server<'_>) -> Vec<Server<'n>> {
    let is_gone = |server: &Server<'_>| server.table == entry.table && after.same(server).is_none();
    before.servers().into_iter().filter(is_gone).collect()
}

struct Turned<'u> {
    now: Document,
    launcher: &'u [String],
    undone: &'u mut Undone,
}

impl Turned<'_> {
    /// Turns back what one run of `init` changed.
    fn step(&mut self, before: &Document, after: &Document) {
        for server in after.servers() {
            let was = before.same(&server);
            if was.as_ref().is_some_and(|was| was.node.is_same_but(server.node, None, &[])) {
                continue;
            }
            // Of a list, what has no name is known by what it starts: its number may be another's now.
            let listed = server.key.is_none().then(|| self.renamed(&server)).flatten();
            let now = listed.or_else(|| self.now.same(&server)).or_else(|| self.renamed(&server));
            let now = now.map(|now| self.number(&now));
            let gone = match &was {
                Some(was) if !self.reads_more(&server, was) => None,
                _ => Some(gone(before, after, &server)),
            };
            let (names, turned) = match (&was, gone, now) {
                (Some(was), None, Some(number)) => {
                    (vec![server.name.clone()], self.entry(number, (before, was), &server))
                }
                (was, Some(gone), Some(number)) => {
                    let back = gone.iter().filter(|server| self.now.same(server).is_none());
                    let names = back.map(|server| server.name.clone()).collect();
                    (names, self.moved_back(number, before, was.as_ref(), &gone))
                }
                _ => continue,
            };
            // An entry that is not ours any more is the person's own.
            if turned.as_ref().is_err_and(|why| why == NOT_OURS) {
                continue;
            }
            self.note(&server.name, names, turned);
        }
        if let Some(document) = withdrawn(&self.now, before, after) {
            self.now = document;
            self.undone.turned_back.push(LIST.join("."));
        }
    }

    /// Notes which servers an entry brought back, or why it is left.
    fn note(&mut self, name: &str, names: Vec<String>, turned: Result<Document, Why>) {
        match turned {
            Ok(document) => {
                self.now = document;
                self.undone.turned_back.extend(names);
            }
            Err(why) => self.undone.left.push((name.to_owned(), why)),
        }
    }

    fn number(&self, server: &Server<'_>) -> usize {
        let same = |found: &Server<'_>| std::ptr::eq(found.node, server.node);
        self.now.servers().iter().position(same).unwrap_or_default()
    }

    /// One entry as it was, or without this program if it was edited since.
    fn entry(
        &self,
        number: usize,
        (before, was): (&Document, &Server<'_>),
        after: &Server<'_>,
    ) -> Result<Document, Why> {
        let servers = self.now.servers();
        let now = &servers[number];
        let is_untouched = after.node.is_same_but(now.node, None, &[]);
        if is_untouched && self.now.syntax() == Syntax::Json {
            let mut edits = Edits::default();
            edits.replace(now.node.at..now.node.end, self.with_line_ends(before.source(was.node)));
            return edits.edited(&self.now);
        }
        if is_untouched && was.launch.is_none() {
            return unwrapped_url(&self.now, number, (before, was));
        }
        let unwrapped = unwrapped(&self.now, number, self.launcher)?;
        without_additions(&unwrapped, number, was, after)
    }

    /// Whether an entry of ours reads more files than it did.
    fn reads_more(&self, now: &Server<'_>, was: &Server<'_>) -> bool {
        let files = |server: &Server<'_>| {
            Ours::of(&server.words(), self.launcher).map_or(0, |ours| ours.values(CONFIG).len())
        };
        files(now) > files(was)
    }

    /// The servers that were moved behind this entry, in its place, and the entry as it was, if it was there.
    fn moved_back(
        &self,
        number: usize,
        before: &Document,
        was: Option<&Server<'_>>,
        gone: &[Server<'_>],
    ) -> Result<Document, Why> {
        let sources = was.into_iter().chain(gone).filter_map(|server| {
            let source = before.text.get(server.key?.at..server.node.end)?;
            Some((server.name.clone(), self.with_line_ends(source)))
        });
        self.in_place_of(number, &sources.collect::<Vec<_>>())
    }

    /// An entry of ours that has another name now.
    fn renamed(&self, entry: &Server<'_>) -> Option<Server<'_>> {
        let own = entry.words();
        Ours::of(&own, self.launcher)?;
        self.now.servers().into_iter().find(|now| now.words() == own)
    }

    /// The file with these members in the place of one, without those whose name has come back.
    fn in_place_of(&self, number: usize, members: &[(String, String)]) -> Result<Document, Why> {
        let servers = self.now.servers();
        let entry = &servers[number];
        let key = entry.key.ok_or(UNUSUAL)?;
        let others = entry.servers.members().iter().filter(|member| !std::ptr::eq(*member, key));
        let is_there = |name: &String| others.clone().any(|member| member.name == *name);
        let missing: Vec<&str> =
            members.iter().filter(|(name, _)| !is_there(name)).map(|(_, source)| source.as_str()).collect();
        if members.is_empty() {
            return Err("the servers behind it are not known any more; remove it by hand".to_owned());
        }
        if missing.is_empty() {
            return self.without(number);
        }
        let mut edits = Edits::default();
        edits.replace(key.at..entry.node.end, missing.join(&self.now.separator(key.at)));
        edits.edited(&self.now)
    }

    /// The file without an entry, beside which there are others.
    fn without(&self, number: usize) -> Result<Document, Why> {
        let servers = self.now.servers();
        let entry = &servers[number];
        let mut edits = Edits::default();
        remove_members(&mut edits, entry.servers.members(), |member| member.name == entry.name);
        edits.edited(&self.now)
    }

    /// A piece of an older text of the file with the line ends that it has now.
    fn with_line_ends(&self, source: &str) -> String {
        source.replace("\r\n", "\n").replace('\n', self.now.line_end())
    }

    /// Turns back every entry that starts this program.
    fn without_record(&mut self, destination: &Destination) {
        let mut number = 0;
        while number < self.now.servers().len() {
            let (name, words) = {
                let server = &self.now.servers()[number];
                (server.name.clone(), server.words())
            };
            if let Some(ours) = Ours::of(&words, self.launcher) {
                let named = ours.values(CONFIG);
                let files: Option<Vec<PathBuf>> =
                    named.iter().map(|file| destination.file_of(file)).collect();
                let mut names = vec![name.clone()];
                let turned = match files.filter(|files| !files.is_empty()) {
                    Some(files) => {
                        let members =
                            files.iter().map(|file| moved_members(file)).collect::<Result<Vec<_>, _>>();
                        let turned = members.and_then(|members| {
                            let members = members.concat();
                            names = members.iter().map(|(name, _)| name.clone()).collect();
                            self.in_place_of(number, &members)
                        });
                        if turned.is_ok() {
                            let why = "its servers are back, and no backup says that this program wrote it; \
                                       remove it if you do not need it";
                            self.undone.kept.extend(files.into_iter().map(|file| (file, why.to_owned())));
                        }
                        turned
                    }
                    None => unwrapped(&self.now, number, self.launcher),
                };
                self.note(&name, names, turned);
            }
            number += 1;
        }
    }
}

/// An entry without the names that `init` added to its lists of tools.
fn without_additions(
    document: &Document,
    number: usize,
    was: &Server<'_>,
    after: &Server<'_>,
) -> Result<Document, Why> {
    let servers = document.servers();
    let now = &servers[number];
    let mut edits = Edits::default();
    for Member { name, node, .. } in now.node.members() {
        let (Some(was), Some(after)) = (was.node.get(name), after.node.get(name)) else { continue };
        let is_command = |launch: &Launch<'_>| launch.command.name == *name || launch.arguments_key == name;
        if !(was.is_list() && after.is_list() && node.is_list())
            || now.launch.as_ref().is_some_and(is_command)
        {
            continue;
        }
        remove_added(&mut edits, node, Some(was), Some(after));
    }
    if let Some(added) = added_arguments(document, now, was) {
        edits.replace(added, "");
    }
    edits.edited(document)
}

/// Where an entry has an empty list of arguments, right behind the command, that it did not have before.
fn added_arguments(document: &Document, now: &Server<'_>, was: &Server<'_>) -> Option<Range<usize>> {
    let launch = now.launch.filter(|launch| !launch.is_list())?;
    let had = was.launch.is_some_and(|launch| launch.arguments.is_some());
    let arguments = launch.arguments.filter(|arguments| !had && arguments.items().is_empty())?;
    let added = launch.command.node.end..arguments.end;
    let between = document.text.get(added.start..arguments.at)?;
    let is_right_behind = launch
        .holder
        .members()
        .windows(2)
        .any(|pair| std::ptr::eq(&pair[0], launch.command) && std::ptr::eq(&pair[1].node, arguments));
    (is_right_behind && !between.contains(['#', '/'])).then_some(added)
}
