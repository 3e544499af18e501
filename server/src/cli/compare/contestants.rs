//! The compared strategies: which, with what settings, and the notes about them.

use std::sync::Arc;

use mcp_disclosure_compare::{BASELINE, Recommendation, Row};
use mcp_disclosure_core::{
    Era, Error, Memory, Notes, Permits, Principal, Registry, Role, Selected, Settings, Stack, View, adaptive,
    printable::few,
};
use mcp_disclosure_gateway::{
    Gateway, Offer, Problem,
    negotiation::{Strategies, StrategyOptions, StrategyPlaces, problem},
};

use super::{command::Command, spec::Spec};
use crate::{
    cli::{source::Source, strategies},
    failure::Failure,
    flags::{SettingArguments, set},
    strategies::{NARROWING, RELAXED, misfits},
};

/// The compared strategies.
pub(in crate::cli) struct Contestants<'a> {
    registry: &'a Registry,
    contestants: Vec<Contestant>,
    flag: &'static str,
    /// The names of the rows that the user requested.
    pub(super) asked: Vec<String>,
    asks_for_all: bool,
    /// As the source's files say clients are served.
    served: StrategyOptions,
    /// For readers of the report.
    pub(super) notes: Vec<String>,
    /// What serves clients that request nothing, where the size of the list decides, and the command for that.
    pub(super) by_default: Option<Recommendation>,
}

/// One compared strategy.
struct Contestant {
    row: Row,
    /// The settings of the row, relaxed where a strategy would refuse a catalogue that it can serve.
    settings: Settings,
    /// The strategy with the user's own settings.
    as_set: Arc<Stack>,
}

