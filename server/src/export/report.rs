//! What an export found, for people.

use std::fmt::Write;

use mcp_disclosure_core::{Drift, Kind, Warning};
use mcp_disclosure_transport::printable::one_line;

use super::{CONFIGURATION, File, wording};

/// Maximum number of names in a list.
const MAX_NAMED: usize = 20;

/// What an export found beside what was there already.
#[derive(Debug, Default)]
pub struct Report {
    /// Tools that nothing was recorded of.
    pub added: Vec<String>,
    /// Tools whose upstream's definition is not the recorded one, and what differs; their records stay.
    pub drifted: Vec<String>,
    /// Those whose records were renewed.
    pub renewed: Vec<String>,
    /// What files say something of, and no upstream lists; what they say stays.
    pub vanished: Vec<String>,
    /// Tools of which nothing can be recorded, and why.
    pub without: Vec<(String, String)>,
}

impl Report {
    /// Notes a drift.
    pub(super) fn drift(&mut self, name: &str, drift: &Drift, is_accepted: bool) {
        let list = if is_accepted { &mut self.renewed } else { &mut self.drifted };
        list.push(format!("{name} ({})", drift.changes));
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
    pub fn text(&self, merged: bool, files: &[File]) -> String {
        let added = if merged { &*self.added } else { &[] };
        let news = [
            ("new", added, None),
            ("recorded anew", &self.renewed, None),
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
    let has_configuration = files.iter().any(|file| file.name == CONFIGURATION);
    let descriptions = match files.len() - usize::from(has_configuration) {
        0 => None,
        1 => Some("1 description file".to_owned()),
        count => Some(format!("{count} description files")),
    };
    let configuration = has_configuration.then(|| CONFIGURATION.to_owned());
    let written: Vec<String> = configuration.into_iter().chain(descriptions).collect();
    match written.as_slice() {
        [] => "nothing to write\n".to_owned(),
        written => format!("written: {}\n", written.join(" and ")),
    }
}
