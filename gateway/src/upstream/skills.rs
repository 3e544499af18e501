//! Skills that upstreams listed last (SEP-2640): whose a file is, which need not be listed as a resource.

use std::collections::HashMap;

use mcp_disclosure_core::{RawObject, RawText, UpstreamName};
use parking_lot::RwLock;

/// The files of the skills of all upstreams of a backend, and the folders that they are in.
#[derive(Debug, Default)]
pub struct SkillPlaces(RwLock<HashMap<UpstreamName, Vec<String>>>);

impl SkillPlaces {
    /// What an upstream has listed.
    pub(super) fn list(&self, upstream: &UpstreamName, skills: &[RawText]) {
        let skills = skills.iter().filter_map(|skill| RawObject::of(skill).ok());
        let places = skills.flat_map(|skill| places_of(&skill)).collect();
        self.0.write().insert(upstream.clone(), places);
    }

    /// That an upstream has not answered. What it listed before stays.
    pub(super) fn ask_in_vain(&self, upstream: &UpstreamName) {
        self.0.write().entry(upstream.clone()).or_default();
    }

    /// That an upstream is another process, which has listed none so far.
    pub(super) fn forget(&self, upstream: &UpstreamName) {
        self.0.write().remove(upstream);
    }

    /// Whether an upstream has listed its skills, or was asked in vain.
    pub(super) fn has_listed(&self, upstream: &UpstreamName) -> bool {
        self.0.read().contains_key(upstream)
    }

    /// Whether skills of several upstreams are known.
    pub(crate) fn are_of_several(&self) -> bool {
        self.0.read().values().filter(|places| !places.is_empty()).count() > 1
    }

    /// How much of a URI is that of a skill of an upstream, in bytes: all of it if it is that of a file, else that of the folder that
    /// it is in.
    pub(super) fn share(&self, upstream: &UpstreamName, uri: &str) -> usize {
        self.0.read().get(upstream).map_or(0, |places| longest(places, uri))
    }

    /// Whether a URI of an upstream's may be that of another's skill to who is not told whose it is.
    pub(crate) fn are_also_of_another(&self, upstream: &str, uri: &str) -> bool {
        let known = self.0.read();
        let of = |is_it: bool| {
            let lists = known.iter().filter(move |(name, _)| (***name == *upstream) == is_it);
            lists.map(|(_, places)| longest(places, uri)).max().unwrap_or_default()
        };
        let anothers = of(false);
        anothers > 0 && anothers >= of(true)
    }
}

fn longest(places: &[String], uri: &str) -> usize {
    let of = places.iter().filter(|place| uri.starts_with(place.as_str()));
    of.map(String::len).max().unwrap_or_default()
}

/// The URIs of a skill's files, and of the folder that they are in.
fn places_of(skill: &RawObject) -> Vec<String> {
    let files: Vec<RawText> = skill.value("resources").unwrap_or_default();
    let files = files.iter().filter_map(|file| file.string("uri"));
    let uri = skill.string("uri");
    let folder = uri.as_ref().and_then(|uri| Some(uri.strip_suffix("SKILL.md")?.to_owned()));
    files.chain(folder).chain(uri.clone()).collect()
}
