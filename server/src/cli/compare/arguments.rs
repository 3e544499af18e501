//! The arguments of `compare`.

use std::path::PathBuf;

use clap::Args;
use mcp_disclosure_compare::{Format, HostKind, Tokenizer, Used};

use crate::flags::{Given, SetSource, one_of};

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// What serve would be told.
    #[command(flatten)]
    pub flags: Given<SetSource>,

    /// Strategies to compare with full
    ///
    /// A stack is NAME+NAME; in parentheses stand a variant or settings, as in info(entry-only), and what clients start
    /// with, as in concerns(cost=low)+describe
    #[arg(long, value_name = "NAMES", default_value = "all", help_heading = "Strategy")]
    pub strategies: Vec<String>,

    /// Compare what this principal sees and pays, by its name in the file
    #[arg(long, value_name = "NAME", help_heading = "Work")]
    pub principal: Option<String>,

    /// Negotiating clients request lists without inputSchema, where the strategy supports it
    #[arg(long, help_heading = "Strategy")]
    pub omit_input_schema: bool,

    /// The tools to use, or how many [default: 2]
    ///
    /// Their names, or how many, spread over the list; in a transcript one
    #[arg(long = "use", value_name = "NAMES|N", help_heading = "Work")]
    pub used: Option<Used>,

    /// Queries, to see how well tools are found by words
    ///
    /// JSON lines of {"query", "tools"}, labelled with the tools that are right
    #[arg(long, value_name = "FILE", help_heading = "Work")]
    pub queries: Option<PathBuf>,

    /// What hosts show a model of a listed tool: ordinary (name, description, inputSchema), or verbatim (every member)
    #[arg(long, value_name = "HOST", default_value_t, hide_possible_values = true, value_parser = one_of::<HostKind>(), help_heading = "Work")]
    pub host: HostKind,

    /// Model requests per conversation
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = "Work")]
    pub turns: u64,

    /// Token count: o200k_base, or chars/4
    #[arg(long, value_name = "NAME", default_value_t, hide_possible_values = true, value_parser = one_of::<Tokenizer>(), help_heading = "Report")]
    pub tokenizer: Tokenizer,

    /// Report format: table, json, markdown, or html
    #[arg(long, value_name = "FORMAT", default_value_t, hide_possible_values = true, value_parser = one_of::<Format>(), help_heading = "Report")]
    pub format: Format,

    /// Show all columns, whatever the width
    #[arg(long, help_heading = "Report")]
    pub wide: bool,

    /// Include what the figures are made of
    ///
    /// Parts of the start, steps of learning
    #[arg(long, help_heading = "Report")]
    pub detail: bool,

    /// Write the report to a file
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub out: Option<PathBuf>,

    /// Exit with 1 if a strategy costs more than this
    ///
    /// In tokens, in total
    #[arg(long, value_name = "TOKENS", help_heading = "Report")]
    pub fail_over: Option<u64>,

    /// Show one task under each strategy, step by step
    ///
    /// What the model sees, asks, calls and gets
    #[arg(long, help_heading = "Transcript", conflicts_with_all = ["fail_over", "detail", "omit_input_schema", "queries", "turns", "wide"])]
    pub transcript: bool,

    /// The task: a JSON file of calls, in order, with their answers; docs/compare.md describes it
    #[arg(
        long,
        value_name = "FILE",
        requires = "transcript",
        conflicts_with = "used",
        help_heading = "Transcript"
    )]
    pub task: Option<PathBuf>,

    /// The width of tables and transcripts, in characters [default: the terminal's; else 80, and 100 for transcripts]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..=1000), help_heading = "Transcript")]
    pub width: Option<u16>,

    /// Show texts completely, instead of what matters in them
    #[arg(long, requires = "transcript", help_heading = "Transcript")]
    pub full: bool,
}
