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
    /// The proof of a fetch under resource in sessions: a mark in the session, or a signed receipt that calls contain; auto signs for
    /// clients that read in one session and call in another [default: auto]
    #[arg(long, value_name = "PROOF", value_parser = ["auto", "session", "signed"], help_heading = "Receipts")]
    pub receipts: Option<String>,
    /// A value of a declared concern that every client starts with, such as cost=low; may be repeated. Clients can choose
    /// another
    #[arg(long, value_name = "NAME=VALUE", value_parser = choice, help_heading = "Strategy")]
    pub concern: Vec<(String, String)>,
    /// Any other setting, such as search.executors=by-effect
    ///
    /// Of a strategy; may be repeated
    #[arg(long, value_name = "NAME.KEY=VALUE", value_parser = setting, help_heading = "Strategy")]
    pub set: Vec<StrategySetting>,
}

/// A setting of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategySetting {
    strategy: String,
    key: String,
    /// As it was written: JSON, or else a text.
    value: String,
}

/// One flag and the setting that it is short for.
struct Flag<'a> {
    name: &'static str,
    strategy: &'static str,
    key: &'static str,
    value: &'a mut Option<String>,
}

/// The flag of choices.
const CONCERN: &str = "--concern";

/// The flag for any setting.
pub(super) const SET: &str = "--set";

impl SettingArguments {
    /// All flags for one setting each.
    fn each(&mut self) -> [Flag<'_>; 3] {
        let Self { long_briefs, info_tools, receipts, .. } = self;
        let flag = |name, strategy, key, value| Flag { name, strategy, key, value };
        [
            flag("--long-briefs", describe::NAME, "long_briefs", long_briefs),
            flag("--info-tools", info::NAME, "tools", info_tools),
            flag("--receipts", resource::NAME, "receipts", receipts),
        ]
    }

    /// Sets the flag for a setting of a strategy; returns whether it has one.
    pub(super) fn set(&mut self, strategy: &str, key: &str, value: &str) -> bool {
        let found = self.each().into_iter().find(|flag| (flag.strategy, flag.key) == (strategy, key));
        found.map(|flag| *flag.value = Some(value.to_owned())).is_some()
    }

    /// Chooses a value of a concern for a filter, instead of an earlier choice; returns whether there is a flag for that.
    pub(super) fn choose(&mut self, filter: &str, name: &str, value: &str) -> bool {
        if filter != concerns::NAME {
            return false;
        }
        self.concern.retain(|(chosen, _)| chosen != name);
        self.concern.push((name.to_owned(), value.to_owned()));
        true
    }

    /// The flags that were given, as arguments of a command line.
    pub(super) fn given(&self) -> Vec<(&'static str, String)> {
        let mut given = self.clone();
        let flags = given.each().into_iter().filter_map(|flag| Some((flag.name, flag.value.take()?)));
        let choices = self.concern.iter().map(|(name, value)| (CONCERN, format!("{name}={value}")));
        let settings = self
            .set
            .iter()
            .map(|StrategySetting { strategy, key, value }| (SET, format!("{strategy}.{key}={value}")));
        flags.chain(choices).chain(settings).collect()
    }

    /// Merges with other settings; flags take precedence.
    pub fn over(mut self, mut settings: Settings) -> Settings {
        for StrategySetting { strategy, key, value } in &self.set {
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.as_str().into());
            set(&mut settings, strategy, key, value);
        }
        for flag in self.each() {
            if let Some(value) = flag.value.take() {
                set(&mut settings, flag.strategy, flag.key, value.into());
            }
        }
        for (name, value) in self.concern {
            choose(&mut settings, concerns::NAME, name, value);
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

/// Parses NAME.KEY=VALUE. The value may contain both signs.
fn setting(text: &str) -> Result<StrategySetting, &'static str> {
    let parts = text.split_once('=').and_then(|(place, value)| Some((place.trim().split_once('.')?, value)));
    match parts {
        Some(((strategy, key), value)) if !strategy.is_empty() && !key.is_empty() => {
            Ok(StrategySetting { strategy: strategy.into(), key: key.into(), value: value.into() })
        }
        _ => Err("it must be NAME.KEY=VALUE, such as search.hits=3"),
    }
}

/// The key of the operator's choices.
pub(super) const CHOICES: &str = "choices";

/// Adds a choice of the operator's for this filter. Choices that are not an object are kept, like settings.
pub(super) fn choose(settings: &mut Settings, filter: &str, name: String, value: String) {
    let chosen = settings.get(filter).and_then(|settings| settings.get(CHOICES)).cloned();
    let mut chosen = chosen.unwrap_or_else(|| json!({}));
    if let Some(chosen) = chosen.as_object_mut() {
        chosen.insert(name, value.into());
    }
    set(settings, filter, CHOICES, chosen);
}

/// Settings that are not an object are kept: the strategy rejects them with a better message.
pub(super) fn set(settings: &mut Settings, strategy: &str, key: &str, value: Value) {
    let strategy = settings.entry(strategy.to_owned()).or_insert_with(|| json!({}));
    if let Some(strategy) = strategy.as_object_mut() {
        strategy.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn q3_what_is_given_is_what_was_parsed() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            settings: SettingArguments,
        }

        let line = "--long-briefs=reject --info-tools=entry-only --receipts=signed --concern=a=b=c --concern=d=e --set=search.hits=3";
        let Line { settings } = Line::parse_from(std::iter::once("x").chain(line.split(' ')));
        let given: Vec<String> =
            settings.given().iter().map(|(flag, value)| format!("{flag}={value}")).collect();
        assert_eq!(given.join(" "), line);
        // Each flag changes a setting of its own.
        let set = settings.over(Settings::new());
        assert_eq!(set.values().flat_map(|of| of.as_object().unwrap()).count(), 5, "{set:?}");
        assert_eq!(set["search"], json!({"hits": 3}), "values are JSON where they can be");
    }

    #[test]
    fn q3_settings_have_their_flags() {
        let mut settings = SettingArguments::default();
        assert!(settings.set(info::NAME, "tools", "stubs") && !settings.set(info::NAME, "colour", "red"));
        assert!(
            settings.choose(concerns::NAME, "cost", "high") && settings.choose(concerns::NAME, "cost", "low")
        );
        assert!(!settings.clone().choose("a-filter", "cost", "low"));
        let given = [("--info-tools", "stubs".to_owned()), ("--concern", "cost=low".to_owned())];
        assert_eq!(settings.given(), given);
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
