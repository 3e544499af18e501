//! What an export found, for people.

use std::fmt::Write;

use mcp_disclosure_core::{Kind, Warning};
use mcp_disclosure_transport::printable::one_line;

use super::{CONFIGURATION, File, wording};
use crate::lock::LOCK;

/// Maximum number of names in a list.
const MAX_NAMED: usize = 20;

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
    /// Tools that cannot be described in a file, and why.
    pub without: Vec<(String, String)>,
}

impl Report {
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
    pub fn text(&self, merged: bool, files: &[File]) -> String {
        let added = if merged { &*self.added } else { &[] };
        let news = [
            ("new", added, None),
            ("new and held", &self.held, Some(wording::HELD)),
            ("changed upstream", &self.drifted, Some(wording::DRIFTED)),
            ("not listed any more", &self.vanished, Some(wording::VANISHED)),
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
            // Writing to a string does not fail.
            let _ = writeln!(text, "{what} ({}): {}{more}{note}", names.len(), named.join(", "));
        }
        text + &written(files)
    }
}

fn written(files: &[File]) -> String {
    let is_named = |name: &&str| files.iter().any(|file| file.name == *name);
    let mut written: Vec<String> =
        [CONFIGURATION, LOCK].into_iter().filter(is_named).map(str::to_owned).collect();
    match files.len() - written.len() {
        0 => {}
        1 => written.push("1 description file".to_owned()),
        count => written.push(format!("{count} description files")),
    }
    match written.as_slice() {
        [] => "nothing to write\n".to_owned(),
        written => format!("written: {}\n", written.join(" and ")),
    }
}
