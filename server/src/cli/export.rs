//! `export`: what is decided of definitions, as files.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use mcp_disclosure_core::{Principal, UpstreamName, View, full};
use mcp_disclosure_gateway::{Assembly, Problem, catalogue::Declared, negotiation::StrategyOptions};

use super::{Program, Source, compare::progress::Progress, print, print_folded, visited};
use crate::{
    config::{CONFIGURATION, UpstreamEntry},
    export::{Export, Folder, Origins, write},
    failure::Failure,
    files::is_same,
    flags::Given,
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
    let source = if is_own { source.with("config", [configuration.clone()]) } else { source };
    let source = source.resolve(program.own.as_ref())?;
    let folder = Folder::read(&out, &source.files, replace).map_err(Failure::Configuration)?;
    let is_disabled = |name: &UpstreamName| folder.disables(name);
    let source = source.retaining(|upstream| !upstream.name.as_ref().is_some_and(is_disabled));
    if source.upstreams().is_empty() && source.contents.is_ok() {
        let problem = Problem::new("every upstream of the source is switched off, there or in the folder");
        return Err(Failure::Configuration(vec![problem.hint("switch one on, or name another")]));
    }
    source.warn();
    let export = look(program, source, &folder, (definitions, replace))?;
    write(&export.files, replace.then_some(&*folder.descriptions))?;
    for (tool, why) in &export.report.without {
        tracing::warn!("tool '{tool}' has no description file: {why}");
    }
    let report = export.report.text(folder.is_there(), &export.files);
    print_folded(&report)?;
    print(format_args!("mcp-disclosure serve --config {}", configuration.display()))
}

/// What a source serves, where complete definitions are looked at, so that no other strategy gets to object.
pub(super) fn of_complete_definitions(program: &Program, source: Source) -> Result<Assembly, Failure> {
    let fallback = full::NAME.to_owned();
    let options = StrategyOptions { offered: vec![fallback.clone()], fallback, ..StrategyOptions::default() };
    let assembly = source.prepare(&program.registry, &options, None)?;
    Ok(Assembly { witness: Some(Arc::new(Progress::of_waiting())), ..assembly })
}

/// Starts what `serve` would start, and writes down what it would serve.
fn look(
    program: &Program,
    source: Source,
    folder: &Folder,
    (definitions, replace): (bool, bool),
) -> Result<Export, Failure> {
    let entries: Vec<Option<UpstreamEntry>> =
        source.upstreams().iter().map(|upstream| upstream.entry.clone()).collect();
    let config = source.files.config().cloned();
    let mut assembly = of_complete_definitions(program, source)?;
    let both = config.as_ref().zip(folder.files.config());
    if !both.is_some_and(|(one, own)| is_same(&own.path, &one.path)) {
        assembly.declared = folder.declare_over(&assembly.declared).map_err(Failure::Configuration)?;
    }
    let declared: Declared = assembly.declared.clone();
    visited(assembly, |started| {
        let backend = started.gateway.backends().shared();
        let snapshot = Arc::clone(backend.catalogue().current().snapshot());
        let slots = backend.slots();
        let upstreams: Vec<(UpstreamName, Option<UpstreamEntry>)> = slots
            .iter()
            .zip(entries)
            .filter_map(|(slot, entry)| Some((slot.name()?.clone(), entry)))
            .collect();
        let lists = slots.iter().filter_map(|slot| slot.status().offered().cloned()).collect();
        if !started.missing.is_empty() {
            return Err(Failure::Upstreams(started.missing.clone()));
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
    })?
}
