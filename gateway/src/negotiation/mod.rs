//! Selection of the strategy that serves a client.

mod build;
mod choose;
mod options;

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_core::{Definitions, Permits, Stack, full};

pub use self::{
    build::{describe, problem, warn_of},
    choose::{Choice, Reason},
    options::{Bridge, StrategyOptions, StrategyPlaces},
};
use crate::dialect::Offer;

/// The log target of explanations of how clients are served, also enabled by the filter `mcp_disclosure_gateway::explain=debug`.
pub const EXPLANATIONS: &str = "mcp_disclosure_gateway::explain";

/// The available strategies and their selection.
#[derive(Debug)]
pub struct Strategies {
    offered: Vec<NamedStrategy>,
    pinned: Option<NamedStrategy>,
    fallback: NamedStrategy,
    /// Where the fallback selects by the size of a list: the strategy for lists over the budget.
    over_budget: Option<Arc<str>>,
    bridge: Bridge,
    definitions: Definitions,
    manifest: bool,
    /// Strategies that clients get by their extension.
    by_extension: Vec<NamedStrategy>,
    /// Filters that apply to every strategy. Clients may still name them.
    everywhere: Vec<String>,
    /// What serves clients that disclose by themselves, by the name of the strategy that gives way.
    complete: HashMap<String, NamedStrategy>,
}

/// A strategy and the name that it is offered by.
pub(crate) type NamedStrategy = (Arc<str>, Arc<Stack>);

impl Strategies {
    /// The names offered to clients.
    pub fn offered(&self) -> Vec<String> {
        self.offered.iter().map(|(name, _)| name.to_string()).collect()
    }

    /// Every strategy that may serve a client.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Stack>> {
        let named = self.offered.iter().chain(&self.pinned).chain([&self.fallback]);
        let instead = self.complete.values().filter(|(name, _)| !self.is_offered(name));
        named.chain(instead).map(|(_, strategy)| strategy)
    }

    /// Whether a strategy serves clients that did not choose it: the operator's, or that for everyone else.
    pub fn is_required(&self, name: &str) -> bool {
        self.pinned.iter().chain([&self.fallback]).any(|(required, _)| **required == *name)
    }

    /// Whether filters' tools are listed to a client only until it uses their own methods.
    pub(crate) fn withdraws_bridges(&self) -> bool {
        self.bridge == Bridge::Auto
    }

    /// The names offered to clients with these permissions.
    pub fn offered_to(&self, permits: &Permits) -> Vec<String> {
        let offered = self.offered.iter().filter(|(name, _)| self.is_permitted(permits, name));
        offered.map(|(name, _)| name.to_string()).collect()
    }

    /// Whether a strategy is offered.
    fn is_offered(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a URL path may name this strategy, for clients with these permissions.
    pub fn is_offered_to(&self, permits: &Permits, name: &str) -> bool {
        self.is_offered(name) && self.is_permitted(permits, name)
    }

    /// Whether a strategy may serve clients with these permissions, with or without the filters that apply to every
    /// strategy. One that selects may if both that it selects from may.
    pub fn is_permitted(&self, permits: &Permits, name: &str) -> bool {
        let Some(allowed) = permits.strategies() else { return true };
        let is_allowed = |name: &str| allowed.iter().any(|other| self.plain(other) == self.plain(name));
        match &self.over_budget {
            Some(over) if *name == *self.fallback.0 => is_allowed(full::NAME) && is_allowed(over),
            _ => is_allowed(name),
        }
    }

    /// The first strategy that is permitted, where the operator restricts them.
    fn first_permitted(&self, permits: &Permits) -> Option<NamedStrategy> {
        permits.strategies()?.into_iter().find_map(|name| self.find(name))
    }

    /// The extensions that a client with these permissions may use, or could if it declared them, by id, with the server's
    /// settings.
    pub fn extensions(&self, choice: &Choice, permits: &Permits) -> Vec<(&'static str, &'static str)> {
        let own = choice.strategy.profile().extension.filter(|_| choice.may_be_declared);
        let is_free = matches!(choice.reason, Reason::NoOffer | Reason::NothingInCommon | Reason::Permitted);
        let permitted = self.by_extension.iter().filter(|(name, _)| self.is_permitted(permits, name));
        let others = permitted.filter_map(|(_, strategy)| strategy.profile().extension);
        let others = others.filter(|other| is_free && own.is_none_or(|own| own.id != other.id));
        own.into_iter().chain(others).map(|extension| (extension.id, extension.settings)).collect()
    }

    /// The offered strategy of this name, with or without the filters that apply to every strategy.
    fn find(&self, name: &str) -> Option<NamedStrategy> {
        let exact = self.offered.iter().find(|(offered, _)| **offered == *name);
        let same = || self.offered.iter().find(|(offered, _)| self.plain(offered) == self.plain(name));
        exact.cloned().or_else(|| {
            let (_, strategy) = same()?;
            let is_plain = self.plain(name) == name;
            let strategy =
                if is_plain { Arc::clone(strategy) } else { Arc::new((**strategy).clone().named()) };
            Some((name.into(), strategy))
        })
    }

    /// Whether the client declared native support for this strategy.
    fn names(&self, offer: &Offer, strategy: &str) -> bool {
        offer.strategies.iter().any(|name| self.plain(name) == self.plain(strategy))
    }

    /// A strategy's name without the filters that apply to every strategy.
    fn plain<'a>(&self, name: &'a str) -> &'a str {
        self.everywhere.iter().fold(name, |name, filter| match name.strip_prefix(&**filter) {
            Some("") => full::NAME,
            Some(rest) => rest.strip_prefix('+').unwrap_or(name),
            None => name,
        })
    }
}
