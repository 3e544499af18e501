//! The keeper: makes a new snapshot when an upstream's lists or the description files change.
//!
//! Everything that leads to a snapshot passes here: lists come in, files are laid over them, a snapshot
//! goes out. A set of files that is not good keeps the old snapshot in force.

use std::sync::Arc;

use mcp_disclosure_core::{About, DescriptionError, DescriptionFile, Kind, Snapshot, UpstreamLists};

use super::{Catalogue, description_files::problem};
use crate::failure::Problem;

/// The material of snapshots.
#[derive(Debug)]
pub struct Keeper {
    lists: Vec<UpstreamLists>,
    files: Arc<[DescriptionFile]>,
    about: About,
    /// Whether a person has been told already what is odd about this material.
    quiet: bool,
}

impl Keeper {
    /// Builds the first snapshot of lists and of files that were read.
    ///
    /// # Errors
    /// Every file for a tool that nobody brings. Where not all upstreams are there (`complete` is false) that
    /// is only warned about: the missing one may have brought it.
    pub fn open(
        lists: Vec<UpstreamLists>,
        files: Arc<[DescriptionFile]>,
        about: About,
        complete: bool,
    ) -> Result<(Self, Snapshot), Vec<Problem>> {
        let keeper = Self { lists, files, about, quiet: false };
        let built = if complete { keeper.build(&keeper.files) } else { keeper.build_what_fits() };
        let snapshot = built.map_err(|errors| errors.iter().map(problem).collect::<Vec<_>>())?;
        warn_of_unknown_members(&keeper.files);
        Ok((keeper, snapshot))
    }

    /// The same for material that was opened before, with lists of its own: what is odd about it has been
    /// said, and files for tools that are not there are passed over.
    pub fn open_again(
        lists: Vec<UpstreamLists>,
        files: Arc<[DescriptionFile]>,
        about: About,
    ) -> (Self, Option<Snapshot>) {
        let keeper = Self { lists, files, about, quiet: true };
        let snapshot = keeper.build_what_fits().ok();
        (keeper, snapshot)
    }

    /// Takes an upstream's new lists.
    pub fn relist(&mut self, number: usize, lists: UpstreamLists, catalogue: &Catalogue) -> Vec<Kind> {
        self.lists[number] = lists;
        self.publish(catalogue)
    }

    /// Takes files that were read again.
    ///
    /// # Errors
    /// Every problem of a bad set; the old one stays.
    pub fn replace_files(
        &mut self,
        files: Arc<[DescriptionFile]>,
        catalogue: &Catalogue,
    ) -> Result<Vec<Kind>, Vec<Problem>> {
        let snapshot = self.build(&files).map_err(|errors| errors.iter().map(problem).collect::<Vec<_>>())?;
        warn_of_unknown_members(&files);
        self.files = files;
        Ok(catalogue.replace(snapshot))
    }

    /// Takes files that were found good elsewhere.
    pub fn take_over_files(&mut self, files: Arc<[DescriptionFile]>, catalogue: &Catalogue) -> Vec<Kind> {
        self.files = files;
        self.publish(catalogue)
    }

    /// A tool may go away while its file stays. That must not hold back what else changed.
    fn publish(&self, catalogue: &Catalogue) -> Vec<Kind> {
        self.build_what_fits().map_or_else(|_| Vec::new(), |snapshot| catalogue.replace(snapshot))
    }

    /// A snapshot without the files for tools that nobody brings.
    fn build_what_fits(&self) -> Result<Snapshot, Vec<DescriptionError>> {
        self.build(&self.files).or_else(|errors| {
            errors.iter().for_each(|error| self.warn(error));
            let fitting = self.files.iter().filter(|file| !errors.iter().any(|error| is_about(error, file)));
            self.build(&fitting.cloned().collect::<Vec<_>>())
        })
    }

    fn build(&self, files: &[DescriptionFile]) -> Result<Snapshot, Vec<DescriptionError>> {
        let (snapshot, warnings) = Snapshot::build(&self.lists, files)?;
        warnings.iter().for_each(|warning| self.warn(warning));
        Ok(snapshot.about_itself(self.about.clone()))
    }

    fn warn(&self, warning: &dyn std::fmt::Display) {
        if !self.quiet {
            tracing::warn!("{warning}");
        }
    }
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
