//! `prompt`.

use mcp_disclosure_core::{ClientTraits, Era, Registry, View};

use super::{PromptArguments, print, runtime_for_one};
use crate::{
    failure::{Failure, Problem},
    gateway::{Assembly, Gateway},
    negotiation::{Strategies, StrategyOptions},
};

/// Prints the guidance that a host puts into its system prompt for a strategy.
///
/// # Errors
/// Like `serve`, for the source and the strategy.
pub fn prompt(registry: &Registry, arguments: PromptArguments) -> Result<(), Failure> {
    let options = StrategyOptions { pinned: Some(arguments.strategy), ..StrategyOptions::default() };
    let strategies = Strategies::build(registry, &options).map_err(Failure::Configuration)?;
    let source = arguments.source.resolve()?;
    let key = mcp_disclosure_core::ReceiptKey::new(&[0; 32]);
    let key = key.ok_or_else(|| Failure::Usage(vec![Problem::new("no receipt key")]))?;
    let assembly = Assembly {
        targets: source.targets,
        files: source.files,
        patience: source.patience,
        ..Assembly::new(strategies, key)
    };
    let guidance = runtime_for_one()?.block_on(async {
        let gateway = Gateway::start(assembly).await?.gateway;
        let snapshot = std::sync::Arc::clone(gateway.catalogue().current().snapshot());
        let offer = crate::dialect::Offer::default();
        let choice = gateway.strategies().choose(None, &offer, Era::Session);
        let traits = ClientTraits::plain(Era::Session);
        let view = View::of(snapshot, &mcp_disclosure_core::Principal::anonymous());
        let guidance = choice.strategy.list(&view, &traits).instructions;
        gateway.close().await;
        Ok::<_, Failure>(guidance)
    })?;
    match guidance {
        Some(guidance) => print(&format!("{guidance}\n")),
        None => {
            tracing::info!("this strategy needs no guidance");
            Ok(())
        }
    }
}
