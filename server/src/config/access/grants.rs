//! Grants: what a principal or a profile permits, as it is written.

use mcp_disclosure_core::{Grant, Permits, Quotas};
use mcp_disclosure_gateway::{Place, Problem};

use super::{Found, PrincipalEntry, ProfileEntry, QuotaEntry};
use crate::config::DisclosureFile;

/// A grant as it is written: of a principal, or of a profile.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// What messages call it.
    pub what: String,
    /// Where it is.
    pub place: &'a Place,
    /// What it permits.
    pub grant: Grant,
}

impl DisclosureFile {
    /// Everything that is granted: to principals, and by profiles.
    pub fn grants(&self) -> impl Iterator<Item = Written<'_>> {
        let principals = self.principals.iter().map(|(place, entry)| entry.grant(place));
        principals.chain(self.profiles.0.iter().map(|(name, place, entry)| entry.grant(name, place)))
    }
}

impl PrincipalEntry {
    pub(super) fn grant<'a>(&'a self, place: &'a Place) -> Written<'a> {
        let Self { name, tools, resources, prompts, strategies, limits, .. } = self;
        let grant = Grant { strategies: strategies.clone(), ..granted([tools, resources, prompts], limits) };
        Written { what: format!("principal '{name}'"), place, grant }
    }
}

impl ProfileEntry {
    pub(super) fn grant<'a>(&'a self, name: &str, place: &'a Place) -> Written<'a> {
        let Self { tools, resources, prompts, strategies, limits } = self;
        // Its limits are counted for it, beside the caller.
        let (account, strategies) = (format!("@{name}"), strategies.clone());
        let grant = Grant { account, strategies, ..granted([tools, resources, prompts], limits) };
        Written { what: format!("profiles.{name}"), place, grant }
    }
}

/// An entry that says nothing of tools, resources and prompts permits all of them; in one that names some, what is not named
/// does not exist.
fn granted(lists: [&Option<Vec<String>>; 3], limits: &QuotaEntry) -> Grant {
    let says_nothing = lists.iter().all(|list| list.is_none());
    let [tools, resources, prompts] =
        lists.map(|list| (!says_nothing).then(|| list.clone().unwrap_or_default()));
    let QuotaEntry { fetches_per_minute, calls_per_minute, requests_per_minute, concurrent_calls } = *limits;
    let quotas = Quotas { fetches_per_minute, calls_per_minute, requests_per_minute, concurrent_calls };
    Grant { tools, resources, prompts, quotas, ..Grant::default() }
}

impl Written<'_> {
    /// What it permits.
    pub fn permits(&self) -> Permits {
        let is_empty = Grant { account: String::new(), ..self.grant.clone() } == Grant::default();
        if is_empty { Permits::all() } else { Permits::of([self.grant.clone()]) }
    }

    /// Reports what is wrong with it.
    pub(super) fn check(&self, problems: &mut Vec<Problem>) {
        let Self { what, place, .. } = self;
        let mut found = Found { place, problems };
        for pattern in self.grant.unusable() {
            let old = pattern.split_once("__").filter(|(upstream, _)| !upstream.contains([':', '*', '?']));
            let hint = match old {
                Some((upstream, name)) => {
                    format!(
                        "write \"{upstream}/{name}\" for that of '{upstream}', or \"*/{pattern}\" for every upstream's"
                    )
                }
                None => format!("write \"*/{pattern}\" for every upstream's, or its upstream's name"),
            };
            found.add(format!("{what}: '{pattern}' names no upstream"), &hint);
        }
        if self.grant.strategies.as_ref().is_some_and(Vec::is_empty) {
            let message = format!("{what}: strategies is empty, so nothing could serve it");
            found.add(message, "leave it out for all");
        }
    }
}
