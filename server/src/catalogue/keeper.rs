//! The keeper: makes a new snapshot when an upstream's lists or the description files change.
//!
//! Everything that leads to a snapshot passes here: lists come in, files are laid over them, a snapshot
//! goes out. A set of files that is not good keeps the old snapshot in force.

use mcp_disclosure_core::{DescriptionError, DescriptionFile, Kind, Snapshot, UpstreamLists};

use super::{Catalogue, Files, description_files::problem};
use crate::failure::Problem;

/// The material of snapshots.
#[derive(Debug)]
pub struct Keeper {
    lists: Vec<UpstreamLists>,
    source: Files,
    files: Vec<DescriptionFile>,
}

impl Keeper {
    /// Builds the first snapshot of lists and of files that were read.
    ///
    /// # Errors
    /// Every file for a tool that nobody brings. Where not all upstreams are there (`complete` is false) that
    /// is only warned about: the missing one may have brought it.
    pub fn open(
        lists: Vec<UpstreamLists>,
        source: Files,
        files: Vec<DescriptionFile>,
        complete: bool,
    ) -> Result<(Self, Snapshot), Vec<Problem>> {
        let built = if complete { build(&lists, &files) } else { build_what_fits(&lists, &files) };
        let snapshot = built.map_err(|errors| errors.iter().map(problem).collect::<Vec<_>>())?;
        warn_of_unknown_members(&files);
        Ok((Self { lists, source, files }, snapshot))
    }

    /// Takes an upstream's new lists.
    pub fn relist(&mut self, number: usize, lists: UpstreamLists, catalogue: &Catalogue) -> Vec<Kind> {
        self.lists[number] = lists;
        self.publish(catalogue)
    }

    /// Reads the files again. A bad set is reported, and the old one stays.
    pub fn reread(&mut self, catalogue: &Catalogue) -> Vec<Kind> {
        let read = self.source.read();
        let checked = read.and_then(|files| match build(&self.lists, &files) {
            Ok(snapshot) => Ok((files, snapshot)),
            Err(errors) => Err(errors.iter().map(problem).collect()),
        });
        match checked {
            Ok((files, snapshot)) => {
                warn_of_unknown_members(&files);
                self.files = files;
                let changes = catalogue.replace(snapshot);
                tracing::info!(files = self.files.len(), ?changes, "description files were read again");
                changes
            }
            Err(problems) => {
                for problem in problems {
                    tracing::error!("description files were not taken over, the old ones stay: {problem}");
                }
                Vec::new()
            }
        }
    }

    /// A tool may go away while its file stays. That must not hold back what else changed.
    fn publish(&self, catalogue: &Catalogue) -> Vec<Kind> {
        let built = build_what_fits(&self.lists, &self.files);
        built.map_or_else(|_| Vec::new(), |snapshot| catalogue.replace(snapshot))
    }
}

/// A snapshot without the files for tools that nobody brings.
fn build_what_fits(
    lists: &[UpstreamLists],
    files: &[DescriptionFile],
) -> Result<Snapshot, Vec<DescriptionError>> {
    build(lists, files).or_else(|errors| {
        errors.iter().for_each(|error| tracing::warn!("{error}"));
        let fitting = files.iter().filter(|file| !errors.iter().any(|error| is_about(error, file)));
        build(lists, &fitting.cloned().collect::<Vec<_>>())
    })
}

/// Said when files are taken over, not when they are merely looked at.
fn warn_of_unknown_members(files: &[DescriptionFile]) {
    for file in files.iter().filter(|file| !file.unknown.is_empty()) {
        tracing::warn!(file = file.path, members = ?file.unknown, "members that nobody knows are not delivered");
    }
}

fn is_about(error: &DescriptionError, file: &DescriptionFile) -> bool {
    matches!(error, DescriptionError::NoSuchTool { name, .. } if *name == file.name)
}

fn build(lists: &[UpstreamLists], files: &[DescriptionFile]) -> Result<Snapshot, Vec<DescriptionError>> {
    let (snapshot, warnings) = Snapshot::build(lists, files)?;
    warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
    Ok(snapshot)
}
