//! What an export records of definitions: what is new, and nothing that changed since it was reviewed. What it found is reported
//! to people.

use std::{collections::HashSet, ffi::OsStr, fmt::Write, path::Path};

use mcp_disclosure_core::{Kind, Lock, OnChange, UpstreamName, Warning, printable::counted, qualified};
use mcp_disclosure_transport::printable::one_line;

use super::Origins;
use crate::{
    config::{CONFIGURATION, UpstreamEntry},
    files::Change,
    lock::LOCK,
};

/// Maximum number of names in a list.
const MAX_NAMED: usize = 20;

/// What precedes the tools whose definitions changed.
const CHANGED: &str = "changed upstream";

/// What follows them.
const DRIFTED: &str = "see what they are now with mcp-disclosure accept --dry-run, then accept them: mcp-disclosure accept [NAME]";

/// What follows the names of tools that are held.
const HELD: &str = "they do not exist for clients until: mcp-disclosure accept NAME";

/// What follows the names of tools that no upstream lists.
const VANISHED: &str = "what was decided on them stays, in case they come back; remove it by hand";

/// What follows the names of upstreams that the source starts or reaches otherwise.
const STAYED: &str = "the source has another command or url; write that into disclosure.toml if it is meant";

/// What an export found beside what was there already.
#[derive(Debug, Default)]
pub struct Report {
    /// Tools that nothing was recorded of.
    pub added: Vec<String>,
    /// Those of them that do not exist for clients until they are accepted.
    pub held: Vec<String>,
    /// Tools whose upstream's definition is not the recorded one, and what differs; their records stay.
    pub drifted: Vec<String>,
    /// What is recorded, or files say something of, and no upstream lists; it stays.
    pub vanished: Vec<String>,
    /// Upstreams whose command or URL in the folder is not that of the source; it stays.
    pub stayed: Vec<String>,
    /// Tools that cannot be described in a file, and why.
    pub without: Vec<(String, String)>,
}

impl Report {
    /// What was reviewed, of the source and in the folder, with what is new. Tools that are held are not accepted by the way.
    pub(super) fn lock(&mut self, origins: &Origins<'_>) -> Lock {
        let review = &origins.declared.rules.review;
        let mut lock = review.lock.clone();
        let tools = origins.view.tools().map(|visible| visible.tool());
        let served: HashSet<(&str, &str)> =
            tools.map(|tool| (tool.upstream().as_str(), tool.upstream_name().as_str())).collect();
        for lists in &origins.lists {
            let name = &lists.name;
            // What the program serves of its own is not named in files.
            let is_in_files = |(other, entry): &(UpstreamName, Option<_>)| other == name && entry.is_some();
            if !origins.upstreams.iter().any(is_in_files) {
                continue;
            }
            let is_held = review.on_change(name) == OnChange::Hold && lock.knows(name);
            if origins.replace && !is_held {
                lock.forget(name);
            }
            for change in lock.changes(name, &lists.definitions()) {
                let tool = qualified(name, &change.tool);
                match (&change.before, &change.now) {
                    (None, _) if is_held => self.held.push(tool),
                    // What is hidden is nothing new to anyone.
                    (None, _) if !served.contains(&(name.as_str(), &change.tool)) => {}
                    (None, _) => self.added.push(tool),
                    (_, None) => self.vanished.push(tool),
                    _ => self.drifted.push(format!("{tool} {change}")),
                }
            }
            if !is_held {
                lock.add(&lists.name, &lists.definitions());
            }
        }
        lock
    }

    /// Notes upstreams that the folder's configuration says other things of.
    pub(super) fn stayed(&mut self, origins: &Origins<'_>) {
        let there = origins.folder.config().map(|config| &*config.upstreams.0);
        // A path of the source may be relative to its own folder.
        let program = |command: &String| Path::new(command).file_name().map(OsStr::to_owned);
        let target = |entry: &UpstreamEntry| {
            (entry.command.as_ref().map(program), entry.args.clone(), entry.url.clone())
        };
        let is_other = |name: &str, there: &UpstreamEntry| {
            let given = origins.upstreams.iter().find(|(given, _)| **given == *name);
            given.and_then(|(_, given)| given.as_ref()).is_some_and(|given| target(given) != target(there))
        };
        let stayed = there.unwrap_or_default().iter().filter(|(name, _, there)| is_other(name, there));
        self.stayed = stayed.map(|(name, ..)| name.clone()).collect();
    }

    /// Notes texts about tools that are not listed.
    pub(super) fn vanished(&mut self, warnings: &[Warning]) {
        for warning in warnings {
            let Warning::Unmatched { kind: Kind::Tools, name, .. } = warning else { continue };
            if !self.vanished.contains(name) {
                self.vanished.push(name.clone());
            }
        }
    }

    /// A line for each kind of news, and one for what is written. `merged` is whether anything was there before.
    pub fn text(&self, merged: bool, files: &[Change]) -> String {
        let added = if merged { &*self.added } else { &[] };
        let news = [
            ("new", added, None),
            ("new and held", &self.held, Some(HELD)),
            (CHANGED, &self.drifted, Some(DRIFTED)),
            ("not listed any more", &self.vanished, Some(VANISHED)),
            ("upstreams as they were", &self.stayed, Some(STAYED)),
        ];
        let mut text = String::new();
        for (what, names, note) in news.into_iter().filter(|(_, names, _)| !names.is_empty()) {
            let named: Vec<String> =
                names.iter().take(MAX_NAMED).map(|name| one_line(name).into_owned()).collect();
            let more = match names.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let note = note.map_or_else(String::new, |note| format!("\n  {note}"));
            // A change is a line of its own, and names are words of one.
            let (begin, between) = if what == CHANGED { ("\n  ", "\n  ") } else { (" ", ", ") };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{what} ({}):{begin}{}{more}{note}", names.len(), named.join(between));
        }
        text + &written(files)
    }
}

fn written(files: &[Change]) -> String {
    let is_named = |name: &&str| files.iter().any(|file| file.path.ends_with(name));
    let mut written: Vec<String> =
        [CONFIGURATION, LOCK].into_iter().filter(is_named).map(str::to_owned).collect();
    match files.len() - written.len() {
        0 => {}
        count => written.push(counted(count, "description file")),
    }
    match written.as_slice() {
        [] => "nothing to write\n".to_owned(),
        written => format!("written: {}\n", written.join(" and ")),
    }
}
