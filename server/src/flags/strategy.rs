//! The choice of strategies.

use std::str::FromStr;

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use mcp_disclosure_core::{Definitions, Settings};
use mcp_disclosure_gateway::negotiation::{Bridge, StrategyOptions, StrategyPlaces};

use super::SettingArguments;
use strum::{EnumMessage, VariantArray};

use crate::flags::Switch;

/// The choice of strategies.
#[derive(Clone, Debug, Args)]
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

    /// The strategy of clients that request none
    ///
    /// adaptive: full where the complete list is within --budget, else --over-budget
    #[arg(long, value_name = "NAME", default_value_t = StrategyOptions::default().fallback, help_heading = "Strategy")]
    pub fallback: String,

    /// What a complete list may cost, in tokens
    ///
    /// Under --fallback adaptive: name, description and inputSchema of all tools, at 4.5 bytes of JSON each
    #[arg(long, value_name = "TOKENS", default_value_t = StrategyOptions::default().budget, help_heading = "Strategy")]
    pub budget: u64,

    /// The strategy for lists that cost more
    ///
    /// Under --fallback adaptive
    #[arg(long, value_name = "NAME", default_value_t = StrategyOptions::default().over_budget, help_heading = "Strategy")]
    pub over_budget: String,

    /// Whether a strategy's channel is also listed as an ordinary tool: for clients that have not declared the
    /// strategy, for all, or for none
    #[arg(long, default_value_t, value_parser = one_of::<Bridge>(), help_heading = "Strategy")]
    pub bridge: Bridge,

    /// How much of a definition a model receives that learns a tool over a bridge
    #[arg(long, value_name = "WHICH", default_value_t, value_parser = one_of::<Definitions>(), help_heading = "Strategy")]
    pub definitions: Definitions,

    /// Whether clients with complete lists are offered tools/manifest and tools/describe (SEP-2636)
    #[arg(long, default_value_t, value_parser = one_of::<Switch>(), help_heading = "Strategy")]
    pub manifest: Switch,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,
}

impl StrategyArguments {
    /// The options, with a file's settings of strategies and places.
    pub fn options(&self, settings: Settings, places: StrategyPlaces) -> StrategyOptions {
        StrategyOptions {
            pinned: self.strategy.clone().filter(|name| name != "auto"),
            offered: self.offer.clone(),
            fallback: self.fallback.clone(),
            budget: self.budget,
            over_budget: self.over_budget.clone(),
            bridge: self.bridge,
            definitions: self.definitions,
            manifest: self.manifest.is_on(),
            settings: self.settings.over(settings),
            places,
        }
    }
}

/// Parses a library enum by name; help shows the documentation of its variants.
pub(crate) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + FromStr<Err = strum::ParseError> + Clone + Send + Sync,
    &'static str: From<&'static T>,
{
    let values = T::VARIANTS.iter().map(|value| {
        let help = value.get_documentation().unwrap_or_default();
        PossibleValue::new(<&str>::from(value)).help(help.trim_end_matches('.').to_owned())
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<T>())
}
