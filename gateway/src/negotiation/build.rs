//! The strategies that an operator's choices name, and those of them that can serve a snapshot.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use mcp_disclosure_core::{
    Error, Objection, Principal, Registry, Snapshot, Stack, View,
    adaptive::NAME as ADAPTIVE,
    full,
    nearest::{did_you_mean, kinds, meant, nearest},
};

use super::{NamedStrategy, Strategies, StrategyOptions, StrategyPlaces};
use crate::{
    problem::{Problem, Problems},
    strategies::{BUILT_IN, OVER_BUDGET},
};

impl Strategies {
    /// Builds the strategies that the options name.
    ///
    /// # Errors
    /// Every unknown name and every invalid setting.
    pub fn build(registry: &Registry, options: &StrategyOptions) -> Result<Self, Problems> {
        let mut problems = foreign_settings(registry, options);
        let builder = registry.builder(&options.settings);
        let mut build = |name: &str| match builder.build(name) {
            Ok(strategy) => Some((Arc::from(&*strategy.profile().name), strategy)),
            Err(error) => {
                let problem = problem(&error, &options.places);
                // A strategy may be named in several ways.
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
                None
            }
        };
        let names: Vec<String> = if options.offered.is_empty() {
            let everywhere: Vec<&str> = registry.everywhere().collect();
            let names = registry.profiles().map(|profile| profile.name.to_string());
            names.filter(|name| !everywhere.contains(&&**name)).collect()
        } else {
            options.offered.clone()
        };
        let mut offered: Vec<NamedStrategy> = names.iter().filter_map(|name| build(name)).collect();
        let mut seen = HashSet::new();
        offered.retain(|(name, _)| seen.insert(Arc::clone(name)));
        let pinned = options.pinned.as_deref().map(&mut build);
        let is_adaptive = options.fallback == ADAPTIVE;
        // The default may not be among the strategies of a program.
        let is_known = |name: &str| registry.profiles().any(|profile| profile.name == name);
        let may_lack = options.over_budget == OVER_BUDGET && !is_known(OVER_BUDGET);
        let over_budget = build(if may_lack { full::NAME } else { &options.over_budget });
        let fallback = match &over_budget {
            Some(over) if is_adaptive => Some(adaptive(over, options.budget)),
            None if is_adaptive => None,
            _ => build(&options.fallback),
        };
        let (pinned, Some(fallback)) = (pinned.flatten(), fallback.filter(|_| problems.is_empty())) else {
            return Err(Problems(problems));
        };
        let everywhere = registry.everywhere().map(str::to_owned).collect();
        let mut complete = HashMap::new();
        for (name, strategy) in offered.iter().chain(&pinned).chain([&fallback]) {
            if strategy.profile().gives_way {
                let instead = complete_name(name);
                let built = builder
                    .build(&instead)
                    .map_err(|error| Problems(vec![Problem::new(describe(&error))]))?;
                complete.insert(name.to_string(), (instead.into(), built));
            }
        }
        // Extensions are off by default: an operator turns one on by naming its strategy.
        let is_asked_for = |strategy: &Stack| {
            let presenter = strategy.profile().name.rsplit('+').next().unwrap_or_default().to_owned();
            !options.offered.is_empty() || options.settings.contains_key(&presenter)
        };
        let has_extension =
            |(_, strategy): &&NamedStrategy| strategy.profile().extension.is_some() && is_asked_for(strategy);
        let by_extension = offered.iter().filter(has_extension).cloned().collect();
        let StrategyOptions { bridge, definitions, manifest, .. } = *options;
        let over_budget = over_budget.filter(|_| is_adaptive).map(|(name, _)| name);
        let mut strategies = Self {
            offered,
            pinned,
            fallback,
            over_budget,
            bridge,
            definitions,
            manifest,
            by_extension,
            everywhere,
            complete,
        };
        let unoffered = strategies.pinned.clone().filter(|(name, _)| !strategies.is_offered(name));
        strategies.offered.extend(unoffered);
        Ok(strategies)
    }

