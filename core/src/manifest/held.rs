//! The definitions that a client holds.

use std::collections::HashMap;

use super::digest;
use crate::{digest::Digest, raw::RawObject};

/// Definitions that a client holds, in the order of the list that they are from, with their digests.
#[derive(Clone, Debug, Default)]
pub struct Held(Vec<(String, Digest, RawObject)>);

impl Held {
    /// Computes the digests. What has no name is left out.
    pub fn new(tools: Vec<RawObject>) -> Self {
        let named = tools.into_iter().filter_map(|tool| Some((tool.string("name")?, tool)));
        Self(named.map(|(name, tool)| (name, Digest::of(tool.text()), tool)).collect())
    }

    /// Definitions whose names and digests are known.
    pub(super) fn known(definitions: Vec<(String, Digest, RawObject)>) -> Self {
        Self(definitions)
    }

    /// The digest of the manifest of these definitions.
    pub fn digest(&self) -> Digest {
        digest::of(self.0.iter().map(|(name, digest, _)| (name.as_str(), *digest)))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The definitions.
    pub fn into_tools(self) -> Vec<RawObject> {
        self.0.into_iter().map(|(_, _, tool)| tool).collect()
    }

    pub(super) fn by_name(self) -> HashMap<String, (Digest, RawObject)> {
        self.0.into_iter().map(|(name, digest, tool)| (name, (digest, tool))).collect()
    }
}
