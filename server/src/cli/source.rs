//! From flags and files to upstreams and what is laid over them.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use mcp_disclosure_core::{ReceiptKey, Registry, Rules, Settings, UpstreamName};
use mcp_disclosure_gateway::{
    Assembly, Problem,
    catalogue::Declared,
    limits::LimitSettings,
    lineage::Lineage,
    negotiation::{Strategies, StrategyOptions},
    upstream::{Target, Timeouts, without_secrets},
};

use super::{SourceArguments, strategies::build};
use crate::{
    config::{DisclosureFile, HostsFile, Named, Serve, UpstreamEntry, read_hosts, upstreams},
    failure::Failure,
    files::{ConfigFile, Contents, Origin},
    log,
};

/// What a source comes down to, whether flags or files say so.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) upstreams: Vec<Named>,
    pub(super) origin: Origin,
    timeouts: Timeouts,
    /// What the configuration says of serving; a flag wins.
    pub(super) serve: Serve,
    /// What it says of bounds; a flag wins.
    pub(super) limits: LimitSettings,
    /// What it says of strategies; a flag wins.
    pub(super) settings: Settings,
    problems: Vec<Problem>,
    /// Servers of hosts' files that are left out.
    left_out: Vec<Problem>,
    /// The gateways above this one.
    lineage: Lineage,
}

impl Source {
    /// The servers of hosts' files that cannot be used, and what to do about that.
    pub(super) fn left_out(&self) -> &[Problem] {
        &self.left_out
    }

    /// Logs what is served without.
    pub(super) fn warn(&self) {
        self.left_out.iter().for_each(|left_out| tracing::warn!("{left_out}"));
    }

    /// What its files declare.
    ///
    /// # Errors
    /// Everything that keeps it from being served, as far as files show.
    pub(super) fn read(&self) -> Result<Contents, Vec<Problem>> {
        let read = self.origin.read();
        let laid_over = read.as_ref().err().into_iter().flatten();
        let problems: Vec<Problem> = self.problems.iter().chain(laid_over).cloned().collect();
        if problems.is_empty() { read } else { Err(problems) }
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
        let key = key.map_err(|problem| problems.push(problem));
        match (contents, strategies, key) {
            (Ok(contents), Ok(strategies), Ok(key)) => Ok(self.assembly(contents.declared, strategies, key)),
            _ => Err(Failure::Configuration(problems)),
        }
    }

