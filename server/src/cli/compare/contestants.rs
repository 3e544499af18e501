//! The compared strategies: which, with what settings, and the notes about them.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_compare::BASELINE;
use mcp_disclosure_core::{DisclosureStrategy, Lesson, Objection, Principal, Registry, Role, Settings, View};
use mcp_disclosure_gateway::{
    Gateway, Problem,
    negotiation::{Strategies, StrategyOptions, describe},
};

use crate::{
    cli::{SettingArguments, strategies},
    failure::Failure,
};

/// The compared strategies.
pub(super) struct Contestants<'a> {
    registry: &'a Registry,
    /// The user's settings, relaxed where a strategy would refuse a catalogue that it can serve.
    settings: Settings,
    /// The strategies with the user's own settings.
    as_set: Vec<(String, Arc<dyn DisclosureStrategy>)>,
    names: Vec<String>,
    asked: Vec<String>,
    asks_for_all: bool,
    notes: Vec<String>,
}

impl<'a> Contestants<'a> {
    /// Builds the strategies with these names. Of the settings, flags take precedence.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with every unknown name and every invalid setting.
    pub(super) fn build(
        registry: &'a Registry,
        names: &[String],
        (flags, settings): (SettingArguments, Settings),
    ) -> Result<Self, Failure> {
        let asks_for_all = matches!(names, [all] if all == "all");
        let asked: Vec<String> = match names {
            _ if asks_for_all => presenters(registry),
            names => names.iter().map(|name| name.trim().to_owned()).collect(),
        };
        let as_set = flags.clone().over(settings.clone());
        let shortening = flags.long_briefs.clone().unwrap_or_else(|| "shorten".to_owned());
        let settings = SettingArguments { long_briefs: Some(shortening), ..flags }.over(settings);
        let (mut built, mut problems) = (Vec::new(), Vec::new());
        let builder = registry.builder(&as_set);
        for name in asked.iter().map(String::as_str).chain([BASELINE]) {
            match builder.build(name) {
                Ok(strategy) => built.push((strategy.profile().name.to_string(), strategy)),
                Err(error) => {
                    problems.push(strategies::hinted(Problem::new(describe(&error))));
                }
            }
        }
        if !problems.is_empty() {
            return Err(Failure::Configuration(problems));
        }
        let asked: Vec<String> = built.iter().map(|(name, _)| name.clone()).take(asked.len()).collect();
        let mut names: Vec<String> = Vec::new();
        for name in [BASELINE.to_owned()].iter().chain(&asked) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Ok(Self { registry, settings, as_set: built, names, asked, asks_for_all, notes: Vec::new() })
    }

    /// Adds a note for each strategy that refuses this source under the user's own settings.
    pub(super) fn examine(&mut self, gateway: &Gateway) {
        let snapshot = gateway.backends().shared().catalogue().current().snapshot().clone();
        let everything = View::of(snapshot, &Principal::anonymous());
        for (name, strategy) in &self.as_set {
            if let [first, rest @ ..] = strategy.objections(&everything).as_slice() {
                self.notes.push(format!(
                    "{name}: compared with --long-briefs shorten; as it is set, it refuses to serve this source: {}",
                    message(first, rest.len())
                ));
            }
        }
    }

    /// How models learn tools, by the name of each strategy that declares it.
    pub(super) fn lessons(&self) -> HashMap<String, Lesson> {
        let lesson = |(name, strategy): &(String, Arc<dyn DisclosureStrategy>)| {
            Some((name.clone(), strategy.profile().lesson?))
        };
        self.as_set.iter().filter_map(lesson).collect()
    }

    /// Strategies that serve every client with this one.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(super) fn pinned(&self, name: &str) -> Result<Strategies, Failure> {
        self.strategies(Some(name.to_owned()), vec![name.to_owned()], name)
    }

    /// Strategies that serve each client with the one it requests.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(super) fn negotiated(&self) -> Result<Strategies, Failure> {
        self.strategies(None, self.names.clone(), BASELINE)
    }

    fn strategies(
        &self,
        pinned: Option<String>,
        offered: Vec<String>,
        fallback: &str,
    ) -> Result<Strategies, Failure> {
        let (settings, fallback) = (self.settings.clone(), fallback.to_owned());
        let options = StrategyOptions { pinned, offered, fallback, settings, ..StrategyOptions::default() };
        strategies::build(self.registry, &options).map_err(Failure::Configuration)
    }

    /// Leaves out a strategy that cannot serve this source.
    ///
    /// # Errors
    /// The reason, if the user requested the strategy by name.
    pub(super) fn leave_out(&mut self, name: &str, why: Failure) -> Result<(), Failure> {
        if !self.asks_for_all {
            return Err(why);
        }
        self.names.retain(|known| known != name);
        self.notes.push(format!("{name}: left out, since it cannot serve this source: {why}"));
        Ok(())
    }

    /// The names, the baseline first.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The names that the user requested.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.clone()
    }

    /// Notes for readers of the report.
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// All presenters. A filter alone shows what its presenter shows until a host chooses values.
fn presenters(registry: &Registry) -> Vec<String> {
    let presenters = registry.profiles().filter(|profile| profile.role == Role::Presenter);
    presenters.map(|profile| profile.name.to_string()).collect()
}

fn message(first: &Objection, more: usize) -> String {
    match more {
        0 => format!("{}.", first.message),
        more => format!("{}, and {more} more.", first.message),
    }
}
