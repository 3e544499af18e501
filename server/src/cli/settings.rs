//! Flags for settings of strategies: shorthands for keys of `[strategy.NAME]`.

use clap::Args;
use mcp_disclosure_core::Settings;
use mcp_disclosure_strategy_concerns as concerns;
use mcp_disclosure_strategy_describe as describe;
use mcp_disclosure_strategy_info as info;
use mcp_disclosure_strategy_resource as resource;
use serde_json::{Value, json};

/// Settings of strategies.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingArguments {
    /// What describe does with texts over 60 characters: shorten upstreams' descriptions and refuse briefs that you
    /// wrote, refuse both, or shorten both [default: shorten-derived]
    #[arg(
        long,
        value_name = "HOW",
        value_parser = ["shorten-derived", "reject", "shorten"],
        help_heading = "Strategy"
    )]
    pub long_briefs: Option<String>,
    /// What info lists besides its own tool: every tool as a line, or only invoke, which calls them
    /// [default: stubs]
    #[arg(long, value_name = "TOOLS", value_parser = ["stubs", "entry-only"], help_heading = "Strategy")]
    pub info_tools: Option<String>,
    /// The proof of a fetch under resource in sessions: a mark in the session, or a signed receipt that calls contain, for
    /// hosts that open a session per call [default: session]
    #[arg(long, value_name = "PROOF", value_parser = ["session", "signed"], help_heading = "Receipts")]
    pub receipts: Option<String>,
    /// A value of a declared concern that every client starts with, such as cost=low; may be repeated. Clients can choose
    /// another
    #[arg(long, value_name = "NAME=VALUE", value_parser = choice, help_heading = "Strategy")]
    pub concern: Vec<(String, String)>,
}

/// Settings that have a flag: strategy, key, flag.
const FLAGS: [(&str, &str, &str); 2] =
    [(describe::NAME, "long_briefs", "--long-briefs"), (info::NAME, "tools", "--info-tools")];

impl SettingArguments {
    /// The flag for a setting of a strategy, if it has one.
    pub(super) fn flag(strategy: &str, key: &str) -> Option<&'static str> {
        let found = FLAGS.iter().find(|(named, setting, _)| (*named, *setting) == (strategy, key))?;
        Some(found.2)
    }

    /// The flags that were given, as arguments of a command line.
    pub(super) fn given(&self) -> Vec<(&'static str, String)> {
        let [briefs, tools] = FLAGS.map(|(_, _, flag)| flag);
        let given = [(briefs, &self.long_briefs), (tools, &self.info_tools)];
        given.into_iter().filter_map(|(flag, value)| Some((flag, value.clone()?))).collect()
    }

    /// Merges with other settings; flags take precedence.
    pub fn over(self, mut settings: Settings) -> Settings {
        if let Some(how) = self.long_briefs {
            set(&mut settings, describe::NAME, "long_briefs", how.into());
        }
        if let Some(tools) = self.info_tools {
            set(&mut settings, info::NAME, "tools", tools.into());
        }
        if let Some(proof) = self.receipts {
            set(&mut settings, resource::NAME, "receipts", proof.into());
        }
        if !self.concern.is_empty() {
            let file = settings.get(concerns::NAME).and_then(|settings| settings.get(CHOICES)).cloned();
            let mut choices = file.unwrap_or_else(|| json!({}));
            if let Some(choices) = choices.as_object_mut() {
                choices.extend(self.concern.into_iter().map(|(name, value)| (name, value.into())));
            }
            set(&mut settings, concerns::NAME, CHOICES, choices);
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

/// The key of the operator's choices.
pub(super) const CHOICES: &str = "choices";

/// Settings that are not an object are kept: the strategy rejects them with a better message.
fn set(settings: &mut Settings, strategy: &str, key: &str, value: Value) {
    let strategy = settings.entry(strategy.to_owned()).or_insert_with(|| json!({}));
    if let Some(strategy) = strategy.as_object_mut() {
        strategy.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_its_setting() {
        let said = SettingArguments {
            long_briefs: Some("a".to_owned()),
            info_tools: Some("b".to_owned()),
            ..SettingArguments::default()
        };
        let settings = said.clone().over(Settings::new());
        for ((strategy, key, flag), (given, value)) in FLAGS.into_iter().zip(said.given()) {
            assert_eq!((given, SettingArguments::flag(strategy, key)), (flag, Some(flag)));
            assert_eq!(settings[strategy][key], json!(value));
        }
        assert_eq!(SettingArguments::flag(info::NAME, "colour"), None);
    }

    #[test]
    fn flags_take_precedence_and_other_settings_are_kept() {
        let file = || Settings::from([("describe".to_owned(), json!({"long_briefs": "reject", "other": 1}))]);
        let said = |how: Option<&str>| SettingArguments {
            long_briefs: how.map(str::to_owned),
            ..SettingArguments::default()
        };
        let expected = json!({"long_briefs": "shorten", "other": 1});
        assert_eq!(said(Some("shorten")).over(file())["describe"], expected);
        assert_eq!(said(None).over(file()), file());
        assert_eq!(said(Some("reject")).over(Settings::new())["describe"], json!({"long_briefs": "reject"}));
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
