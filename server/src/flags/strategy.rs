//! The choice of strategies, and flags for their settings, which are keys of `[strategy.NAME]`.

use std::str::FromStr;

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use mcp_disclosure_core::{Definitions, Settings};
use mcp_disclosure_gateway::negotiation::{Bridge, StrategyOptions, StrategyPlaces};
use serde_json::{Value, json};
use strum::{EnumMessage, VariantArray};

use super::SourceArguments;
use crate::{
    flags::Switch,
    strategies::{CHOICES, NARROWING},
};

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

/// Settings of strategies.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingArguments {
    /// A value of a declared concern that every client starts with, such as cost=low; may be repeated. Clients can choose
    /// another
    #[arg(long, value_name = "NAME=VALUE", value_parser = choice, help_heading = "Strategy")]
    pub concern: Vec<(String, String)>,
    /// Any other setting, such as search.executors=by-effect
    ///
    /// Of a strategy; may be repeated
    #[arg(long, value_name = "NAME.KEY=VALUE", value_parser = setting, help_heading = "Strategy")]
    pub set: Vec<(String, String, Value)>,
}

/// A source, and settings of strategies.
#[derive(Clone, Debug, Args)]
pub struct SetSource {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,
}

impl SettingArguments {
    /// Merges with other settings; flags take precedence.
    pub fn over(&self, mut settings: Settings) -> Settings {
        for (strategy, key, value) in &self.set {
            set(&mut settings, strategy, key, value.clone());
        }
        for (name, value) in &self.concern {
            choose(&mut settings, name.clone(), value.clone());
        }
        settings
    }
}

/// Parses NAME=VALUE. The value may contain `=`.
fn choice(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("it must be NAME=VALUE, such as cost=low"),
    }
}

/// JSON, or else a text.
pub(crate) fn json_or_text(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| value.into())
}

/// Parses NAME.KEY=VALUE. The value may contain both signs.
fn setting(text: &str) -> Result<(String, String, Value), &'static str> {
    let parts = text.split_once('=').and_then(|(place, value)| Some((place.trim().split_once('.')?, value)));
    match parts {
        Some(((strategy, key), value)) if !strategy.is_empty() && !key.is_empty() => {
            Ok((strategy.to_owned(), key.to_owned(), json_or_text(value)))
        }
        _ => Err("it must be NAME.KEY=VALUE, such as search.hits=3"),
    }
}

/// Adds a choice of the operator's. Choices that are not an object are kept, like settings.
fn choose(settings: &mut Settings, name: String, value: String) {
    let chosen = settings.get(NARROWING).and_then(|settings| settings.get(CHOICES)).cloned();
    let mut chosen = chosen.unwrap_or_else(|| json!({}));
    if let Some(chosen) = chosen.as_object_mut() {
        chosen.insert(name, value.into());
    }
    set(settings, NARROWING, CHOICES, chosen);
}

/// Settings that are not an object are kept: the strategy rejects them with a better message.
pub(crate) fn set(settings: &mut Settings, strategy: &str, key: &str, value: Value) {
    let strategy = settings.entry(strategy.to_owned()).or_insert_with(|| json!({}));
    if let Some(strategy) = strategy.as_object_mut() {
        strategy.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_take_precedence_and_other_settings_are_kept() {
        let file = || Settings::from([("describe".to_owned(), json!({"long_briefs": "reject", "other": 1}))]);
        let said = |settings: &[&str]| SettingArguments {
            set: settings.iter().map(|text| setting(text).unwrap()).collect(),
            ..SettingArguments::default()
        };
        let given = said(&["describe.long_briefs=shorten", "search.hits=3"]).over(file());
        assert_eq!(given["describe"], json!({"long_briefs": "shorten", "other": 1}));
        assert_eq!(given["search"], json!({"hits": 3}), "values are JSON where they can be");
        assert_eq!(said(&[]).over(file()), file());
    }

    #[test]
    fn b11_choices_take_precedence_name_by_name() {
        let concern = ["cost=a,b=c", " delay =", "cost=low"].map(|text| choice(text).unwrap()).into();
        let flags = SettingArguments { concern, ..SettingArguments::default() };
        let file = Settings::from([(
            "concerns".to_owned(),
            json!({"choices": {"cost": "high", "x": 1}, "expose": true}),
        )]);
        let expected = json!({"choices": {"cost": "low", "x": 1, "delay": ""}, "expose": true});
        assert_eq!(flags.over(file)["concerns"], expected);
        assert_eq!(choice("cost=a,b=c").unwrap().1, "a,b=c");
        for wrong in ["cost", "=low", " =low", ""] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
    }
}
