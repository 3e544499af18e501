//! The compared strategies: which, with what settings, and the notes about them.

use std::sync::Arc;

use mcp_disclosure_compare::{BASELINE, Row};
use mcp_disclosure_core::{
    Concern, DisclosureStrategy, Objection, Principal, Registry, Role, Settings, View, nearest::nearest,
};
use mcp_disclosure_gateway::{
    Gateway, Problem,
    negotiation::{Strategies, StrategyOptions, StrategyPlaces, problem},
};
use serde_json::{Value, json};

use super::{
    command::Command,
    spec::{Said, Spec},
};
use crate::{
    cli::{SettingArguments, strategies},
    failure::Failure,
};

/// The compared strategies.
pub(in crate::cli) struct Contestants<'a> {
    registry: &'a Registry,
    contestants: Vec<Contestant>,
    asked: Vec<String>,
    asks_for_all: bool,
    notes: Vec<String>,
}

/// One compared strategy.
struct Contestant {
    row: Row,
    /// The settings of the row, relaxed where a strategy would refuse a catalogue that it can serve.
    settings: Settings,
    /// The strategy with the user's own settings.
    as_set: Arc<dyn DisclosureStrategy>,
}

impl<'a> Contestants<'a> {
    /// Builds the strategies of these rows (`all`, or a list of [`Spec`]s). Of the settings, flags take precedence.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with every row that means nothing, every unknown name and every invalid setting.
    pub(in crate::cli) fn build(
        registry: &'a Registry,
        rows: &str,
        (flags, settings): (SettingArguments, Settings),
        command: &Command,
    ) -> Result<Self, Failure> {
        let asks_for_all = rows.trim() == "all";
        let as_set = flags.clone().over(settings.clone());
        let specs = if asks_for_all { every(registry, &as_set) } else { listed(rows)? };
        let relaxed = flags.long_briefs.clone().unwrap_or_else(|| "shorten".to_owned());
        let relaxed = SettingArguments { long_briefs: Some(relaxed), ..flags.clone() }.over(settings);
        let (mut contestants, mut problems) = (Vec::<Contestant>::new(), Vec::new());
        let mut asked = Vec::new();
        let first = [(Spec::of(BASELINE), false)].into_iter();
        for (spec, is_asked) in first.chain(specs.into_iter().map(|spec| (spec, true))) {
            match Contestant::build(registry, &spec, &as_set, &relaxed, command) {
                Ok(built) => {
                    if is_asked {
                        asked.push(built.row.name.clone());
                    }
                    if !contestants.iter().any(|known| known.row.name == built.row.name) {
                        contestants.push(built);
                    }
                }
                Err(problem) => problems.push(strategies::hinted(problem)),
            }
        }
        match problems.is_empty() {
            true => Ok(Self { registry, contestants, asked, asks_for_all, notes: Vec::new() }),
            false => Err(Failure::Configuration(problems)),
        }
    }

    /// Marks each strategy that refuses this source under the user's own settings, and checks choices of concerns.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with every choice that the source does not declare.
    pub(in crate::cli) fn examine(&mut self, gateway: &Gateway) -> Result<(), Failure> {
        let snapshot = gateway.backends().shared().catalogue().current().snapshot().clone();
        let everything = View::of(snapshot, &Principal::anonymous());
        let mut problems = Vec::new();
        for contestant in &mut self.contestants {
            let objections = contestant.as_set.objections(&everything);
            contestant.row.not_offered = objections.first().map(|first| message(first, objections.len() - 1));
            let name = contestant.row.name.clone();
            for (concern, value) in &mut contestant.row.choices {
                if let Err(problem) = declared(&everything.about().concerns, concern, value) {
                    let text = format!("--strategies: '{name}': {}", problem.message());
                    problems.push(Problem::new(text).hint(problem.remedy().unwrap_or_default().to_owned()));
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Failure::Configuration(problems)) }
    }

    /// Strategies that serve every client as the row of this name says.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(in crate::cli) fn pinned(&self, name: &str) -> Result<Strategies, Failure> {
        let contestant = self.contestants.iter().find(|contestant| contestant.row.name == name);
        let (strategy, settings) = contestant
            .map_or((name, Settings::new()), |found| (&*found.row.strategy, found.settings.clone()));
        self.strategies(Some(strategy.to_owned()), vec![strategy.to_owned()], strategy, settings)
    }

