//! Flags that are settings of strategies: shorthands for what `[strategy.NAME]` holds.

use clap::Args;
use mcp_disclosure_core::Settings;
use mcp_disclosure_strategy_describe as describe;
use mcp_disclosure_strategy_info as info;
use serde_json::{Value, json};

/// Settings of strategies.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingArguments {
    /// What describe does with a brief, or a description where there is none, of over 60 characters: refuse to
    /// serve it, or derive a shorter one [default: reject]
    #[arg(long, value_name = "HOW", value_parser = ["reject", "shorten"], help_heading = "Strategy")]
    pub long_briefs: Option<String>,
    /// What info lists beside its own tool: every tool in a line, or only invoke, which calls them
    /// [default: stubs]
    #[arg(long, value_name = "TOOLS", value_parser = ["stubs", "entry-only"], help_heading = "Strategy")]
    pub info_tools: Option<String>,
}

impl SettingArguments {
    /// Lays these over settings from elsewhere: a flag wins.
    pub fn over(self, mut settings: Settings) -> Settings {
        if let Some(how) = self.long_briefs {
            set(&mut settings, describe::NAME, "long_briefs", how.into());
        }
        if let Some(tools) = self.info_tools {
            set(&mut settings, info::NAME, "tools", tools.into());
        }
        settings
    }
}

/// Settings that are no object are left to the strategy, which refuses them.
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
    fn a_flag_wins_and_what_was_not_said_stays() {
        let file = || Settings::from([("describe".to_owned(), json!({"long_briefs": "reject", "other": 1}))]);
        let said =
            |how: Option<&str>| SettingArguments { long_briefs: how.map(str::to_owned), info_tools: None };
        let expected = json!({"long_briefs": "shorten", "other": 1});
        assert_eq!(said(Some("shorten")).over(file())["describe"], expected);
        assert_eq!(said(None).over(file()), file());
        assert_eq!(said(Some("reject")).over(Settings::new())["describe"], json!({"long_briefs": "reject"}));
    }
}
