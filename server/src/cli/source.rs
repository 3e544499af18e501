//! From flags and files to upstreams and what is laid over them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{ReceiptKey, Registry, Settings, UpstreamName};
use mcp_disclosure_gateway::{
    Assembly, Problem,
    catalogue::Declared,
    limits::LimitSettings,
    lineage::Lineage,
    negotiation::{Strategies, StrategyOptions, StrategyPlaces},
    upstream::{Target, Timeouts, without_secrets},
};

use reqwest::header::{HeaderName, HeaderValue};

use super::{SourceArguments, choices, strategies::build};
use crate::{
    config::{AccessFlags, DisclosureFile, Named, Serve, UpstreamEntry},
    failure::Failure,
    files::{ConfigFile, Contents, Origin, Servers},
    log,
};

/// A source of tools: the upstreams that flags and files name, and what is declared of them.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) origin: Origin,
    /// What the files declared when they were first read.
    contents: Result<Contents, Vec<Problem>>,
    timeouts: Timeouts,
    /// Serving options of the configuration; flags win.
    pub(super) serve: Serve,
    /// Limits; flags win.
    pub(super) limits: LimitSettings,
    /// Settings of strategies; flags win.
    pub(super) settings: Settings,
    /// Where the configuration names strategies.
    pub(super) places: StrategyPlaces,
    /// The gateways above this one.
    lineage: Lineage,
}

impl Source {
    /// The upstreams; none if files cannot be read.
    pub(super) fn upstreams(&self) -> &[Named] {
        self.contents.as_ref().map_or(&[], |contents| &contents.found.upstreams)
    }

    /// Keeps some of the upstreams.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&Named) -> bool) {
        if let Ok(contents) = &mut self.contents {
            contents.found.upstreams.retain(is_wanted);
        }
    }

    /// Servers of hosts' files that cannot be used, and what to do about that.
    pub(super) fn left_out(&self) -> &[Problem] {
        self.contents.as_ref().map_or(&[], |contents| &contents.found.left_out)
    }

    /// The most bytes of one list of an upstream.
    pub(super) fn list_bytes(&self) -> usize {
        self.limits.resolve().upstream_list_bytes
    }

    /// The same source, whose upstreams from files join when they are ready.
    pub(super) fn joining(mut self) -> Self {
        self.origin.waits_for_all = false;
        self
    }

    /// The same source, with what flags say of who may come in.
    pub(super) fn for_callers(mut self, access: AccessFlags) -> Self {
        self.origin.access = access;
        self.contents = self.origin.read();
        self
    }

    /// Logs which servers of hosts' files are not served.
    pub(super) fn warn(&self) {
        if let Ok(contents) = &self.contents {
            contents.found.log();
        }
    }

    /// What its files declare.
    ///
    /// # Errors
    /// Every problem in them.
    pub(super) fn read(&self) -> Result<Contents, Vec<Problem>> {
        self.contents.clone()
    }

    /// Everything that is wrong with the operator's choices of concerns in these settings.
    pub(super) fn choice_problems(&self, settings: &Settings) -> Vec<Problem> {
        let Ok(contents) = &self.contents else { return Vec::new() };
        let file = self.origin.config.as_ref().map(|config| &*config.first);
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
        let contents = self.read().map_err(|found| problems.extend(found));
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
        Assembly {
            upstreams: self.origin.configs(&found),
            declared,
            timeouts: self.timeouts,
            limits: self.limits.resolve(),
            lineage: self.lineage,
            ..Assembly::new(strategies, key)
        }
    }
}

impl SourceArguments {
    /// Finds out what is meant; `own` is served where no upstream is named. What is wrong with files is found by
    /// [`Source::read`].
    ///
    /// # Errors
    /// [`Failure::Usage`] for a combination that means nothing.
    pub(super) fn resolve(self, own: Option<&(Target, Declared)>) -> Result<Source, Failure> {
        let lineage = self.lineage().map_err(|problem| Failure::Configuration(vec![problem]))?;
        let given = self.given()?;
        let mut limits = LimitSettings::default();
        for (name, value) in &self.limits {
            limits.set(name, *value).map_err(|error| usage(Problem::new(error)))?;
        }
        // If it cannot be read, that is reported by what reads everything.
        let config =
            self.config.as_deref().and_then(|path| DisclosureFile::read(path).ok()).unwrap_or_default();
        let described = config.tool_descriptions.as_ref().map(|path| beside(self.config.as_deref(), path));
        let servers = Servers { given, hosts: self.mcp_config, inherit: self.inherit_env };
        let origin = Origin {
            base: Declared::default(),
            servers: Some(servers),
            waits_for_all: true,
            directory: self.tool_descriptions.or(described),
            access: AccessFlags::default(),
            config: self.config.map(|path| ConfigFile { path, first: Arc::new(config.clone()) }),
        };
        let limits = limits.over(&config.limits);
        log::bound_fields(&limits.resolve());
        let mut source = Source {
            contents: origin.read(),
            origin,
            timeouts: Timeouts { connect: self.connect_timeout, request: self.request_timeout },
            places: config.places(),
            serve: config.serve,
            limits,
            settings: config.strategy,
            lineage,
        };
        if source.contents.as_ref().is_ok_and(|contents| contents.found.upstreams.is_empty()) {
            source.serve_own(own, self.name)?;
        }
        Ok(source)
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
        Ok(given)
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

impl Source {
    /// Serves what the program has of its own, since nothing else is said.
    fn serve_own(&mut self, own: Option<&(Target, Declared)>, name: Option<String>) -> Result<(), Failure> {
        let Some((target, declared)) = own.cloned() else {
            let hint =
                "give a command after --, --upstream-url, --mcp-config, or a --config that names upstreams";
            return Err(usage(Problem::new("no upstream is named").hint(hint)));
        };
        let name = parse_name(name.as_deref())?;
        let own = Named::given(name, target);
        self.origin.servers = Some(Servers { given: vec![own], ..Servers::default() });
        self.origin.base = declared;
        self.contents = self.origin.read();
        Ok(())
    }
}

fn parse_name(name: Option<&str>) -> Result<Option<UpstreamName>, Failure> {
    let name = name.map(UpstreamName::parse).transpose();
    name.map_err(|error| usage(Problem::new(format!("--name: {error}"))))
}

/// A path that is relative to the folder of a file.
fn beside(file: Option<&Path>, path: &Path) -> PathBuf {
    file.and_then(Path::parent).unwrap_or(Path::new("")).join(path)
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
