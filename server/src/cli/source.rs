//! From flags and files to upstreams and what is laid over them.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_disclosure_core::{Principal, ReceiptKey, Registry, Settings, UpstreamName};
use mcp_disclosure_gateway::{
    Admission, Admittance, Arriving, Assembly, Denied, Problem,
    catalogue::Declared,
    limits::LimitSettings,
    lineage::Lineage,
    negotiation::{Strategies, StrategyOptions, StrategyPlaces},
    upstream::{Target, Timeouts, without_secrets},
};

use reqwest::header::{HeaderName, HeaderValue};

use super::{SourceArguments, choices, strategies::build};
use crate::{
    config::{AccessFlags, Named, Serve, UpstreamEntry},
    failure::Failure,
    files::{Baseline, Contents, Files, Found, Origin},
    log,
};

/// Arguments whose files have been read: each file is opened once, and everything that it says comes from here.
pub(super) struct Opened {
    origin: Origin,
    files: Files,
    timeouts: Timeouts,
    limits: LimitSettings,
    lineage: Lineage,
}

/// A source of tools: the upstreams that flags and files name, and what is declared of them.
#[derive(Clone)]
pub(super) struct Source {
    origin: Origin,
    files: Files,
    /// What they come down to.
    contents: Result<Contents, Vec<Problem>>,
    timeouts: Timeouts,
    /// Limits; flags win.
    pub(super) limits: LimitSettings,
    /// The gateways above this one.
    lineage: Lineage,
    /// Whoever comes in is taken for this caller, if there is one.
    caller: Option<Principal>,
}

impl Opened {
    /// Serving options of the configuration; flags win.
    pub(super) fn serve(&self) -> Serve {
        self.files.declarations().map(|file| file.serve.clone()).unwrap_or_default()
    }

    /// What is served to whom `access` lets in. Unless the start `waits_for_all`, upstreams of files join when they are
    /// ready.
    pub(super) fn source(self, access: AccessFlags, waits_for_all: bool) -> Source {
        let Self { origin, files, timeouts, limits, lineage } = self;
        let origin = Origin { access, waits_for_all, ..origin };
        let contents = origin.contents(&files).and_then(|contents| serving_some(contents, &files));
        Source { origin, files, contents, timeouts, limits, lineage, caller: None }
    }
}

impl Source {
    /// The same for what serves, which writes down what upstreams list the first time.
    pub(super) fn accepting(mut self) -> Self {
        self.origin.accepted = Some(Arc::default());
        if let Ok(contents) = &mut self.contents {
            contents.declared.accepting = self.files.first(self.origin.accepted.clone());
        }
        self
    }

    /// The upstreams; none if files cannot be read.
    pub(super) fn upstreams(&self) -> &[Named] {
        self.contents.as_ref().map_or(&[], |contents| &contents.found.upstreams)
    }

    /// The same source with some of its upstreams.
    pub(super) fn retaining(self, is_wanted: impl Fn(&Named) -> bool) -> Self {
        let contents = self.contents.map(|contents| {
            let upstreams = contents.found.upstreams.into_iter().filter(is_wanted).collect();
            Contents { found: Found { upstreams, ..contents.found }, ..contents }
        });
        Self { contents, ..self }
    }

    /// Servers of hosts' files that cannot be used, and what to do about that.
    pub(super) fn left_out(&self) -> &[Problem] {
        self.contents.as_ref().map_or(&[], |contents| &contents.found.left_out)
    }

    /// The same source, where whoever comes in is the principal of this name, if there is one.
    ///
    /// # Errors
    /// [`Failure::Usage`] if its files have no such principal.
    pub(super) fn seen_by(self, name: Option<&str>) -> Result<Self, Failure> {
        let Some(name) = name else { return Ok(self) };
        let permits = self.files.declarations().and_then(|file| file.permits_of(name)).ok_or_else(|| {
            let problem = Problem::new(format!("--principal: there is no principal '{name}'"));
            usage(problem.hint("it is an entry of [[principals]] in the file that --config names"))
        })?;
        Ok(Self { caller: Some(Principal::new(format!("principal '{name}'"), permits)), ..self })
    }

    /// Whom whoever comes in is taken for.
    pub(super) fn caller(&self) -> Option<&Principal> {
        self.caller.as_ref()
    }

    /// What its files said.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// What is in force at the start, and where it comes from.
    ///
    /// # Errors
    /// Every problem in its files and flags.
    pub(super) fn baseline(&self) -> Result<Baseline, Vec<Problem>> {
        let Self { origin, files, .. } = self.clone();
        Ok(Baseline { origin, files, contents: self.contents()? })
    }

    /// Serving options of the configuration; flags win.
    pub(super) fn serve(&self) -> Serve {
        self.files.declarations().map(|file| file.serve.clone()).unwrap_or_default()
    }

    /// Settings of strategies; flags win.
    pub(super) fn settings(&self) -> Settings {
        self.files.declarations().map(|file| file.strategy.clone()).unwrap_or_default()
    }

