//! From flags and files to upstreams and what is laid over them.
//!
//! What a command is given passes through these values, each made of the one before: [`Given`] flags; what `serve` is
//! [`Told`] by them and the configuration that they name; the [`Source`] that this and all other files come down to; and the
//! gateway's `Assembly`.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use mcp_disclosure_core::{Principal, ReceiptKey, Registry, Settings};
use mcp_disclosure_gateway::{
    Assembly, Open, Place, Problem,
    catalogue::Declared,
    limits::{LimitSettings, Limits},
    lineage::Lineage,
    negotiation::{Strategies, StrategyOptions},
    upstream::{Target, Timeouts},
};

use super::{build, choice_problems, parse_name};
use crate::{
    config::{AccessFlags, Named, Servers, principal},
    failure::Failure,
    files::{Baseline, Contents, Files, Origin},
    flags::{Given, ServeArguments, SourceArguments, Transport, key, keys, table},
    receipts::receipt_key,
};

/// What `serve` is told by flags, and by the configuration that they name, which has been read.
pub(crate) struct Told {
    /// All flags of `serve`, with what the file says.
    pub(crate) serve: ServeArguments,
    pub(super) places: FlagPlaces,
    files: Files,
    /// Whether no client is on stdin, so that a file may be.
    is_stdin_free: bool,
}

/// Where a file has the flags that are in force from it, by their keys.
#[derive(Clone, Default)]
pub(crate) struct FlagPlaces(BTreeMap<String, Place>);

/// A source of tools: the upstreams that flags and files name, and what is declared of them.
#[derive(Clone)]
pub(crate) struct Source {
    /// What `serve` is told.
    pub(super) serve: ServeArguments,
    origin: Origin,
    /// What its files said.
    pub(super) files: Files,
    /// What files and flags come down to, or every problem in them.
    pub(super) contents: Result<Contents, Vec<Problem>>,
    pub(super) limits: Limits,
    pub(super) places: FlagPlaces,
    /// The gateways above this one.
    lineage: Lineage,
    /// Whoever comes in is taken for this caller, if there is one.
    pub(super) caller: Option<Principal>,
}

impl<A> Given<A> {
    /// Reads the configuration that is named. What is wrong with it is found by [`Source::contents`].
    ///
    /// # Errors
    /// [`Failure::Usage`] for flags that are refused together with the file's.
    pub(crate) fn told(&self) -> Result<Told, Failure> {
        // A file cannot say that stdin is free which is on stdin itself.
        let is_stdin_free = self.first("transport").is_some_and(|transport| transport != "stdio");
        self.told_beside(is_stdin_free)
    }

    fn told_beside(&self, is_stdin_free: bool) -> Result<Told, Failure> {
        let files = Files::of_config(self.first("config").map(Path::new), is_stdin_free);
        let file = files.declarations();
        let serve =
            self.over(&file.serve).map_err(|error| Failure::usage(Problem::new(error.to_string())))?;
        let table = table();
        let in_force = keys(&table).filter(|flag| !self.is_given(flag)).map(key);
        let said = in_force.filter(|key| file.serve.contains_key(key));
        let placed = |key: String| Some((key.clone(), file.places.of(&["serve", &key]).cloned()?));
        let places = FlagPlaces(said.filter_map(placed).collect());
        let told = Told { serve, places, files, is_stdin_free };
        match told.serve.problems() {
            problems if problems.is_empty() => Ok(told),
            problems => Err(told.places.placed(Failure::Usage(problems))),
        }
    }

    /// A source for no clients but those of the command itself. What is wrong with files is found by
    /// [`Source::contents`].
    ///
    /// # Errors
    /// As [`Told::source`].
    pub(crate) fn resolve(&self, own: Option<&(Target, Declared)>) -> Result<Source, Failure> {
        self.told_beside(true)?.source(own, false)
    }

    /// A source for the clients that `serve` would let in.
    ///
    /// # Errors
    /// As [`Told::source`].
    pub(crate) fn as_served(&self, own: Option<&(Target, Declared)>) -> Result<Source, Failure> {
        self.told_beside(true)?.source(own, true)
    }
}

impl FlagPlaces {
    /// Says of problems with flags that the file has where that is, and puts all in the order of their places.
    pub(crate) fn placed(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Usage(problems) => Failure::Usage(self.in_order(problems)),
            Failure::Configuration(problems) => Failure::Configuration(self.in_order(problems)),
            failure => failure,
        }
    }

    fn in_order(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let mut problems: Vec<Problem> =
            problems.into_iter().map(|problem| self.at_its_key(problem)).collect();
        problems.sort_by(|one, other| one.place().cmp(&other.place()));
        problems
    }

    fn at_its_key(&self, problem: Problem) -> Problem {
        let Some(said) = problem.message().strip_prefix("--").filter(|_| problem.place().is_none()) else {
            return problem;
        };
        let (flag, rest) = said
            .split_at(said.find(|end: char| !end.is_ascii_lowercase() && end != '-').unwrap_or(said.len()));
        let key = flag.replace('-', "_");
        let Some(place) = self.0.get(&key) else { return problem };
        let placed = Problem::new(format!("serve.{key}{rest}")).at(place.clone());
        problem.remedy().into_iter().fold(placed, Problem::hint)
    }
}

