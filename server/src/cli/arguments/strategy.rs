//! The choice of strategies.

use clap::Args;
use mcp_disclosure_core::Definitions;
use mcp_disclosure_gateway::negotiation::{Bridge, StrategyOptions};

use super::one_of::one_of;
use crate::{
    cli::{SettingArguments, source::Source},
    switch::Switch,
};

/// The choice of strategies.
#[derive(Debug, Default, Args)]
pub struct StrategyArguments {
    /// Serve every client with this strategy [default: auto]
    ///
    /// A stack is NAME+NAME; auto: the one that the client requests, else --fallback
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub strategy: Option<String>,

    /// Strategies that clients may choose [default: all]
    ///
    /// By offer or by URL
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Strategy")]
    pub offer: Vec<String>,

    /// The strategy of clients that request none [default: adaptive]
    ///
    /// adaptive: full where the complete list is within --budget, else --over-budget
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub fallback: Option<String>,

    /// What a complete list may cost, in tokens [default: 4000]
    ///
    /// Under --fallback adaptive: name, description and inputSchema of all tools (estimated)
    #[arg(long, value_name = "TOKENS", help_heading = "Strategy")]
    pub budget: Option<u64>,

    /// The strategy for lists that cost more [default: search]
    ///
    /// Under --fallback adaptive
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub over_budget: Option<String>,

    /// Whether a strategy's channel is also listed as an ordinary tool: for clients that have not declared the
    /// strategy, for all, or for none [default: auto]
    #[arg(long, value_parser = one_of::<Bridge>(), help_heading = "Strategy")]
    pub bridge: Option<Bridge>,

    /// How much of a definition a model receives that learns a tool over a bridge [default: slim]
    #[arg(long, value_name = "WHICH", value_parser = one_of::<Definitions>(), help_heading = "Strategy")]
    pub definitions: Option<Definitions>,

    /// Whether clients with complete lists are offered tools/manifest and tools/describe [default: on]
    #[arg(long, value_parser = one_of::<Switch>(), help_heading = "Strategy")]
    pub manifest: Option<Switch>,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,
}

impl StrategyArguments {
    /// The options: flags take precedence over the file, and the file over defaults.
    pub(in crate::cli) fn over(self, source: &Source) -> StrategyOptions {
        let (file, defaults) = (source.serve(), StrategyOptions::default());
        let offer = if self.offer.is_empty() { file.offer } else { Some(self.offer) };
        StrategyOptions {
            pinned: self.strategy.or(file.strategy).filter(|name| name != "auto"),
            offered: offer.unwrap_or_default(),
            fallback: self.fallback.or(file.fallback).unwrap_or(defaults.fallback),
            budget: self.budget.or(file.budget).unwrap_or(defaults.budget),
            over_budget: self.over_budget.or(file.over_budget).unwrap_or(defaults.over_budget),
            bridge: self.bridge.or(file.bridge).unwrap_or_default(),
            definitions: self.definitions.or(file.definitions).unwrap_or_default(),
            manifest: self.manifest.or(file.manifest).unwrap_or_default().is_on(),
            settings: self.settings.over(source.settings()),
            places: source.places(),
        }
    }
}
