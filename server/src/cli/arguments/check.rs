//! `check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, builder::PossibleValuesParser};

use crate::{
    check::CODES,
    flags::{Given, SessionStoreArguments, SourceArguments, StrategyArguments},
};

/// The flags of `serve` that `check` takes.
#[derive(Debug, Args)]
pub struct CheckedArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The choice of strategies.
    #[command(flatten)]
    pub strategies: StrategyArguments,

    /// As serve --allow-anonymous: listening beyond loopback without tokens is meant
    #[arg(long, help_heading = "Access")]
    pub allow_anonymous: bool,

    /// The store of sessions.
    #[command(flatten)]
    pub session_store: SessionStoreArguments,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<CheckedArguments>,

    /// Show what this principal sees and pays, by its name in the file
    #[arg(long, value_name = "NAME", help_heading = "Access")]
    pub principal: Option<String>,

    /// Exit with 1 if anything is found; notes count with --notes
    #[arg(long, help_heading = "Findings")]
    pub strict: bool,

    /// Show notes, too: what could be better in the texts of upstreams, for example
    #[arg(long, help_heading = "Findings")]
    pub notes: bool,

    /// Queries, to see which tools their words do not find
    ///
    /// JSON lines of {"query", "tools"}, labelled with the tools that are right, as for compare
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    pub queries: Option<PathBuf>,

    /// Ignore findings with these codes
    #[arg(
        long, value_name = "CODES", value_delimiter = ',', help_heading = "Findings",
        value_parser = PossibleValuesParser::new(CODES), hide_possible_values = true
    )]
    pub allow: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Findings")]
    pub format: Format,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Grouped, worst first.
    #[default]
    Text,
    /// One object, with every finding.
    Json,
}
