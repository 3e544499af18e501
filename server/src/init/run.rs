//! What one run of `init` did to a file, and the file without that.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use mcp_disclosure_gateway::Problem;
use serde_json::Value as Json;
use similar::{DiffTag, TextDiff};

use super::{
    ABOUT, Edits, LIST, Ours, Step, Why, json, remove_added, remove_members,
    undo::{Back, in_place_of, laid_out},
    unwrapped, withdrawn,
};
use crate::config::hosts::{
    ARGUMENTS, Document, Launch, Server,
    node::{Member, Node},
};

/// A run of `init`.
pub(super) struct Run<'s> {
    step: &'s Step,
    launcher: &'s [String],
    before: Document,
    after: Document,
    /// The files that it moved servers to and that were edited since.
    edited: Vec<Document>,
}

impl<'s> Run<'s> {
    /// Reads what it did; `kept` gets the files of which not everything can be brought back.
    pub(super) fn of(
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

    pub(super) fn parse(&self, text: &str) -> Result<Document, Problem> {
        Document::parse(&self.before.path, text, &self.step.current)
    }

    fn is_ours(&self, server: &Server<'_>) -> bool {
        Ours::of(&server.words(), self.launcher).is_some()
    }

    /// The servers that it changed, as they were; without entries that were ours before.
    fn servers(&self) -> impl Iterator<Item = Server<'_>> {
        let is_changed = |server: &Server<'_>| !has(&self.after, server) && !self.is_ours(server);
        self.before.servers().into_iter().filter(is_changed)
    }

    /// The names of what it changed.
    pub(super) fn changed(&self) -> Vec<String> {
        self.servers().map(|server| server.name).chain(self.list()).collect()
    }

    /// The name of the list of permissions, if it added to that.
    fn list(&self) -> Option<String> {
        let list = |document: &Document| document.root.path(&LIST).map(json);
        (list(&self.before) != list(&self.after)).then(|| LIST.join("."))
    }

