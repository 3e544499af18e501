//! `export`.

use std::sync::Arc;

use mcp_disclosure_core::{Pattern, Principal, UpstreamName, View, full};
use mcp_disclosure_gateway::{Gateway, Problem, catalogue::Declared, negotiation::StrategyOptions};

use super::{
    ExportArguments, Program, SourceArguments, print, print_text, runtime_for_one, serve::receipt_key,
    source::Source,
};
use crate::{
    config::UpstreamEntry,
    export::{CONFIGURATION, Export, Folder, Origins, Wishes, write},
    failure::Failure,
};

/// Writes down what would be served, beside what is written down already.
///
/// # Errors
/// Like `serve`, for the source, where one upstream that cannot be used is enough; and what keeps files from being
/// written.
pub fn export(program: &Program, arguments: ExportArguments) -> Result<(), Failure> {
    let ExportArguments { mut source, out, definitions, accept_drift, replace } = arguments;
    let accepted = accept_drift.iter().map(|name| Pattern::new(name)).collect();
    let wishes = Wishes { definitions, accepted };
    let folder = if replace { None } else { Folder::read(&out).map_err(Failure::Configuration)? };
    let configuration = out.join(CONFIGURATION);
    if names_nothing(&source) && configuration.exists() {
        source.config = Some(configuration.clone());
    }
    let mut source = source.resolve(program.own.as_ref())?;
    if let Some(folder) = &folder {
        let is_wanted = |name: &Option<UpstreamName>| name.as_ref().is_none_or(|name| !folder.disables(name));
        source.retain(|upstream| is_wanted(&upstream.name));
        if source.upstreams().is_empty() && source.read().is_ok() {
            let message = format!("{} disables every upstream of the source", configuration.display());
            return Err(Failure::Configuration(vec![
                Problem::new(message).hint("enable one, or name another"),
            ]));
        }
    }
    source.warn();
    let export = look(program, source, folder.as_ref(), &wishes)?;
    write(&out, &export.files, replace)?;
    for (tool, why) in &export.report.without {
        tracing::warn!("tool '{tool}' is not written down: {why}");
    }
    let report = export.report.text(folder.is_some(), &export.files);
    print_text(&report)?;
    print(format_args!("mcp-disclosure serve --config {}", configuration.display()))
}

/// Whether no source is named, so that what was exported before is meant.
fn names_nothing(source: &SourceArguments) -> bool {
    source.command.is_empty()
        && source.upstream_url.is_empty()
        && source.mcp_config.is_empty()
        && source.config.is_none()
}

/// Starts what `serve` would start, and writes down what it would serve.
fn look(
    program: &Program,
    source: Source,
    folder: Option<&Folder>,
    wishes: &Wishes,
) -> Result<Export, Failure> {
    // Complete definitions are looked at, so no other strategy gets to object.
    let options = StrategyOptions { offered: vec![full::NAME.to_owned()], ..StrategyOptions::default() };
    let entries: Vec<Option<UpstreamEntry>> =
        source.upstreams().iter().map(|upstream| upstream.entry.clone()).collect();
    let config = source.origin.config.clone();
    let mut assembly = source.prepare(&program.registry, &options, receipt_key(None))?;
    let is_source =
        |folder: &&Folder| config.as_ref().is_some_and(|config| folder.is_configured_by(&config.path));
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
        started.gateway.close().await;
        if !started.missing.is_empty() {
            return Err(Failure::Upstreams(started.missing));
        }
        let view = View::of(Arc::clone(&snapshot), &Principal::anonymous());
        let config = config.as_ref().map(|config| &*config.first);
        let origins = Origins {
            snapshot: &snapshot,
            view: &view,
            declared: &declared,
            upstreams,
            config,
            folder,
            wishes,
        };
        Export::of(&origins).map_err(Failure::Configuration)
    })
}