    /// Keeps the strategies that can serve this snapshot. A strategy with objections is not offered, with a
    /// warning.
    ///
    /// # Errors
    /// Every objection of the pinned strategy, or of the fallback.
    pub fn fitting(mut self, snapshot: &Arc<Snapshot>) -> Result<Self, Problems> {
        let everything = View::of(Arc::clone(snapshot), &Principal::anonymous());
        let problems = self.problems(&everything);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        self.by_extension.retain(|(_, strategy)| strategy.objections(&everything).is_empty());
        self.offered.retain(|(name, strategy)| {
            let objections = strategy.objections(&everything);
            warn_of(name, "not offered", &objections);
            objections.is_empty()
        });
        Ok(self)
    }

    /// Every objection of the pinned strategy and of the fallback. What both object to, such as a filter that they share,
    /// is one problem.
    fn problems(&self, everything: &View) -> Vec<Problem> {
        let mut seen = HashSet::new();
        let mut problems = Vec::new();
        for (name, strategy) in self.pinned.iter().chain([&self.fallback]) {
            let objections = strategy.objections(everything).into_iter();
            let objections = objections.filter(|objection| seen.insert(objection.message.clone()));
            problems.extend(objections.map(|objection| {
                Problem::new(format!("strategy '{name}': {}", objection.message)).hint(objection.hint)
            }));
        }
        problems
    }
}

/// The name of the stack with the same filters before `full`.
fn complete_name(name: &str) -> String {
    match name.rsplit_once('+') {
        Some((filters, _)) => format!("{filters}+{}", full::NAME),
        None => full::NAME.to_owned(),
    }
}

/// Settings for unknown strategies.
fn foreign_settings(registry: &Registry, options: &StrategyOptions) -> Vec<Problem> {
    let known: Vec<&str> = registry.profiles().map(|profile| &*profile.name).collect();
    let foreign = options.settings.keys().filter(|name| !known.contains(&name.as_str()));
    let problems = foreign.map(|name| {
        let hint = did_you_mean(name, known.iter().copied(), || format!("known are {}", known.join(", ")));
        let problem = Problem::new(format!("settings for unknown strategy '{name}'")).hint(hint);
        problem.at(options.places.setting(name, None).cloned())
    });
    problems.collect()
}

/// `adaptive` with this strategy for lists over the budget.
fn adaptive(over: &NamedStrategy, budget: u64) -> NamedStrategy {
    let adaptive = Stack::clone(&over.1).over_budget(budget);
    (Arc::from(&*adaptive.profile().name), Arc::new(adaptive))
}

/// Why a strategy cannot be built, with what was probably meant, and where it is written.
pub fn problem(error: &Error, places: &StrategyPlaces) -> Problem {
    let problem = Problem::new(match error {
        Error::Build { name, key: Some(key), source } => {
            format!("strategy.{name}.{key}: {}", kinds(&source.to_string()))
        }
        _ => describe(error),
    });
    let mean = |near: &str| format!("did you mean '{near}'?");
    let (place, hint) = match error {
        Error::UnknownStrategy { name, .. } if BUILT_IN.contains(&&**name) => {
            (places.of(name), Some(format!("this program was built without the feature '{name}'")))
        }
        Error::UnknownStrategy { name, .. } if name == ADAPTIVE => {
            let hint = "it is for clients that request no strategy: --fallback adaptive";
            (places.of(name), Some(hint.to_owned()))
        }
        Error::UnknownStrategy { name, known } => {
            let near = nearest(name, known.split(", ").chain([ADAPTIVE]), 1);
            (places.of(name), near.first().map(|near| mean(near)))
        }
        Error::Build { name, key, source } => {
            let settings =
                || format!("its settings are those of [strategy.{name}] and of --set {name}.KEY=VALUE");
            let hint = meant(&source.to_string()).map_or_else(settings, mean);
            (places.setting(name, key.as_deref()), Some(hint))
        }
        Error::InvalidStack { stack } => (places.of(stack), None),
        _ => (None, None),
    };
    let problem = problem.at(place.cloned());
    hint.into_iter().fold(problem, Problem::hint)
}

/// Logs the first objection and the number of all.
pub fn warn_of(strategy: &str, consequence: &str, objections: &[Objection]) {
    if let Some(Objection { message, hint }) = objections.first() {
        tracing::warn!(strategy, objections = objections.len(), "{consequence}: {message} (hint: {hint})");
    }
}

/// The error and its sources, on one line.
pub fn describe(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