    /// Where the configuration names strategies.
    pub(super) fn places(&self) -> StrategyPlaces {
        self.files.declarations().map(|file| file.strategy_places()).unwrap_or_default()
    }

    /// The most bytes of one list of an upstream.
    pub(super) fn list_bytes(&self) -> usize {
        self.limits.resolve().upstream_list_bytes
    }

    /// Logs which servers of hosts' files are not served.
    pub(super) fn warn(&self) {
        if let Ok(contents) = &self.contents {
            contents.found.log();
        }
    }

    /// What its files and flags come down to.
    ///
    /// # Errors
    /// Every problem in them.
    pub(super) fn contents(&self) -> Result<Contents, Vec<Problem>> {
        self.contents.clone()
    }

    /// Everything that is wrong with the operator's choices of concerns in these settings.
    pub(super) fn choice_problems(&self, settings: &Settings) -> Vec<Problem> {
        let Ok(contents) = &self.contents else { return Vec::new() };
        let file = self.files.declarations().map(|file| &**file);
        choices::problems(settings, file, &contents.declared.about)
    }

    /// A gateway of it by these strategies, with the contract's defaults.
    ///
    /// # Errors
    /// [`Failure::Configuration`] with everything that is wrong with files, strategies and key.
    pub(super) fn prepare(
        self,
        registry: &Registry,
        options: &StrategyOptions,
        key: Result<ReceiptKey, Problem>,
    ) -> Result<Assembly, Failure> {
        let mut problems = Vec::new();
        let contents = self.contents().map_err(|found| problems.extend(found));
        let strategies = build(registry, options).map_err(|found| problems.extend(found));
        problems.extend(self.choice_problems(&options.settings));
        let key = key.map_err(|problem| problems.push(problem));
        match (contents, strategies, key) {
            (Ok(contents), Ok(strategies), Ok(key)) if problems.is_empty() => {
                Ok(self.assembly(contents.declared, strategies, key))
            }
            _ => Err(Failure::Configuration(problems)),
        }
    }

    /// A gateway of it, with the contract's defaults.
    pub(super) fn assembly(self, declared: Declared, strategies: Strategies, key: ReceiptKey) -> Assembly {
        let found = self.contents.map(|contents| contents.found).unwrap_or_default();
        let assembly = Assembly::new(strategies, key);
        let admission = match self.caller {
            Some(caller) => Arc::new(Only(caller)),
            None => assembly.admission,
        };
        Assembly {
            admission,
            upstreams: self.origin.configs(&found),
            declared,
            timeouts: self.timeouts,
            limits: self.limits.resolve(),
            lineage: self.lineage,
            // Only what serves calls tools of the user's.
            asks_info: false,
            ..assembly
        }
    }
}

/// Takes everyone for one caller.
#[derive(Debug)]
struct Only(Principal);

#[async_trait]
impl Admission for Only {
    async fn admit(&self, _: &Arriving<'_>) -> Result<Admittance, Denied> {
        Ok(self.0.clone().into())
    }

    fn on_stdio(&self) -> Principal {
        self.0.clone()
    }
}

/// Something has to be served at the start.
fn serving_some(contents: Contents, files: &Files) -> Result<Contents, Vec<Problem>> {
    let Some(config) = files.config().filter(|_| contents.found.upstreams.is_empty()) else {
        return Ok(contents);
    };
    let hint = "add [upstreams.NAME], a command after --, --upstream-url or --mcp-config; or demo = true, for the demonstration";
    Err(vec![Problem::new(format!("{}: no upstream is named", config.path.display())).hint(hint)])
}

