//! `export` and `accept`: what is decided of definitions, and what was reviewed of them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use mcp_disclosure_core::{
    DefinitionChange, Lock, Pattern, Principal, UpstreamLists, UpstreamName, View, full,
    nearest::did_you_mean, qualified,
};
use mcp_disclosure_gateway::{
    Assembly, Gateway, Problem, catalogue::Declared, negotiation::StrategyOptions, upstream::UpstreamError,
};

use super::{Program, Source, compare::progress::Progress, print, print_folded, print_text, runtime_for_one};
use crate::{
    config::{CONFIGURATION, UpstreamEntry},
    export::{Export, Folder, Origins, spread, write},
    failure::Failure,
    files::{Change, is_same, write_together},
    flags::Given,
    lock,
};

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The source.
    #[command(flatten)]
    pub source: Given,

    /// The directory; made if it is not there
    ///
    /// One with a disclosure.toml or description files is merged into: what is written there stays, what is new
    /// is added, and tools that changed or vanished are reported. Without a source, that disclosure.toml is the source
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub out: PathBuf,

    /// Write each tool's whole definition into a file
    ///
    /// That description file is served even when the upstream's definition changes; else only what was decided is written,
    /// and the rest follows the upstream
    #[arg(long, help_heading = "Files")]
    pub definitions: bool,

    /// Write description files and disclosure.lock anew
    ///
    /// What is held by on_change = "hold" stays so
    #[arg(long, help_heading = "Files")]
    pub replace: bool,
}

/// Writes down what would be served, beside what is written down already.
///
/// # Errors
/// Like `serve`, for the source, where one upstream that cannot be used is enough; and what keeps files from being
/// written.
pub fn export(program: &Program, arguments: ExportArguments) -> Result<(), Failure> {
    let ExportArguments { source, out, definitions, replace } = arguments;
    let configuration = out.join(CONFIGURATION);
    // Where no source is named, what was exported before is meant.
    let flags = ["command", "upstream_url", "mcp_config", "config"];
    let is_own = flags.iter().all(|flag| source.all(flag).is_empty()) && configuration.exists();
    let source = if is_own { source.with("config", configuration.clone()) } else { source };
    let source = source.resolve(program.own.as_ref())?;
    let folder = Folder::read(&out, &source.files, replace).map_err(Failure::Configuration)?;
    let is_disabled = |name: &UpstreamName| folder.as_ref().is_some_and(|folder| folder.disables(name));
    let source = source.retaining(|upstream| !upstream.name.as_ref().is_some_and(is_disabled));
    if source.upstreams().is_empty() && source.contents.is_ok() {
        let problem = Problem::new("every upstream of the source is switched off, there or in the folder");
        return Err(Failure::Configuration(vec![problem.hint("switch one on, or name another")]));
    }
    source.warn();
    let export = look(program, source, folder.as_ref(), (definitions, replace))?;
    let descriptions = folder.as_ref().map_or(&*out, |folder| &*folder.descriptions);
    write(&out, &export.files, replace.then_some(descriptions))?;
    for (tool, why) in &export.report.without {
        tracing::warn!("tool '{tool}' has no description file: {why}");
    }
    let report = export.report.text(folder.as_ref().is_some_and(Folder::is_there), &export.files);
    print_folded(&report)?;
    print(format_args!("mcp-disclosure serve --config {}", configuration.display()))
}

/// What a source serves, where complete definitions are looked at, so that no other strategy gets to object.
fn of_complete_definitions(program: &Program, source: Source) -> Result<Assembly, Failure> {
    let fallback = full::NAME.to_owned();
    let options = StrategyOptions { offered: vec![fallback.clone()], fallback, ..StrategyOptions::default() };
    let assembly = source.prepare(&program.registry, &options, None)?;
    Ok(Assembly { witness: Some(Arc::new(Progress::of_waiting())), ..assembly })
}

/// Starts what `serve` would start, and writes down what it would serve.
fn look(
    program: &Program,
    source: Source,
    folder: Option<&Folder>,
    (definitions, replace): (bool, bool),
) -> Result<Export, Failure> {
    let entries: Vec<Option<UpstreamEntry>> =
        source.upstreams().iter().map(|upstream| upstream.entry.clone()).collect();
    let config = source.files.config().cloned();
    let mut assembly = of_complete_definitions(program, source)?;
    let is_source = |folder: &&Folder| {
        config.as_ref().zip(folder.files.config()).is_some_and(|(one, own)| is_same(&own.path, &one.path))
    };
    if let Some(folder) = folder.filter(|folder| !is_source(folder)) {
        assembly.declared = folder.declare_over(&assembly.declared).map_err(Failure::Configuration)?;
    }
    let declared: Declared = assembly.declared.clone();
    runtime_for_one()?.block_on(async {
        let started = Gateway::start(assembly).await?;
        let backend = Arc::clone(started.gateway.backends().shared());
        let snapshot = Arc::clone(backend.catalogue().current().snapshot());
        let slots = backend.slots();
        let upstreams: Vec<(UpstreamName, Option<UpstreamEntry>)> = slots
            .iter()
            .zip(entries)
            .filter_map(|(slot, entry)| Some((slot.name()?.clone(), entry)))
            .collect();
        let lists = slots.iter().filter_map(|slot| slot.status().offered().cloned()).collect();
        started.gateway.close().await;
        if !started.missing.is_empty() {
            return Err(Failure::Upstreams(started.missing));
        }
        let view = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        let config = config.as_ref().and_then(|config| Some(&**config.said.as_ref().ok()?));
        let origins = Origins {
            snapshot: &snapshot,
            view: &view,
            declared: &declared,
            upstreams,
            lists,
            config,
            folder,
            definitions,
            replace,
        };
        Export::of(&origins).map_err(Failure::Configuration)
    })
}