impl Told {
    /// Reads the other files; `own` is served where nothing is named, or where a file says so. With `for_clients`, flags say
    /// who is let in, and upstreams of files join when they are ready; otherwise a command's own client waits for all of them.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a combination that means nothing.
    pub(crate) fn source(
        self,
        own: Option<&(Target, Declared)>,
        for_clients: bool,
    ) -> Result<Source, Failure> {
        let source = &self.serve.source;
        let lineage = source.lineage().map_err(|problem| Failure::Configuration(vec![problem]))?;
        let given = source.given().map_err(|failure| self.places.placed(failure))?;
        let is_stdin_free = self.is_stdin_free || self.serve.transport != Transport::Stdio;
        let Self { serve, files, places, .. } = self;
        let source = &serve.source;
        let files = files.with(&source.mcp_config, source.tool_descriptions.clone(), is_stdin_free);
        if own.is_none() && given.is_empty() && !files.are_named() {
            let hint =
                "give a command after --, --upstream-url, --mcp-config, or a --config that names upstreams";
            return Err(Failure::usage(Problem::new("no upstream is named").hint(hint)));
        }
        let limits = source.limits(&files.declarations().limits);
        let name = parse_name(source.name.as_deref())?.filter(|_| given.is_empty());
        let own = own.cloned().map(|(target, declared)| (Named::given(name, target), declared));
        let access = if for_clients { serve.access() } else { AccessFlags::default() };
        let (inherit, waits_for_all) = (source.inherit_env, !for_clients);
        let origin = Origin { given, inherit, own, access, waits_for_all, ..Origin::default() };
        let contents = origin.contents(&files).and_then(|contents| serving_some(contents, &files));
        let contents = contents.map_err(|problems| places.in_order(problems));
        Ok(Source { serve, origin, files, contents, limits, places, lineage, caller: None })
    }
}

impl Source {
    /// The same for what serves, which writes down what upstreams list the first time.
    pub(crate) fn accepting(mut self) -> Self {
        self.origin.accepted = Some(Arc::default());
        if let Ok(contents) = &mut self.contents {
            contents.declared.accepting = self.files.first(self.origin.accepted.clone());
        }
        self
    }

    /// The upstreams; none if files cannot be read.
    pub(crate) fn upstreams(&self) -> &[Named] {
        self.contents.as_ref().map_or(&[], |contents| &contents.found.upstreams)
    }

    /// The same source with some of its upstreams.
    pub(crate) fn retaining(self, is_wanted: impl Fn(&Named) -> bool) -> Self {
        let contents = self.contents.map(|contents| {
            let upstreams = contents.found.upstreams.into_iter().filter(is_wanted).collect();
            Contents { found: Servers { upstreams, ..contents.found }, ..contents }
        });
        Self { contents, ..self }
    }

    /// The same source, where whoever comes in is the principal of this name, if there is one.
    ///
    /// # Errors
    /// [`Failure::Configuration`] if its files have no such principal, or for what is wrong with these.
    pub(crate) fn seen_by(self, name: Option<&str>) -> Result<Self, Failure> {
        let Some(name) = name else { return Ok(self) };
        let contents = self.contents.as_ref().map_err(|problems| Failure::Configuration(problems.clone()))?;
        let entry = principal(&contents.access, name);
        let entry = entry.map_err(|problem| Failure::Configuration(vec![problem]))?;
        let caller = Principal::new(format!("principal '{name}'"), entry.permits.clone());
        Ok(Self { caller: Some(caller), ..self })
    }

    /// What is in force at the start, and where it comes from.
    ///
    /// # Errors
    /// Every problem in its files and flags.
    pub(crate) fn baseline(&self) -> Result<Baseline, Vec<Problem>> {
        let Self { origin, files, contents, .. } = self.clone();
        Ok(Baseline { origin, files, contents: contents? })
    }

    /// The options of strategies, with what files say.
    pub(crate) fn options(&self) -> StrategyOptions {
        let mut places = self.files.declarations().strategy_places();
        for (strategy, key, _) in &self.serve.strategies.settings.set {
            let written = (strategy.clone(), key.clone());
            match self.places.0.get("set") {
                Some(place) => {
                    places.settings.insert(written, place.clone());
                    let section = (strategy.clone(), String::new());
                    places.settings.entry(section).or_insert_with(|| place.clone());
                }
                None => drop(places.settings.remove(&written)),
            }
        }
        self.serve.strategies.options(self.settings(), places)
    }

