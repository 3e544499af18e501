//! `demo` and `prompt`, which show one strategy.

use clap::Args;

use crate::flags::{Given, SettingArguments, SourceArguments};

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
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<SetSource>,

    /// The strategy to give guidance for
    #[arg(long, value_name = "NAME")]
    pub strategy: String,
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
