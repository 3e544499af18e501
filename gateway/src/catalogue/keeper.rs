//! The keeper: makes a new snapshot when an upstream's lists or the description files change.
//!
//! Everything that leads to a snapshot passes here: lists come in, files are laid over them, a snapshot
//! goes out.

use mcp_disclosure_core::{About, DescriptionFile, Kind, Material, RawObject, Snapshot, UpstreamLists};

use super::{Catalogue, Declared, drift};

/// The material of snapshots.
#[derive(Debug)]
pub struct Keeper {
    lists: Vec<UpstreamLists>,
    /// Whether these are the lists of all upstreams: a missing one may bring what something is declared for.
    complete: bool,
    declared: Declared,
    /// `serverInfo`, for what is not declared.
    server_info: RawObject,
    /// Whether a person has been told already what is odd about this material.
    quiet: bool,
}

impl Keeper {
    /// Builds the first snapshot of lists and of what was declared. `complete` is whether no upstream is missing. What is
    /// declared for things that no upstream lists is warned about and left out.
    pub fn open(
        lists: Vec<UpstreamLists>,
        declared: Declared,
        server_info: RawObject,
        complete: bool,
    ) -> (Self, Snapshot) {
        let keeper = Self { lists, complete, declared, server_info, quiet: false };
        let snapshot = keeper.build();
        warn_of_unknown_members(&keeper.declared.files);
        drift::warn(None, &snapshot);
        (keeper, snapshot)
    }

    /// The same for material that was opened before, with lists of its own: its warnings have been logged already.
    pub fn open_again(
        lists: Vec<UpstreamLists>,
        declared: Declared,
        server_info: RawObject,
        complete: bool,
    ) -> (Self, Snapshot) {
        let keeper = Self { lists, complete, declared, server_info, quiet: true };
        let snapshot = keeper.build();
        (keeper, snapshot)
    }

    /// Takes an upstream's new lists.
    pub fn relist(&mut self, number: usize, lists: UpstreamLists, catalogue: &Catalogue) -> Vec<Kind> {
        self.lists[number] = lists;
        self.publish(catalogue)
    }

    /// Takes what is declared anew.
    pub fn replace(&mut self, declared: Declared, catalogue: &Catalogue) -> Vec<Kind> {
        if !self.quiet {
            warn_of_unknown_members(&declared.files);
        }
        self.declared = declared;
        self.publish(catalogue)
    }

    fn publish(&self, catalogue: &Catalogue) -> Vec<Kind> {
        let snapshot = self.build();
        if !self.quiet {
            drift::warn(Some(catalogue.current().snapshot()), &snapshot);
        }
        catalogue.replace(snapshot)
    }

    fn build(&self) -> Snapshot {
        let snapshot = Snapshot::assemble(Material {
            upstreams: &self.lists,
            complete: self.complete,
            files: &self.declared.files,
            rules: &self.declared.rules,
        });
        if !self.quiet {
            snapshot.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
        }
        snapshot.about_itself(self.about(&self.declared.about))
    }

    /// What the catalogue says of itself; a name that is not declared is the upstream's own.
    fn about(&self, declared: &About) -> About {
        let or_own = |declared: &str, member: &str| match declared {
            "" => self.server_info.string(member).unwrap_or_default(),
            declared => declared.to_owned(),
        };
        About {
            name: or_own(&declared.name, "name"),
            version: or_own(&declared.version, "version"),
            description: or_own(&declared.description, "description"),
            ..declared.clone()
        }
    }
}

/// Said when files are taken over, not when they are merely looked at.
fn warn_of_unknown_members(files: &[DescriptionFile]) {
    for file in files.iter().filter(|file| !file.unknown.is_empty()) {
        tracing::warn!(file = file.path, members = ?file.unknown, "unknown members are ignored");
    }
}