impl<'a> Contestants<'a> {
    /// Builds the strategies of these rows: `all`, or a list of [`Spec`]s, and the flag that says so. Of the settings, flags
    /// take precedence.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with every row that means nothing, every unknown name and every invalid setting.
    pub(super) fn build(
        registry: &'a Registry,
        (flag, text): (&'static str, &str),
        source: &Source,
        command: &Command,
    ) -> Result<Self, Failure> {
        let asks_for_all = text.trim() == "all";
        let placed = |problem: Problem| {
            let at = Problem::new(format!("{flag}: {}", problem.message()));
            strategies::hinted(problem.remedy().into_iter().fold(at, Problem::hint))
        };
        let served = source.options();
        let as_set = served.settings.clone();
        let specs = match asks_for_all {
            true => every(registry, &as_set),
            false => Spec::list(registry, text),
        };
        let mut relaxed = source.settings();
        set(&mut relaxed, RELAXED.0, RELAXED.1, RELAXED.2.into());
        let relaxed = source.serve.strategies.settings.over(relaxed);
        let asked: Vec<String> = specs.iter().flatten().map(|spec| spec.text.clone()).collect();
        let (mut contestants, mut problems) = (Vec::<Contestant>::new(), Vec::new());
        for spec in [Spec::parse(registry, BASELINE)].into_iter().chain(specs) {
            match spec.and_then(|spec| Contestant::build(registry, spec, &as_set, &relaxed, command)) {
                Ok(one) if contestants.iter().any(|known| known.row.name == one.row.name) => {}
                Ok(one) => contestants.push(one),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(Failure::Configuration(problems.into_iter().map(placed).collect()));
        }
        let (notes, by_default) = (Vec::new(), None);
        Ok(Self { registry, contestants, flag, asked, asks_for_all, served, notes, by_default })
    }

    /// Marks each strategy that refuses this source under the user's own settings, and checks choices of concerns. What clients
    /// get without a flag is that of the caller that is compared for, if there is one.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with every choice that the source does not declare.
    pub(super) fn examine(
        &mut self,
        gateway: &Gateway,
        caller: Option<&Principal>,
        command: &Command,
    ) -> Result<(), Failure> {
        let snapshot = gateway.backends().shared().catalogue().current().snapshot().clone();
        let everything = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        let seen = caller.map_or_else(|| everything.clone(), |caller| View::of(snapshot, caller));
        let declared = &everything.about().concerns;
        let by_default = strategies::build(self.registry, &self.served).map_err(Failure::Configuration)?;
        let permits = caller.map_or_else(Permits::all, |caller| caller.permits().clone());
        let choice = by_default.choose(None, &permits, &Offer::default(), Era::Session);
        self.by_default = choice.strategy.selects(&seen).map(|Selected { name, reason }| Recommendation {
            strategy: name,
            reason,
            command: command.serving(None, &SettingArguments::default()),
        });
        let served = &self.served;
        let fallback = match &*served.fallback {
            adaptive::NAME => vec![BASELINE, &*served.over_budget],
            fallback => vec![fallback],
        };
        let mut problems = Vec::new();
        for contestant in &mut self.contestants {
            let objections = contestant.as_set.objections(&everything);
            let row = &mut contestant.row;
            let messages = few(objections.iter().map(|objection| &objection.message), 1);
            let objected = objections.first().map(|first| format!("{messages}; {}.", first.hint));
            let name = &*row.profile.name;
            let is_offered = served.offered.is_empty()
                || served.offered.iter().any(|offered| offered == name)
                || fallback.contains(&name);
            let left_out = match (is_offered, by_default.is_permitted(&permits, name)) {
                (false, _) => Some("[serve] offer leaves it out"),
                (_, false) => Some("strategies of the principal leave it out"),
                _ => None,
            };
            row.not_offered = objected.or(left_out.map(str::to_owned));
            let choices: Notes = row.choices.clone().into_iter().collect();
            for misfit in misfits(declared, &choices, true) {
                let text = format!("{}: '{}': {}", self.flag, row.name, misfit.message);
                problems.push(Problem::new(text).hint(misfit.hint));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(Failure::Configuration(problems)) }
    }

    /// Strategies that serve every client as the row of this name says.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(super) fn pinned(&self, name: &str) -> Result<Strategies, Failure> {
        let contestant = self.contestants.iter().find(|contestant| contestant.row.name == name);
        let (strategy, settings) = contestant
            .map_or((name, Settings::new()), |found| (&*found.row.profile.name, found.settings.clone()));
        let (pinned, fallback) = (Some(strategy.to_owned()), strategy.to_owned());
        let offered = vec![strategy.to_owned()];
        let options = StrategyOptions { pinned, offered, fallback, settings, ..self.served.clone() };
        strategies::build(self.registry, &options).map_err(Failure::Configuration)
    }

    /// A view as complete definitions are listed of it: what the operator chooses leaves out what does not fit.
    ///
    /// # Errors
    /// See [`Strategies::build`].
    pub(super) fn listed(&self, view: View) -> Result<View, Failure> {
        let full = self.pinned(BASELINE)?.choose(None, &Permits::all(), &Offer::default(), Era::Session);
        let choices = strategies::choices(&self.served.settings).into_iter().flatten();
        let choices = choices.map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(full.strategy.narrow(view, &Memory::EMPTY.with(NARROWING, choices)))
    }

    /// Leaves out a row that cannot serve this source.
    ///
    /// # Errors
    /// The reason, if the user requested it by name.
    pub(super) fn leave_out(&mut self, name: &str, why: Failure) -> Result<(), Failure> {
        if !self.asks_for_all {
            return Err(why);
        }
        self.contestants.retain(|known| known.row.name != name);
        self.notes.push(format!("{name}: left out, since it cannot serve this source: {why}"));
        Ok(())
    }

    /// The rows, the baseline first.
    pub(in crate::cli) fn rows(&self) -> Vec<Row> {
        self.contestants.iter().map(|contestant| contestant.row.clone()).collect()
    }

    /// Those that the user requested.
    pub(super) fn requested(&self) -> Vec<Row> {
        self.rows().into_iter().filter(|row| self.asked.contains(&row.name)).collect()
    }
}

impl Contestant {
    fn build(
        registry: &Registry,
        Spec { text, strategy, said }: Spec,
        as_set: &Settings,
        relaxed: &Settings,
        command: &Command,
    ) -> Result<Self, Problem> {
        let settings = said.over(as_set.clone());
        let as_set = registry.builder(&settings).build(&strategy).map_err(|error| {
            let problem = problem(&error, &StrategyPlaces::default());
            match error {
                Error::UnknownStrategy { name, .. } if name == adaptive::NAME => problem
                    .hint("name what it selects: full, or what [serve] over_budget says (search by default)"),
                _ => problem,
            }
        })?;
        let profile = as_set.profile().clone();
        let choices = said.concern.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        let row = Row {
            name: text,
            command: command.serving(Some(&profile.name), &said),
            profile,
            choices: choices.collect(),
            not_offered: None,
        };
        // What a row chooses is chosen by the operator: every client starts with it, also one that knows nothing of concerns.
        Ok(Self { row, settings: said.over(relaxed.clone()), as_set })
    }
}

/// All presenters, and their variants. A filter alone shows what its presenter shows until a host chooses values.
fn every(registry: &Registry, settings: &Settings) -> Vec<Result<Spec, Problem>> {
    let presenters = registry.profiles().filter(|profile| profile.role == Role::Presenter);
    let rows = presenters.flat_map(|profile| {
        let is_set =
            |key: &str, value: &str| settings.get(&*profile.name).is_some_and(|set| set[key] == value);
        let variants = profile.variants.iter().filter(move |variant| !is_set(variant.key, variant.value));
        let variants = variants.map(|variant| format!("{}({})", profile.name, variant.name));
        [profile.name.to_string()].into_iter().chain(variants).collect::<Vec<_>>()
    });
    rows.map(|row| Spec::parse(registry, &row)).collect()
}