impl SourceArguments {
    /// A source for no clients but those of the command itself. What is wrong with files is found by
    /// [`Source::contents`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(super) fn resolve(self, own: Option<&(Target, Declared)>) -> Result<Source, Failure> {
        Ok(self.open(own, true)?.source(AccessFlags::default(), true))
    }

    /// Reads every file that is named, once; `own` is served where nothing is named, or where a file says so.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a combination that means nothing.
    pub(super) fn open(
        self,
        own: Option<&(Target, Declared)>,
        is_stdin_free: bool,
    ) -> Result<Opened, Failure> {
        let lineage = self.lineage().map_err(|problem| Failure::Configuration(vec![problem]))?;
        let given = self.given()?;
        let mut limits = LimitSettings::default();
        for (name, value) in &self.limits {
            limits.set(name, *value).map_err(|error| usage(Problem::new(error)))?;
        }
        let files =
            Files::read(self.config.as_deref(), &self.mcp_config, self.tool_descriptions, is_stdin_free);
        if own.is_none() && given.is_empty() && !files.are_named() {
            let hint =
                "give a command after --, --upstream-url, --mcp-config, or a --config that names upstreams";
            return Err(usage(Problem::new("no upstream is named").hint(hint)));
        }
        let limits = files.declarations().map_or(limits.clone(), |file| limits.over(&file.limits));
        log::bound_fields(&limits.resolve());
        let name = parse_name(self.name.as_deref())?.filter(|_| given.is_empty());
        let own = own.cloned().map(|(target, declared)| (Named::given(name, target), declared));
        Ok(Opened {
            origin: Origin { given, inherit: self.inherit_env, own, ..Origin::default() },
            files,
            timeouts: Timeouts { connect: self.connect_timeout, request: self.request_timeout },
            limits,
            lineage,
        })
    }

    /// The upstreams that flags give.
    fn given(&self) -> Result<Vec<Named>, Failure> {
        let mut given = Vec::new();
        if let Some((program, arguments)) = self.command.split_first() {
            let entry = Some(UpstreamEntry::of_command(&self.command));
            let target = Target::command(program, arguments);
            given.push(Named { entry, ..Named::given(None, target) });
        }
        for url in &self.upstream_url {
            if !matches!(url.scheme(), "http" | "https") {
                let message =
                    format!("--upstream-url {}: only http and https are spoken", without_secrets(url));
                return Err(usage(Problem::new(message)));
            }
            let entry = Some(UpstreamEntry::of_url(url));
            given.push(Named { entry, ..Named::given(None, Target::url(url.clone())) });
        }
        self.add_headers(&mut given)?;
        if given.is_empty() && !(self.hide_tool.is_empty() && self.only_tool.is_empty()) {
            let message = "--hide-tool, --only-tool: there is no upstream whose tools could be switched";
            let hint = "give its command after --, or write hidden and allow into the file that names it";
            return Err(usage(Problem::new(message).hint(hint)));
        }
        let name = parse_name(self.name.as_deref())?;
        let is_file = self.config.is_some() || !self.mcp_config.is_empty();
        match (name, given.as_mut_slice()) {
            (None, _) => {}
            (Some(_), []) if !is_file => {}
            (name, [only]) => {
                only.name = name;
                self.switch_tools(only);
            }
            (Some(_), []) => {
                let message = "--name names the one upstream that is an argument, but there is none";
                return Err(usage(
                    Problem::new(message).hint("the name of an upstream in a file is its key there"),
                ));
            }
            (Some(_), _) => {
                let message = "--name names the one upstream, but there are several";
                return Err(usage(Problem::new(message).hint("leave --name out")));
            }
        }
        Ok(given.into_iter().map(|given| given.signing_in("")).collect())
    }

    /// Adds the headers that flags give to the one URL; their values are in the environment.
    fn add_headers(&self, given: &mut [Named]) -> Result<(), Failure> {
        for flag in &self.upstream_header {
            let wrong =
                |what: &str, hint: &str| usage(Problem::new(format!("--upstream-header: {what}")).hint(hint));
            let (name, variable) = flag.split_once('=').ok_or_else(|| {
                wrong("expected NAME=VARIABLE", "the value of the header is in the environment variable")
            })?;
            let [Named { target: Target::Url(endpoint), entry, .. }] = &mut *given else {
                return Err(wrong("there is not one --upstream-url", "put several into --config"));
            };
            let value = std::env::var(variable).map_err(|_| {
                wrong(
                    &format!("the environment variable '{variable}' is not set"),
                    "set it to the header's value",
                )
            })?;
            let (Ok(header), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            else {
                return Err(wrong(
                    &format!("'{name}' and its value make no header"),
                    "values have no line breaks",
                ));
            };
            // Whatever it is, it is not for logs.
            value.set_sensitive(true);
            endpoint.headers.insert(header, value);
            let entry = entry.iter_mut();
            entry.for_each(|entry| drop(entry.headers.insert(name.to_owned(), format!("${{{variable}}}"))));
        }
        Ok(())
    }

    /// Which tools of the one given upstream exist.
    fn switch_tools(&self, given: &mut Named) {
        if let Some(entry) = &mut given.entry {
            entry.hidden.clone_from(&self.hide_tool);
            entry.allow = Some(self.only_tool.clone()).filter(|only| !only.is_empty());
        }
    }
}

fn parse_name(name: Option<&str>) -> Result<Option<UpstreamName>, Failure> {
    let name = name.map(UpstreamName::parse).transpose();
    name.map_err(|error| usage(Problem::new(format!("--name: {error}"))))
}

fn usage(problem: Problem) -> Failure {
    Failure::Usage(vec![problem])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_nothing_to_serve_a_source_must_be_named() {
        let refused = SourceArguments::default().resolve(None);
        let Err(Failure::Usage(problems)) = refused.map(|_| ()) else { panic!("it serves nothing") };
        assert_eq!(problems[0].message(), "no upstream is named");
        let own = (Target::command("served-where-none-is-named", []), Declared::default());
        assert_eq!(
            SourceArguments::default().resolve(Some(&own)).map(|source| source.upstreams().len()).ok(),
            Some(1)
        );
    }
}