    /// What files say of settings of strategies; flags win.
    pub(crate) fn settings(&self) -> Settings {
        self.files.declarations().strategy.clone()
    }

    /// Logs which servers of hosts' files are not served.
    pub(crate) fn warn(&self) {
        if let Ok(contents) = &self.contents {
            contents.found.log();
        }
    }

    /// Everything that is wrong with its files, and with the choices of concerns in these settings.
    pub(crate) fn problems(&self, settings: &Settings) -> Vec<Problem> {
        match &self.contents {
            Ok(contents) => choice_problems(settings, contents),
            Err(found) => found.clone(),
        }
    }

    /// A gateway of it by these strategies, with the contract's defaults, and with the key of receipts in a file, if there is one.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with everything that is wrong with files, strategies and key.
    pub(crate) fn prepare(
        self,
        registry: &Registry,
        options: &StrategyOptions,
        key_file: Option<&Path>,
    ) -> Result<Assembly, Failure> {
        let mut problems = self.problems(&options.settings);
        let strategies = build(registry, options).map_err(|found| problems.extend(found));
        let key = receipt_key(key_file).map_err(|problem| problems.push(problem));
        match (strategies, key) {
            (Ok(strategies), Ok(key)) if problems.is_empty() => Ok(self.assembly(strategies, key)),
            _ => Err(Failure::Configuration(problems)),
        }
    }

    /// A gateway of it, with the contract's defaults.
    pub(crate) fn assembly(self, strategies: Strategies, key: ReceiptKey) -> Assembly {
        let Contents { found, declared, .. } = self.contents.unwrap_or_default();
        let (assembly, source) = (Assembly::new(strategies, key), &self.serve.source);
        let admission = match self.caller {
            // Each strategy is tried, and that is no use that the caller makes of it.
            Some(caller) => {
                let permits = caller.permits().of_what_exists();
                Arc::new(Open(caller.permitted(permits)))
            }
            None => assembly.admission,
        };
        Assembly {
            admission,
            upstreams: self.origin.configs(&found),
            declared,
            timeouts: Timeouts { connect: source.connect_timeout, request: source.request_timeout },
            limits: self.limits,
            lineage: self.lineage,
            // Only what serves calls tools of the user's.
            asks_info: false,
            ..assembly
        }
    }
}

/// Something has to be served at the start.
fn serving_some(contents: Contents, files: &Files) -> Result<Contents, Vec<Problem>> {
    let found = &contents.found;
    let is_none = found.upstreams.is_empty() && found.switched_off.is_empty();
    let Some(config) = files.config().filter(|_| is_none) else {
        return Ok(contents);
    };
    let hint = "add [upstreams.NAME], a command after --, --upstream-url or --mcp-config; or demo = true, for the demonstration";
    Err(vec![Problem::new(format!("{}: no upstream is named", config.path.display())).hint(hint)])
}

impl SourceArguments {
    /// The limits in force: flags, else what the file says.
    fn limits(&self, file: &LimitSettings) -> Limits {
        let mut limits = file.clone();
        for (name, value) in &self.limits {
            // Its name was accepted when the flag was read.
            let _known = limits.set(name, *value);
        }
        limits.resolve()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w5_problems_are_in_the_order_of_their_places_whatever_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disclosure.toml");
        let text =
            "[[principals]]\nname = 'p'\ntoken = 't'\n[tools.x]\nbrief = ''\n[upstreams.u]\n[strategy.y]\n";
        std::fs::write(&file, text).unwrap();
        let source = Given::<SourceArguments>::default().with("config", [file]).resolve(None).ok().unwrap();
        let (places, options) = (source.places.clone(), source.options());
        let failure = source.prepare(&crate::builtin(), &options, None).unwrap_err();
        let Failure::Configuration(problems) = places.placed(failure) else { panic!() };
        let lines: Vec<_> = problems.iter().map(|problem| problem.place().unwrap().line).collect();
        assert_eq!(lines, [1, 4, 6, 7]);
    }

    #[test]
    fn servers_that_are_all_switched_off_are_served_as_none_at_the_start_and_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let given = Given::<SourceArguments>::default().with("mcp_config", [file.clone()]);
            given.resolve(None).map(|source| source.contents).ok().unwrap()
        };
        let on = read(r#"{"mcpServers": {"a": {"command": "x"}}}"#).unwrap();
        let off = read(r#"{"mcpServers": {"a": {"command": "x", "disabled": true}}}"#).unwrap();
        assert_eq!((off.found.upstreams.len(), off.lost_since(&on)), (0, Vec::new()));
        assert!(read(r#"{"mcpServers": {}}"#).is_err(), "nothing is named");
    }
}
