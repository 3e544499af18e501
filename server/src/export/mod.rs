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

use std::{path::PathBuf, sync::Arc};

pub(crate) use description::spread;
pub use folder::Folder;
use mcp_disclosure_core::{Lock, Snapshot, UpstreamLists, UpstreamName, View};
use mcp_disclosure_gateway::{Problem, catalogue::Declared};
pub use report::Report;
pub use write::write;

use crate::{
    config::{CONFIGURATION, DisclosureFile, UpstreamEntry},
    files::Change,
    lock,
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
    pub folder: &'a Folder,
    /// Whether whole definitions are written.
    pub definitions: bool,
    /// Whether description files and records that earlier exports wrote are written anew.
    pub replace: bool,
}

/// The files to write.
#[derive(Debug, Default)]
pub struct Export {
    /// Those that are new or change.
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
        export.file(origins, origins.folder.configuration.clone(), text);
        let reviewed = export.report.lock(origins);
        if reviewed != Lock::default() {
            export.file(origins, origins.folder.lock.path.clone(), lock::text(&reviewed));
        }
        if origins.folder.is_there() {
            export.report.vanished(origins.snapshot.warnings());
            export.report.stayed(origins);
        }
        Ok(export)
    }

    /// The text of the configuration; description files are noted on the way.
    fn text(&mut self, origins: &Origins<'_>) -> Result<String, Problem> {
        for visible in origins.view.tools() {
            match description::new(origins, visible.tool())? {
                Some(Ok((path, text))) => self.file(origins, path, text),
                Some(Err(why)) => self.report.without.push((visible.tool().key().to_string(), why)),
                None => {}
            }
        }
        let Folder { configuration, lock, texts, .. } = origins.folder;
        let is_description = |path: &PathBuf| path != configuration && *path != lock.path;
        let has_files = !self.files.is_empty() || texts.keys().any(is_description);
        let blocks = settings::blocks(origins, has_files)
            .map_err(|error| Problem::new(format!("what is declared cannot be written as TOML: {error}")))?;
        let text = match &origins.folder.base {
            Some(existing) => merge::with_blocks(existing, &blocks)?,
            None => blocks.into_iter().map(|block| block.text).collect(),
        };
        Ok(if has_files { origins.folder.with_descriptions(text) } else { text })
    }

    /// Writes a file, unless it is there like this.
    fn file(&mut self, origins: &Origins<'_>, path: PathBuf, after: String) {
        let before = origins.folder.texts.get(&path).cloned();
        let change = Change { path, before, after };
        self.files.extend(Some(change).filter(Change::changes));
    }
}
