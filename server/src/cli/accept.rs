//! `accept`: what was reviewed of definitions.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use mcp_disclosure_core::{DefinitionChange, Lock, Pattern, UpstreamLists, nearest::did_you_mean, qualified};
use mcp_disclosure_gateway::{Problem, upstream::UpstreamError};

use super::{Program, Source, export::of_complete_definitions, print, print_text, visited};
use crate::{
    config::CONFIGURATION,
    export::spread,
    failure::Failure,
    files::{Change, write_together},
    flags::Given,
    lock,
};

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
    let is_here = source.first("config").is_none() && Path::new(CONFIGURATION).exists();
    let source = if is_here { source.with("config", [CONFIGURATION]) } else { source };
    let Some(configuration) = source.first("config").map(PathBuf::from) else {
        let problem = Problem::new("no configuration is named, and disclosure.lock is beside one");
        return Err(Failure::usage(problem.hint("name it: --config disclosure.toml")));
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
    visited(assembly, |started| {
        let slots = started.gateway.backends().shared().slots();
        let lists = slots.iter().filter_map(|slot| slot.status().offered().cloned()).collect();
        (lists, started.missing.clone())
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
    let problem = |idle: &Pattern| {
        let otherwise = || "give names as check shows them, or patterns".to_owned();
        let hint = did_you_mean(idle.text(), all.iter().map(String::as_str), otherwise);
        Problem::new(format!("no tool is called '{}'", idle.text())).hint(hint)
    };
    let problems: Vec<Problem> = wanted.iter().filter(is_idle).map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(Failure::Configuration(problems)) }
}
