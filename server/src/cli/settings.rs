//! Flags for settings of strategies: shorthands for keys of `[strategy.NAME]`.

use clap::Args;
use mcp_disclosure_core::Settings;
use mcp_disclosure_strategy_describe as describe;
use mcp_disclosure_strategy_info as info;
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
}

impl SettingArguments {
    /// Merges with other settings; flags take precedence.
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
    fn flags_take_precedence_and_other_settings_are_kept() {
        let file = || Settings::from([("describe".to_owned(), json!({"long_briefs": "reject", "other": 1}))]);
        let said =
            |how: Option<&str>| SettingArguments { long_briefs: how.map(str::to_owned), info_tools: None };
        let expected = json!({"long_briefs": "shorten", "other": 1});
        assert_eq!(said(Some("shorten")).over(file())["describe"], expected);
        assert_eq!(said(None).over(file()), file());
        assert_eq!(said(Some("reject")).over(Settings::new())["describe"], json!({"long_briefs": "reject"}));
    }
}