    /// A gateway of it, with the contract's defaults.
    pub(super) fn assembly(self, declared: Declared, strategies: Strategies, key: ReceiptKey) -> Assembly {
        Assembly {
            targets: self.upstreams.into_iter().map(|upstream| (upstream.name, upstream.target)).collect(),
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
        let mut problems = Vec::new();
        let lineage = self.lineage().map_err(|problem| Failure::Configuration(vec![problem]))?;
        let given = self.given()?;
        let mut limits = LimitSettings::default();
        for (name, value) in &self.limits {
            limits.set(name, *value).map_err(|error| usage(Problem::new(error)))?;
        }
        let config = self.config.as_deref().and_then(|path| keep(DisclosureFile::read(path), &mut problems));
        let config = config.unwrap_or_default();
        let mut all = keep(upstreams(&config.upstreams, &directory(self.config.as_deref())), &mut problems)
            .unwrap_or_default();
        let hosts = self.hosts(&mut problems);
        all.extend(hosts.upstreams);
        if self.inherit_env {
            all = all.into_iter().map(Named::inheriting).collect();
        }
        all.extend(given);
        problems.extend(named_alike(&all));
        let declares_some = !self.mcp_config.is_empty() || !config.upstreams.0.is_empty();
        if all.is_empty() && problems.is_empty() && declares_some {
            problems.push(Problem::new("no upstream is left").hint("add one, or enable one"));
        }
        let described =
            config.tool_descriptions.as_ref().map(|path| directory(self.config.as_deref()).join(path));
        let directory = self.tool_descriptions.or(described);
        let limits = limits.over(&config.limits);
        let timeouts = Timeouts { connect: self.connect_timeout, request: self.request_timeout };
        log::bound_fields(&limits.resolve());
        let rules = Rules { switches: hosts.switches, ..Rules::default() };
        let base = Declared { rules: Arc::new(rules), ..Declared::default() };
        let mut source = Source {
            upstreams: all,
            origin: Origin { base, directory, ..Origin::default() },
            timeouts,
            serve: config.serve.clone(),
            limits,
            settings: config.strategy.clone(),
            problems,
            left_out: hosts.left_out,
            lineage,
        };
        if source.upstreams.is_empty() && source.problems.is_empty() {
            source.serve_own(own, self.name)?;
        }
        if source.problems.is_empty() {
            source.origin.config = self.config.map(|path| ConfigFile { path, first: Arc::new(config) });
        }
        Ok(source)
    }

    /// What hosts' files say.
    fn hosts(&self, problems: &mut Vec<Problem>) -> HostsFile {
        let mut all = HostsFile::default();
        for path in &self.mcp_config {
            match read_hosts(path) {
                Ok(file) => {
                    file.switched_off.iter().for_each(|off| tracing::info!("{off}"));
                    all.upstreams.extend(file.upstreams);
                    all.switches.extend(file.switches);
                    all.left_out.extend(file.left_out);
                }
                Err(problem) => problems.push(problem),
            }
        }
        all
    }

    /// The upstreams that flags give.
    fn given(&self) -> Result<Vec<Named>, Failure> {
        let mut given = Vec::new();
        if let Some((program, arguments)) = self.command.split_first() {
            let entry = Some(UpstreamEntry::of_command(&self.command));
            given.push(Named { name: None, target: Target::command(program, arguments), entry });
        }
        for url in &self.upstream_url {
            if !matches!(url.scheme(), "http" | "https") {
                let message =
                    format!("--upstream-url {}: only http and https are spoken", without_secrets(url));
                return Err(usage(Problem::new(message)));
            }
            let entry = Some(UpstreamEntry::of_url(url));
            given.push(Named { name: None, target: Target::url(url.clone()), entry });
        }
        let name = parse_name(self.name.as_deref())?;
        let is_file = self.config.is_some() || !self.mcp_config.is_empty();
        match (name, given.as_mut_slice()) {
            (None, _) => {}
            (Some(_), []) if !is_file => {}
            (name, [only]) => only.name = name,
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
}

impl Source {
    /// Serves what the program has of its own, since nothing else is said.
    fn serve_own(&mut self, own: Option<&(Target, Declared)>, name: Option<String>) -> Result<(), Failure> {
        let Some((target, declared)) = own.cloned() else {
            let hint =
                "give a command after --, --upstream-url, --mcp-config, or a --config that names upstreams";
            return Err(usage(Problem::new("no upstream is named").hint(hint)));
        };
        self.upstreams.push(Named { name: parse_name(name.as_deref())?, target, entry: None });
        self.origin.base = declared;
        Ok(())
    }
}

fn parse_name(name: Option<&str>) -> Result<Option<UpstreamName>, Failure> {
    let name = name.map(UpstreamName::parse).transpose();
    name.map_err(|error| usage(Problem::new(format!("--name: {error}"))))
}

fn keep<T>(read: Result<T, Vec<Problem>>, problems: &mut Vec<Problem>) -> Option<T> {
    read.map_err(|message| problems.extend(message)).ok()
}

fn directory(file: Option<&Path>) -> PathBuf {
    file.and_then(Path::parent).map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Upstreams of one name: their tools could not be told apart.
fn named_alike(upstreams: &[Named]) -> Vec<Problem> {
    let mut seen = HashSet::new();
    let names = upstreams.iter().filter_map(|upstream| upstream.name.as_ref());
    let again = names.filter(|name| !seen.insert(*name));
    again
        .map(|name| {
            Problem::new(format!("two upstreams are named '{name}'")).hint("give one of them another name")
        })
        .collect()
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
            SourceArguments::default().resolve(Some(&own)).map(|source| source.upstreams.len()).ok(),
            Some(1)
        );
    }
}
