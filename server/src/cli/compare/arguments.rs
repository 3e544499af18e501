//! The arguments of `compare`.

use std::{mem::take, num::NonZeroUsize, path::PathBuf, str::FromStr};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use mcp_disclosure_compare::{Format, HostKind, Tokenizer};

use super::{
    command::Command, contestants::Rows, prepared::Setup, progress::Progress, transcript::TranscriptArguments,
};
use crate::{
    cli::{Program, SettingArguments, SourceArguments},
    config::Transport,
};

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// Strategies to compare with full
    ///
    /// A stack is NAME+NAME; in parentheses stand a variant or settings, as in info(entry-only), and what clients start
    /// with, as in concerns(cost=low)+describe
    #[arg(long, value_name = "NAMES", default_value = "all", help_heading = "Strategy")]
    pub strategies: Vec<String>,

    /// Compare what this principal sees and pays, by its name in the file
    #[arg(long, value_name = "NAME", help_heading = "Work")]
    pub principal: Option<String>,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,

    /// Negotiating clients request lists without inputSchema, where the strategy supports it
    #[arg(long, help_heading = "Strategy")]
    pub omit_input_schema: bool,

    /// The tools to use, or how many [default: 2]
    ///
    /// Their names, or how many, spread over the list; in a transcript one
    #[arg(long = "use", value_name = "NAMES|N", help_heading = "Work")]
    pub used: Option<Use>,

    /// Calls to make to the real tools: a JSON array of {"tool", "arguments"}. Without it no tool is called
    #[arg(long, value_name = "FILE", conflicts_with = "used", help_heading = "Work")]
    pub script: Option<PathBuf>,

    /// Queries, to see how well tools are found by words
    ///
    /// JSON lines of {"query", "tools"}, labelled with the tools that are right
    #[arg(long, value_name = "FILE", help_heading = "Work")]
    pub queries: Option<PathBuf>,

    /// What hosts show a model of a listed tool: ordinary (name, description, inputSchema), or verbatim (every member)
    #[arg(long, value_name = "HOST", default_value_t, hide_possible_values = true, value_parser = word::<HostKind>(["ordinary", "verbatim"]), help_heading = "Work")]
    pub host: HostKind,

    /// Model requests per conversation
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = "Work")]
    pub turns: u64,

    /// Connections per strategy; times are their medians
    #[arg(long, value_name = "COUNT", default_value = "5", help_heading = "Work", value_parser = repeats)]
    pub repeat: usize,

    /// How clients connect: over stdio, or over HTTP on a local port
    #[arg(long, value_enum, default_value_t, help_heading = "Work")]
    pub transport: Transport,

    /// Token count: o200k_base, cl100k_base, or chars/4
    #[arg(long, value_name = "NAME", default_value_t, hide_possible_values = true, value_parser = word::<Tokenizer>(Tokenizer::NAMES), help_heading = "Report")]
    pub tokenizer: Tokenizer,

    /// Report format: table, json, markdown, or html
    #[arg(long, value_name = "FORMAT", default_value_t, hide_possible_values = true, value_parser = word::<Format>(["table", "json", "markdown", "html"]), help_heading = "Report")]
    pub format: Format,

    /// Show all columns, whatever the width
    #[arg(long, help_heading = "Report")]
    pub wide: bool,

    /// Include what the figures are made of
    ///
    /// Parts, steps, times, growth
    #[arg(long, help_heading = "Report")]
    pub detail: bool,

    /// Write the report to a file
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub out: Option<PathBuf>,

    /// The transcript of a task.
    #[command(flatten)]
    pub transcript: TranscriptArguments,

    /// Exit with 1 if a strategy costs more than this
    ///
    /// In tokens, in total
    #[arg(long, value_name = "TOKENS", help_heading = "Report")]
    pub fail_over: Option<u64>,
}

impl CompareArguments {
    /// What is to be compared. Source and settings are taken out of the arguments.
    pub(super) fn setup<'a>(&mut self, program: &'a Program, rows: &'a str) -> Setup<'a> {
        let (source, settings) = (take(&mut self.source), take(&mut self.settings));
        Setup {
            registry: &program.registry,
            own: program.own.as_ref(),
            command: Command::of(&source, &settings),
            source,
            settings,
            principal: self.principal.clone(),
            rows: Rows { flag: "--strategies", text: rows },
            transport: self.transport,
            progress: Progress::new(),
        }
    }
}

/// The tools to use.
#[derive(Clone, Debug)]
pub enum Use {
    /// This number of tools, sampled by the comparison.
    Count(usize),
    /// Tools with these names.
    Names(Vec<String>),
}

impl FromStr for Use {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = || text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        match text.trim().parse::<usize>() {
            Ok(0) => Err("at least one tool is required".to_owned()),
            Ok(count) => Ok(Self::Count(count)),
            Err(_) if names().next().is_none() => Err("expected names, or a number".to_owned()),
            Err(_) => Ok(Self::Names(names().collect())),
        }
    }
}

/// One of these words, parsed.
fn word<T>(words: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = strum::ParseError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words.into_iter().collect::<Vec<_>>()).try_map(|word| word.parse::<T>())
}

fn repeats(text: &str) -> Result<usize, String> {
    let expected = || "expected a number from 1 to 1000".to_owned();
    let count: NonZeroUsize = text.parse().map_err(|_| expected())?;
    if count.get() <= 1000 { Ok(count.get()) } else { Err(expected()) }
}
