//! `prompt`.

use mcp_disclosure_core::{Era, Memory, Principal, Registry, Settings};

use super::{PromptArguments, print, runtime_for_one, serve::receipt_key};
use crate::{
    dialect::Offer,
    failure::Failure,
    gateway::Gateway,
    negotiation::{Bridge, Strategies, StrategyOptions},
};

/// Prints the guidance that a host puts into its system prompt for a strategy.
///
/// # Errors
/// Like `serve`, for the source and the strategy.
pub fn prompt(registry: &Registry, arguments: PromptArguments) -> Result<(), Failure> {
    // A host that puts guidance into its prompt speaks the strategy itself.
    let options = StrategyOptions {
        pinned: Some(arguments.strategy),
        bridge: Bridge::Never,
        settings: arguments.settings.over(Settings::new()),
        ..StrategyOptions::default()
    };
    let strategies = Strategies::build(registry, &options).map_err(Failure::Configuration)?;
    let source = arguments.source.resolve()?;
    let key = receipt_key(None).map_err(|problem| Failure::Configuration(vec![problem]))?;
    let assembly = source.assembly(strategies, key);
    let guidance = runtime_for_one()?.block_on(async {
        let gateway = Gateway::start(assembly).await?.gateway;
        let choice = gateway.strategies().choose(None, &Offer::default(), Era::Session);
        let page = gateway.backends().shared().catalogue().current().page(
            &Principal::anonymous(),
            &choice,
            &Memory::default(),
        );
        gateway.close().await;
        Ok::<_, Failure>(page.instructions.clone())
    })?;
    match guidance {
        Some(guidance) => print(&format!("{guidance}\n")),
        None => {
            tracing::info!("this strategy needs no guidance");
            Ok(())
        }
    }
}