    /// Strategies that serve each client with the one it requests.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(in crate::cli) fn negotiated(&self) -> Result<Strategies, Failure> {
        let offered = self.contestants.iter().map(|contestant| contestant.row.strategy.clone()).collect();
        let settings = self.contestants.first().map(|first| first.settings.clone()).unwrap_or_default();
        self.strategies(None, offered, BASELINE, settings)
    }

    fn strategies(
        &self,
        pinned: Option<String>,
        offered: Vec<String>,
        fallback: &str,
        settings: Settings,
    ) -> Result<Strategies, Failure> {
        let fallback = fallback.to_owned();
        let options = StrategyOptions { pinned, offered, fallback, settings, ..StrategyOptions::default() };
        strategies::build(self.registry, &options).map_err(Failure::Configuration)
    }

    /// Leaves out a row that cannot serve this source.
    ///
    /// # Errors
    /// The reason, if the user requested it by name.
    pub(in crate::cli) fn leave_out(&mut self, name: &str, why: Failure) -> Result<(), Failure> {
        if !self.asks_for_all {
            return Err(why);
        }
        self.contestants.retain(|known| known.row.name != name);
        self.notes.push(format!("{name}: left out, since it cannot serve this source: {why}"));
        Ok(())
    }

    /// The names of the rows, the baseline first.
    pub(in crate::cli) fn names(&self) -> Vec<String> {
        self.contestants.iter().map(|contestant| contestant.row.name.clone()).collect()
    }

    /// The rows, the baseline first.
    pub(in crate::cli) fn rows(&self) -> Vec<Row> {
        self.contestants.iter().map(|contestant| contestant.row.clone()).collect()
    }

    /// The names of the rows that the user requested.
    pub(in crate::cli) fn asked(&self) -> Vec<String> {
        self.asked.clone()
    }

    /// Notes for readers of the report.
    pub(in crate::cli) fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

impl Contestant {
    fn build(
        registry: &Registry,
        spec: &Spec,
        as_set: &Settings,
        relaxed: &Settings,
        command: &Command,
    ) -> Result<Self, Problem> {
        let said = spec.said(registry)?;
        let settings = with(as_set, &said);
        let build = |settings: &Settings| {
            registry
                .builder(settings)
                .build(&spec.strategy())
                .map_err(|error| problem(&error, &StrategyPlaces::default()))
        };
        let as_set = build(&settings)?;
        let profile = as_set.profile();
        let row = Row {
            strategy: profile.name.to_string(),
            choices: said.choices.iter().cloned().collect(),
            lesson: profile.lesson,
            finder: profile.finder,
            is_stack: spec.is_stack(registry),
            not_offered: None,
            command: command.serving(&profile.name, &said),
            name: spec.to_string(),
        };
        let row = match row.is_stack || !said.settings.is_empty() {
            true => row,
            // As the registry names it.
            false => Row { name: row.strategy.clone(), ..row },
        };
        Ok(Self { row, settings: with(relaxed, &said), as_set })
    }
}

/// The settings with those of a row.
fn with(settings: &Settings, said: &Said) -> Settings {
    let mut settings = settings.clone();
    for (strategy, key, value) in &said.settings {
        let of_strategy = settings.entry(strategy.clone()).or_insert_with(|| json!({}));
        if let Some(of_strategy) = of_strategy.as_object_mut() {
            of_strategy.insert(key.clone(), value.clone());
        }
    }
    settings
}

/// All presenters, and their variants. A filter alone shows what its presenter shows until a host chooses values.
fn every(registry: &Registry, settings: &Settings) -> Vec<Spec> {
    let presenters = registry.profiles().filter(|profile| profile.role == Role::Presenter);
    let specs = presenters.flat_map(|profile| {
        let is_set =
            |key: &str, value: &str| settings.get(&*profile.name).is_some_and(|set| set[key] == value);
        let variants = profile.variants.iter().filter(move |variant| !is_set(variant.key, variant.value));
        let variants = variants.map(|variant| Spec::variant(&profile.name, variant.name));
        [Spec::of(&profile.name)].into_iter().chain(variants).collect::<Vec<_>>()
    });
    specs.collect()
}

fn listed(rows: &str) -> Result<Vec<Spec>, Failure> {
    Spec::list(rows).map_err(Failure::Configuration)
}

/// Checks a choice against what the source declares; a number that is declared as a string becomes one.
fn declared(concerns: &[Concern], name: &str, value: &mut Value) -> Result<(), Problem> {
    let Some(concern) = concerns.iter().find(|concern| concern.name() == name) else {
        let names: Vec<&str> = concerns.iter().map(Concern::name).collect();
        let hint = match (nearest(name, names.iter().copied(), 1).first(), names.is_empty()) {
            (_, true) => "concerns are declared in disclosure.toml, or by upstreams".to_owned(),
            (Some(near), _) => format!("did you mean '{near}'?"),
            (None, _) => format!("declared are {}", names.join(", ")),
        };
        return Err(Problem::new(format!("the source declares no concern '{name}'")).hint(hint));
    };
    let as_text = Value::from(value.to_string());
    if !concern.values().have(value) && concern.values().have(&as_text) {
        *value = as_text;
    }
    match concern.values().have(value) {
        true => Ok(()),
        false => Err(Problem::new(format!("{value} is no value of concern '{name}'"))
            .hint(format!("its values are {}", concern.values()))),
    }
}

fn message(first: &Objection, more: usize) -> String {
    let more = match more {
        0 => String::new(),
        more => format!(" ({more} more)"),
    };
    format!("{}{more}; {}.", first.message, first.hint)
}