/// `accept`.
#[derive(Debug, Args)]
pub struct AcceptArguments {
    /// Tools as UPSTREAM/TOOL, or patterns such as 'UPSTREAM/*' [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Show what would be accepted, with the parts of definitions that are new or changed, and write nothing
    #[arg(long)]
    pub dry_run: bool,

    /// The source; by default the disclosure.toml of the current folder.
    #[command(flatten)]
    pub source: Given,
}

/// Records definitions as reviewed, in the lock file beside the configuration.
///
/// # Errors
/// Like `serve`, for the source; a name that no tool has; and, after the rest was recorded, upstreams that cannot be used.
pub fn accept(program: &Program, arguments: AcceptArguments) -> Result<(), Failure> {
    let AcceptArguments { names, dry_run, source } = arguments;
    let here = Path::new(CONFIGURATION);
    let config = source.first("config").map(PathBuf::from).or_else(|| here.exists().then(|| here.to_owned()));
    let Some(configuration) = config else {
        let problem = Problem::new("no configuration is named, and disclosure.lock is beside one");
        return Err(Failure::usage(problem.hint("name it: --config disclosure.toml")));
    };
    let source = match source.first("config") {
        Some(_) => source,
        None => source.with("config", configuration.clone()),
    };
    let source = source.resolve(program.own.as_ref())?;
    source.warn();
    let before = source.files.lock().cloned();
    let (lists, missing) = listed(program, source)?;
    let before = before.ok_or_else(|| {
        let message = format!("{}: nothing can be kept beside it", configuration.display());
        Failure::Configuration(vec![Problem::new(message).hint("give --config a file")])
    })?;
    let mut lock = before.lock.clone();
    let wanted: Vec<Pattern> = names.iter().map(|name| Pattern::new(name)).collect();
    check(&wanted, &lock, &lists)?;
    let mut accepted = Vec::new();
    for lists in &lists {
        let is_wanted = |change: &DefinitionChange| {
            let names = [qualified(&lists.name, &change.tool), change.tool.clone()];
            wanted.is_empty() || wanted.iter().any(|pattern| names.iter().any(|name| pattern.matches(name)))
        };
        let definitions = lists.definitions();
        let mut changes = lock.changes(&lists.name, &definitions);
        changes.retain(is_wanted);
        if wanted.is_empty() || !changes.is_empty() {
            lock.accept(&lists.name, &changes);
        }
        accepted.extend(changes.iter().map(|change| {
            let now = definitions.get(&change.tool).filter(|_| dry_run);
            let news = now.map(|now| format!("{}\n", spread(change.news(now).text())));
            (format!("{} {change}", qualified(&lists.name, &change.tool)), news.unwrap_or_default())
        }));
    }
    if lock != before.lock && !dry_run {
        let change =
            Change { path: before.path.clone(), before: before.text.clone(), after: lock::text(&lock) };
        write_together(&[change]).map_err(|unwritten| unwritten.failure)?;
    }
    let verb = if dry_run { "would be accepted" } else { "accepted" };
    for (line, news) in &accepted {
        print(format_args!("{verb}: {line}"))?;
        print_text(news)?;
    }
    if accepted.is_empty() {
        print("nothing to accept")?;
    }
    if missing.is_empty() { Ok(()) } else { Err(Failure::Upstreams(missing)) }
}

/// What upstreams list, and those that cannot be used.
type Listed = (Vec<Arc<UpstreamLists>>, Vec<Arc<UpstreamError>>);

fn listed(program: &Program, source: Source) -> Result<Listed, Failure> {
    let assembly = of_complete_definitions(program, source)?;
    runtime_for_one()?.block_on(async {
        let started = Gateway::start(assembly).await?;
        let slots = started.gateway.backends().shared().slots();
        let lists = slots.iter().filter_map(|slot| slot.status().offered().cloned()).collect();
        started.gateway.close().await;
        Ok((lists, started.missing))
    })
}

/// Whether each name is that of a tool that is listed, or was.
fn check(wanted: &[Pattern], lock: &Lock, lists: &[Arc<UpstreamLists>]) -> Result<(), Failure> {
    let tools = lock.iter().filter(|(_, record)| record.is_some());
    let mut all: Vec<String> = tools.map(|(name, _)| name.to_owned()).collect();
    for lists in lists {
        all.extend(lists.definitions().into_keys().map(|tool| qualified(&lists.name, &tool)));
    }
    let own = |name: &str| name.split_once('/').map_or_else(String::new, |(_, own)| own.to_owned());
    let is_idle =
        |pattern: &&Pattern| all.iter().all(|name| !pattern.matches(name) && !pattern.matches(&own(name)));
    let Some(idle) = wanted.iter().find(is_idle) else { return Ok(()) };
    let problem = Problem::new(format!("no tool is called '{}'", idle.text()));
    let otherwise = || "give names as check shows them, or patterns".to_owned();
    let hint = did_you_mean(idle.text(), all.iter().map(String::as_str), otherwise);
    Err(Failure::Configuration(vec![problem.hint(hint)]))
}
