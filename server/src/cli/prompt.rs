//! `prompt`.

use clap::Args;
use mcp_disclosure_core::{Era, Memory, Permits, Principal};
use mcp_disclosure_gateway::{
    Gateway, Offer,
    negotiation::{Bridge, StrategyOptions},
};

use super::{Program, print_text, runtime_for_one};
use crate::{
    failure::Failure,
    flags::{Given, SetSource},
};

/// `prompt`.
#[derive(Debug, Args)]
pub struct PromptArguments {
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<SetSource>,

    /// The strategy to give guidance for
    #[arg(long, value_name = "NAME")]
    pub strategy: String,
}

/// Prints a strategy's guidance for a host's system prompt.
///
/// # Errors
/// Like `serve`, for the source and the strategy.
pub fn prompt(program: &Program, arguments: PromptArguments) -> Result<(), Failure> {
    let source = arguments.flags.resolve(program.own.as_ref())?;
    source.warn();
    // A host that adds guidance to its prompt speaks the strategy's native channel.
    let options = StrategyOptions {
        pinned: Some(arguments.strategy),
        bridge: Bridge::Never,
        settings: source.options().settings,
        ..StrategyOptions::default()
    };
    let assembly = source.prepare(&program.registry, &options, None)?;
    let guidance = runtime_for_one()?.block_on(async {
        let gateway = Gateway::start(assembly).await?.gateway;
        let choice = gateway.strategies().choose(None, &Permits::all(), &Offer::default(), Era::Session);
        let page = gateway.backends().shared().catalogue().current().page(
            &Principal::anonymous(),
            &choice,
            &Memory::default(),
        );
        gateway.close().await;
        Ok::<_, Failure>(page.instructions.clone())
    })?;
    match guidance {
        Some(guidance) => print_text(&format!("{guidance}\n")),
        None => {
            tracing::info!("this strategy has no guidance");
            Ok(())
        }
    }
}