    /// The file with the lines that it changed as they were; `None` if one of them, or a moved server, was edited since.
    pub(super) fn by_lines(&self, now: &str) -> Option<String> {
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

    /// The file without the permissions that it added, if any of them is there.
    pub(super) fn without_permissions(&self, now: &str) -> Result<Option<String>, Problem> {
        let now = self.parse(now)?;
        Ok(withdrawn(&now, &self.before, &self.after).map(|document| document.bytes()))
    }

    /// What it changed, and the file does not have as it was before.
    pub(super) fn missing(&self, text: &str, turned_back: &[String]) -> Result<Vec<String>, Problem> {
        let now = self.parse(text)?;
        let is_gone = |server: &Server<'_>| !turned_back.contains(&server.name) && !has(&now, server);
        let list = self.list().filter(|_| now.root.path(&LIST).is_none());
        Ok(self.servers().filter(is_gone).map(|server| server.name).chain(list).collect())
    }

    /// An entry as it was, if the run wrote it and it is still ours, or without this program if it was edited since.
    pub(super) fn entry(&self, now: &Document, entry: &Server<'_>) -> Option<Back> {
        let entry = Some(entry).filter(|entry| self.is_ours(entry))?;
        let written = self.written(now, entry)?;
        let was = self.before.same(&written);
        let Some(was) = was.as_ref().filter(|was| !self.is_ours(was)) else {
            let back = in_place_of(now, entry, &self.members(now, entry, (was.as_ref(), &written)));
            // The entry itself, if it was ours before this run, is no server that is back.
            return Some(back.map(|(now, names)| {
                (now, names.into_iter().filter(|name| *name != written.name).collect())
            }));
        };
        let number = now.number(entry)?;
        let back = without_additions(now, entry, was, &written).and_then(|now| {
            let servers = now.servers();
            let server = &servers[number];
            let back = self.with_former_members(&now, server, was, &written);
            back.map_or_else(|| unwrapped(&now, server, self.launcher), Ok)
        });
        // A copy is reported by its own name, a renamed entry by the name that it had.
        let is_where_it_was = entry.key.is_some() && now.same(was).is_some();
        let name = if is_where_it_was { &entry.name } else { &was.name };
        Some(back.map(|document| (document, vec![name.clone()])))
    }

    /// An entry with the members that the run changed as they were, but for lists of tools; `None` if one of them was edited since.
    fn with_former_members(
        &self,
        now: &Document,
        server: &Server<'_>,
        was: &Server<'_>,
        written: &Server<'_>,
    ) -> Option<Document> {
        let (entry, former, later) = (server.node, was.node.members(), written.node.members());
        let is_changed =
            |name: &&str| !is_same(was.node, written.node, name) && list_of_tools(server, name).is_none();
        let changed: Vec<&str> =
            former.iter().chain(later).map(|member| &*member.name).filter(is_changed).collect();
        // Such as a URL, whose place a command has taken.
        let mut gone = former.iter().filter(|Member { name, .. }| {
            changed.contains(&name.as_str()) && written.node.get(name).is_none()
        });
        let (mut edits, mut added) = (Edits::default(), Vec::new());
        for Member { name, node: written, .. } in later.iter().filter(|it| changed.contains(&&*it.name)) {
            let there = entry.member(name).filter(|there| there.node.is_same_but(written, None, &[]))?;
            match was.node.member(name).or_else(|| gone.next()) {
                Some(former) => {
                    let source = self.before.on_its_own(former)?;
                    now.on_its_own(there)?;
                    edits.replace(there.at..there.node.end, with_line_ends(now, source));
                }
                None => added.push(name),
            }
        }
        remove_members(&mut edits, entry.members(), |member| added.contains(&&member.name));
        let is_back = |after: &Server<'_>| changed.iter().all(|name| is_same(was.node, after.node, name));
        edits.of_server(now, server, (entry, &changed), is_back).ok()
    }

    /// What it wrote or changed as this entry: by its name, else by its command, if it has another name now or is a copy. In a list,
    /// by its command first, since its number may be another's.
    fn written(&self, now: &Document, entry: &Server<'_>) -> Option<Server<'_>> {
        let is_named = |server: &Server<'_>| server.is_same(entry);
        let starts_the_same = |server: &Server<'_>| server.words() == entry.words();
        let is_of_earlier_run =
            entry.key.is_some() && self.before.same(entry).is_some_and(|was| self.is_ours(&was));
        let changed = self.after.servers().into_iter().filter(|server| !has(&self.before, server));
        let may_be = changed.filter(|it| is_named(it) || (starts_the_same(it) && !is_of_earlier_run));
        may_be.min_by_key(|it| {
            let has_other_name = entry.key.is_some() && !is_named(it);
            // Of several with one command, the one that is not where it was.
            let is_there = now.same(it).is_some();
            (has_other_name, !starts_the_same(it), is_there, !it.node.is_same_but(entry.node, None, &[]))
        })
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

/// Whether a file has a server, with the same entry.
fn has(document: &Document, server: &Server<'_>) -> bool {
    document.same(server).is_some_and(|found| found.node.is_same_but(server.node, None, &[]))
}

/// Whether two tables have the same member of this name, or neither has one.
fn is_same(one: &Node, other: &Node, name: &str) -> bool {
    match (one.get(name), other.get(name)) {
        (Some(one), Some(other)) => one.is_same_but(other, None, &[]),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// An entry without the names that the run added to its lists of tools.
fn without_additions(
    now: &Document,
    server: &Server<'_>,
    was: &Server<'_>,
    written: &Server<'_>,
) -> Result<Document, Why> {
    let mut edits = Edits::default();
    for Member { name, .. } in server.node.members() {
        if let Some(list) = list_of_tools(server, name) {
            remove_added(&mut edits, list, was.node.get(name), written.node.get(name));
        }
    }
    edits.edited(now)
}

/// A list of an entry that is no part of its command.
fn list_of_tools<'n>(server: &Server<'n>, name: &str) -> Option<&'n Node> {
    let is_of_command = |it: &Launch<'_>| it.command.name == name || name == ARGUMENTS;
    server.node.get(name).filter(|node| node.is_list() && !server.launch.as_ref().is_some_and(is_of_command))
}

/// A text with the lines that differ between two older states of it as they were before; `None` if such lines are others now.
fn put_back(before: &str, after: &str, now: &str) -> Option<String> {
    // For texts with little in common, the time grows with the product of their lengths.
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
            // The run removed these lines: they go behind the line that preceded them.
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

/// A piece of an older text of the file with the line ends that it has now.
fn with_line_ends(now: &Document, source: &str) -> String {
    source.replace("\r\n", "\n").replace('\n', now.line_end())
}
