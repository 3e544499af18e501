//! `export`.

use mcp_disclosure_core::{Principal, UpstreamName, View, full};
use mcp_disclosure_gateway::{Gateway, Problem, negotiation::StrategyOptions};
use mcp_disclosure_transport::printable::printable;

use super::{ExportArguments, Program, print, runtime_for_one, serve::receipt_key};
use crate::{
    config::UpstreamEntry,
    export::{Export, Origins, write},
    failure::Failure,
};

/// Writes down what would be served.
///
/// # Errors
/// Like `serve`, for the source, where one upstream that cannot be used is enough; and what keeps files from being
/// written.
pub fn export(program: &Program, arguments: ExportArguments) -> Result<(), Failure> {
    let ExportArguments { source, out, force } = arguments;
    let source = source.resolve(program.own.as_ref())?;
    source.warn();
    // Complete definitions are looked at, so no other strategy gets to object.
    let options = StrategyOptions { offered: vec![full::NAME.to_owned()], ..StrategyOptions::default() };
    let entries: Vec<Option<UpstreamEntry>> =
        source.upstreams().iter().map(|upstream| upstream.entry.clone()).collect();
    let config = source.origin.config.clone();
    let assembly = source.prepare(&program.registry, &options, receipt_key(None))?;
    let declared = assembly.declared.clone();
    let export = runtime_for_one()?.block_on(async {
        let started = Gateway::start(assembly).await?;
        let backend = std::sync::Arc::clone(started.gateway.backends().shared());
        let view = View::of(backend.catalogue().current().snapshot().clone(), &Principal::anonymous());
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
        let config = config.as_ref().map(|config| &*config.first);
        Export::of(&Origins { view: &view, declared: &declared, upstreams, config }).map_err(|error| {
            let message = format!("what is declared cannot be written as TOML: {error}");
            Failure::Configuration(vec![Problem::new(message)])
        })
    })?;
    write(&out, &export.files, force)?;
    for (tool, why) in &export.without {
        tracing::warn!("tool '{}' has no description file: {}", printable(tool), printable(why));
    }
    let count = export.files.len() - 1;
    let files =
        if count == 1 { "1 description file".to_owned() } else { format!("{count} description files") };
    let configuration = out.join(crate::export::CONFIGURATION);
    let configuration = configuration.display();
    print(&format!("{files} and {configuration}\nmcp-disclosure serve --config {configuration}\n"))
}
