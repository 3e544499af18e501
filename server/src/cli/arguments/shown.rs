//! `demo` and `prompt`, which show one strategy.

use clap::Args;

use crate::cli::{SettingArguments, SourceArguments};

/// `demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// The strategy to show against full [default: resource]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
}

/// `prompt`.
#[derive(Debug, Args)]
pub struct PromptArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The strategy to give guidance for
    #[arg(long, value_name = "NAME")]
    pub strategy: String,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,
}
