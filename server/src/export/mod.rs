//! `export`: what an operator decides about what is served, as files that serve the same (001 "Migration Guide", U10).
//!
//! Decisions stand in one `disclosure.toml`; a tool whose description an operator rewrote, or whose whole definition is
//! wanted, has a description file beside it. What was reviewed of definitions is in `disclosure.lock`. In a folder with files
//! of an earlier export, what is new is added to them.

mod description;
mod folder;
mod merge;
mod report;
mod settings;
mod write;

use std::sync::Arc;

pub(crate) use description::spread;
pub use folder::Folder;
use mcp_disclosure_core::{Lock, Snapshot, UpstreamLists, UpstreamName, View};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};
pub use report::Report;
pub use write::write;

use crate::{
    config::{CONFIGURATION, DisclosureFile, UpstreamEntry},
    files::Change,
    lock::{self, LOCK},
};

/// Everything that is written down.
#[derive(Debug)]
pub struct Origins<'a> {
    /// What is listed, and what of it is odd.
    pub snapshot: &'a Snapshot,
    /// What is served.
    pub view: &'a View,
    /// What was declared, before upstreams filled what was not.
    pub declared: &'a Declared,
    /// The upstreams in order; an upstream that cannot be written in a file has no entry.
    pub upstreams: Vec<(UpstreamName, Option<UpstreamEntry>)>,
    /// What they listed.
    pub lists: Vec<Arc<UpstreamLists>>,
    /// The configuration of the source.
    pub config: Option<&'a DisclosureFile>,
    /// What is there already, and is kept.
    pub folder: Option<&'a Folder>,
    /// Whether whole definitions are written.
    pub definitions: bool,
    /// Whether description files and records that earlier exports wrote are written anew.
    pub replace: bool,
}

/// The files to write.
#[derive(Debug, Default)]
pub struct Export {
    /// Those that are new or change, by their paths within the folder.
    pub files: Vec<Change>,
    /// What was found.
    pub report: Report,
}

impl Export {
    /// Writes everything down.
    ///
    /// # Errors
    /// What cannot be written down, or added to what is there.
    pub fn of(origins: &Origins<'_>) -> Result<Self, Vec<Problem>> {
        let mut export = Self::default();
        let text = export.text(origins).map_err(|problem| vec![problem])?;
        // What a person wrote and what is added may contradict each other.
        let file = DisclosureFile::parse(CONFIGURATION, &text)?;
        file.declare(&origins.declared.about)?;
        export.file(origins, CONFIGURATION.to_owned(), text);
        let reviewed = export.report.lock(origins);
        if reviewed != Lock::default() {
            export.file(origins, LOCK.to_owned(), lock::text(&reviewed));
        }
        if origins.folder.is_some_and(Folder::is_there) {
            export.report.vanished(origins.snapshot.warnings());
            export.report.stayed(origins);
        }
        Ok(export)
    }

    /// The text of the configuration; description files are noted on the way.
    fn text(&mut self, origins: &Origins<'_>) -> Result<String, Problem> {
        let index = description::index(origins);
        for visible in origins.view.tools() {
            match description::new(origins, &index, visible.tool())? {
                Some(Ok((name, text))) => self.file(origins, name, text),
                Some(Err(why)) => self.report.without.push((visible.tool().key().to_string(), why)),
                None => {}
            }
        }
        let is_description = |name: &String| name != CONFIGURATION && name != LOCK;
        let has_some = |folder: &Folder| folder.texts.keys().any(is_description);
        let has_files = !self.files.is_empty() || origins.folder.is_some_and(has_some);
        let blocks = settings::blocks(origins, has_files)
            .map_err(|error| Problem::new(format!("what is declared cannot be written as TOML: {error}")))?;
        let text = match origins.folder.and_then(|folder| folder.base.as_deref()) {
            Some(existing) => merge::with_blocks(existing, &blocks)?,
            None => blocks.into_iter().map(|block| block.text).collect(),
        };
        Ok(match origins.folder.filter(|_| has_files) {
            Some(folder) => folder.with_descriptions(text),
            None => text,
        })
    }

    /// Writes a file, unless it is there like this.
    fn file(&mut self, origins: &Origins<'_>, name: String, text: String) {
        let before = origins.folder.and_then(|folder| folder.text(&name)).map(str::to_owned);
        let change = Change { path: name.into(), before, after: text };
        self.files.extend(Some(change).filter(Change::changes));
    }
}
