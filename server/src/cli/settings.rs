//! Flags that are settings of strategies: shorthands for what `[strategy.NAME]` holds.

use clap::Args;
use mcp_disclosure_core::Settings;
use mcp_disclosure_strategy_info as info;
use serde_json::{Value, json};

/// Settings of strategies.
#[derive(Debug, Default, Args)]
pub struct SettingArguments {
    /// What info lists beside its own tool: every tool in a line, or only invoke, which calls them
    /// [default: stubs]
    #[arg(long, value_name = "TOOLS", value_parser = ["stubs", "entry-only"], help_heading = "Strategy")]
    pub info_tools: Option<String>,
}

impl SettingArguments {
    /// Lays these over settings from elsewhere: a flag wins.
    pub fn over(self, mut settings: Settings) -> Settings {
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
