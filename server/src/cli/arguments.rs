//! The command line's arguments.

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

use clap::{
    Args, CommandFactory, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use ipnet::IpNet;
use mcp_disclosure_core::Definitions;
use mcp_disclosure_gateway::{
    FetchLimits, Manifests, OfferedRevisions,
    backend::Scope,
    front::http::network,
    negotiation::{Bridge, StrategyOptions},
};
use strum::{EnumMessage, VariantArray};

use super::{
    AccessArguments, CompareArguments, LoginArguments, LogoutArguments, ManArguments, SettingArguments,
    SourceArguments, limits, log_filter,
    source::Source,
    source_arguments::{HEADING, seconds},
};
use crate::{
    check::CODES, config::Transport, log::LogFormat, operating::OperatingArguments, remember::Remember,
};

/// The default log filter.
pub const LOG: &str = "info,rmcp=warn";

/// One MCP server in front of any others, disclosing their tools progressively.
///
/// Put it in front of the server you have, and a model sees one line for each tool at first:
///
///   mcp-disclosure serve --strategy resource -- npx -y @modelcontextprotocol/server-everything
///
/// Without a source it serves a demonstration: a mathematics server with eleven tools.
#[derive(Debug, Parser)]
#[command(name = "mcp-disclosure", version, verbatim_doc_comment)]
pub struct Arguments {
    /// What to log to stderr: error, warn, info, debug, trace, or a filter such as
    /// "warn,mcp_disclosure_gateway=debug"
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = "MCP_DISCLOSURE_LOG",
        default_value = LOG,
        value_parser = log_filter::parse
    )]
    pub log: String,

    /// How the log on stderr is written: lines for people, or a JSON object a line
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORMAT",
        env = "MCP_DISCLOSURE_LOG_FORMAT",
        default_value_t
    )]
    pub log_format: LogFormat,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Arguments {
    /// The command line of a program without the demonstration, with another heading for sources.
    pub fn without_demonstration(heading: &'static str) -> clap::Command {
        let headed = move |argument: clap::Arg| match argument.get_help_heading() {
            Some(HEADING) => argument.help_heading(heading),
            _ => argument,
        };
        Self::command().long_about(None).mut_subcommands(move |command| command.mut_args(headed))
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "parsed once")]
pub enum Command {
    /// Serve MCP clients
    #[command(after_long_help = limits::help())]
    Serve(ServeArguments),
    /// Report what serve would refuse, and what would mislead a model or a host
    ///
    /// Starts the source as serve would, lists its tools, and calls none:
    ///
    ///   mcp-disclosure check -- npx -y @modelcontextprotocol/server-everything
    ///   mcp-disclosure check --config disclosure.toml --strict --allow no-example,no-returns,no-related
    ///
    /// Findings are errors (serve would not start, or would leave something out), warnings (a model
    /// or a host is likely to fail) and notes (possible improvements); docs/configuration.md lists
    /// all codes.
    ///
    /// Exit codes: 0; 1 if an error is found, or with --strict anything; 64 if serve would not start.
    #[command(verbatim_doc_comment)]
    Check(CheckArguments),
    /// Write a description file per tool, and a disclosure.toml to start from
    ///
    /// Whatever the source is, one directory holds all of it afterwards:
    ///
    ///   mcp-disclosure export --mcp-config mcp.json --out disclosure
    ///   mcp-disclosure serve --config disclosure/disclosure.toml
    ///
    /// Serving the result changes nothing until you do: edit a file, and the running server takes
    /// it over. Tools are sorted into categories by upstream, by the beginning of their names and
    /// by what they say they change; rename and describe these as you like.
    ///
    /// Nothing is written where anything is wrong, and nothing replaced without --replace.
    #[command(verbatim_doc_comment)]
    Export(ExportArguments),
    /// Compare what each strategy costs on a source's tools; --transcript shows what a model sees and does
    Compare(Box<CompareArguments>),
    /// Show in one screen what disclosure does: one task without it, and with it
    Demo(DemoArguments),
    /// Put this program in front of the servers that your hosts start
    ///
    /// Finds the files in which Claude, Cursor, VS Code and others name their servers, shows what would change, asks,
    /// and keeps a backup:
    ///
    ///   mcp-disclosure init --dry-run
    ///   mcp-disclosure init --host cursor
    ///   mcp-disclosure init --file .vscode/mcp.json --strategy info --yes
    ///
    /// No server is started by this. Entries keep their variables, folders and switches; all else in the file stays as
    /// it is. `mcp-disclosure undo` gives back what was there.
    ///
    /// Exit codes: 0; 2 if there is no terminal to ask on; 64 if a file cannot be edited; 1 if it cannot be written.
    #[command(verbatim_doc_comment)]
    Init(InitArguments),
    /// Take this program out of the files that init changed
    ///
    ///   mcp-disclosure undo --dry-run
    ///   mcp-disclosure undo
    ///   mcp-disclosure undo --file .vscode/mcp.json --yes
    ///
    /// A file that is as init left it gets its former bytes back. In one that was edited since, only the entries that
    /// init changed are turned back.
    #[command(verbatim_doc_comment)]
    Undo(UndoArguments),
    /// Sign in to upstreams that ask for it, in a browser
    ///
    ///   mcp-disclosure login --config disclosure.toml tracker
    ///   mcp-disclosure login --config disclosure.toml --all
    ///
    /// The URL to open is always printed. One sign-in is for all clients that are served; the tokens are kept in your
    /// configuration folder and renewed without you. A running serve notices it.
    ///
    /// Exit codes: 0; 1 if an upstream was not signed in to; 2 and 64 as for serve.
    #[command(verbatim_doc_comment)]
    Login(LoginArguments),
    /// Forget the tokens of upstreams
    ///
    ///   mcp-disclosure logout --config disclosure.toml tracker
    ///
    /// What was granted can be withdrawn at the upstream's own site.
    #[command(verbatim_doc_comment)]
    Logout(LogoutArguments),
    /// Print the system prompt guidance for hosts
    Prompt(PromptArguments),
    /// List the strategies: name, summary, needs
    Strategies,
    /// Print completions for a shell
    ///
    ///   mcp-disclosure completions bash > ~/.local/share/bash-completion/completions/mcp-disclosure
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page, or write all of them
    ///
    ///   mcp-disclosure man | man -l -
    ///   mcp-disclosure man --out ~/.local/share/man/man1
    #[command(verbatim_doc_comment)]
    Man(ManArguments),
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// Log for each client what it offered, which strategy serves it, and why
    #[arg(long, help_heading = "Strategy")]
    pub explain: bool,

    /// The choice of strategies.
    #[command(flatten)]
    pub strategies: StrategyArguments,

    /// How clients connect [default: stdio]
    #[arg(long, value_enum, help_heading = "Clients")]
    pub transport: Option<Transport>,

    /// Where to listen for HTTP; clients use /mcp, or /mcp/STRATEGY [default: 127.0.0.1:8848]
    #[arg(long, value_name = "ADDR:PORT", help_heading = "Clients")]
    pub listen: Option<SocketAddr>,

    /// A host name to accept in HTTP requests, besides this machine's own; may be repeated
    #[arg(long, value_name = "HOST", help_heading = "Clients")]
    pub allow_host: Vec<String>,

    /// A web origin to accept in HTTP requests, besides this machine's own; may be repeated
    #[arg(long, value_name = "ORIGIN", help_heading = "Clients")]
    pub allow_origin: Vec<String>,

    /// Who may come in.
    #[command(flatten)]
    pub access: AccessArguments,

    /// A proxy, or a network of proxies, whose Forwarded and X-Forwarded-For headers are trusted; may be repeated.
    /// Limits per address then apply to the clients behind it
    #[arg(long, value_name = "CIDR", value_parser = network, help_heading = "Clients")]
    pub trusted_proxy: Vec<IpNet>,

    /// What operators see.
    #[command(flatten)]
    pub operating: OperatingArguments,

    /// Which revisions of MCP clients are offered
    #[arg(long, value_name = "WHICH", default_value_t, value_parser = one_of::<OfferedRevisions>(), help_heading = "Clients")]
    pub revisions: OfferedRevisions,

    /// How long, in seconds from the start, lists wait for upstreams of files; those that take longer join later
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    pub wait_for_upstreams: Duration,

    /// Whether what upstreams of files list is kept in the user's cache folder, and served at the next start until they
    /// are ready
    #[arg(long, value_name = "SWITCH", default_value_t, value_parser = one_of::<Remember>())]
    pub remember: Remember,

    /// Whether HTTP clients share upstream connections, or each session has its own, over which upstreams can send
    /// requests to the client (elicitation, sampling, roots); a stdio client always has its own
    #[arg(long, value_name = "SCOPE", default_value_t, value_parser = one_of::<Scope>(), help_heading = "Clients")]
    pub upstream_scope: Scope,

    /// Maximum number of HTTP sessions at a time
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, help_heading = "Clients")]
    pub max_sessions: usize,

    /// Time after which an idle HTTP session ends, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds, help_heading = "Clients")]
    pub session_idle: Duration,

    /// Maximum number of description fetches per client and minute; 0 disables the limit
    #[arg(long, value_name = "COUNT", default_value_t = FetchLimits::DEFAULT_PER_MINUTE, help_heading = "Receipts")]
    pub fetches_per_minute: u32,

    /// The key that signs receipts, at least 32 bytes; replicas with the same key accept each other's receipts
    /// [default: a new key at each start]
    #[arg(long, value_name = "FILE", help_heading = "Receipts")]
    pub receipt_key_file: Option<PathBuf>,

    /// How long a signed receipt is valid, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = seconds, help_heading = "Receipts")]
    pub receipt_lifetime: Duration,
}

/// The choice of strategies.
#[derive(Debug, Default, Args)]
pub struct StrategyArguments {
    /// Serve every client with this strategy (a stack is NAME+NAME); auto: the one the client requests [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub strategy: Option<String>,

    /// Strategies that clients may choose, by offer or by URL [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Strategy")]
    pub offer: Vec<String>,

    /// The strategy for clients that request no offered strategy; adaptive: full where the complete list is within
    /// --budget, else --over-budget [default: full]
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub fallback: Option<String>,

    /// What the complete list of tools may cost under --fallback adaptive, in tokens (estimated) [default: 4000]
    #[arg(long, value_name = "TOKENS", help_heading = "Strategy")]
    pub budget: Option<u64>,

    /// The strategy for lists over the budget, under --fallback adaptive [default: search]
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub over_budget: Option<String>,

    /// Whether a strategy's channel is also listed as an ordinary tool: for clients that have not declared the
    /// strategy, for all, or for none [default: auto]
    #[arg(long, value_parser = one_of::<Bridge>(), help_heading = "Strategy")]
    pub bridge: Option<Bridge>,

    /// How much of a definition a model receives that learns a tool over a bridge [default: slim]
    #[arg(long, value_name = "WHICH", value_parser = one_of::<Definitions>(), help_heading = "Strategy")]
    pub definitions: Option<Definitions>,

    /// Whether clients with complete lists are offered tools/manifest and tools/describe [default: on]
    #[arg(long, value_parser = one_of::<Manifests>(), help_heading = "Strategy")]
    pub manifest: Option<Manifests>,

    /// Settings of strategies.
    #[command(flatten)]
    pub settings: SettingArguments,
}

impl StrategyArguments {
    /// The options: flags take precedence over the file, and the file over defaults.
    pub(super) fn over(self, source: &Source) -> StrategyOptions {
        let (file, defaults) = (&source.serve, StrategyOptions::default());
        let offer = if self.offer.is_empty() { file.offer.clone() } else { Some(self.offer) };
        StrategyOptions {
            pinned: self.strategy.or_else(|| file.strategy.clone()).filter(|name| name != "auto"),
            offered: offer.unwrap_or_default(),
            fallback: self.fallback.or_else(|| file.fallback.clone()).unwrap_or(defaults.fallback),
            budget: self.budget.or(file.budget).unwrap_or(defaults.budget),
            over_budget: self
                .over_budget
                .or_else(|| file.over_budget.clone())
                .unwrap_or(defaults.over_budget),
            bridge: self.bridge.or(file.bridge).unwrap_or_default(),
            definitions: self.definitions.or(file.definitions).unwrap_or_default(),
            manifest: self.manifest.or(file.manifest).unwrap_or_default(),
            settings: self.settings.over(source.settings.clone()),
            places: source.places.clone(),
        }
    }
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The choice of strategies.
    #[command(flatten)]
    pub strategies: StrategyArguments,

    /// Exit with 1 if anything is found
    #[arg(long, help_heading = "Findings")]
    pub strict: bool,

    /// Labelled queries, to see which tools their words do not find: JSON lines of {"query", "tools"}, as for compare
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

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The directory; made if it is not there. One with a disclosure.toml or description files is merged into: what is
    /// written there stays, tools that are new are added, and tools that changed or vanished are reported. Without a
    /// source, that disclosure.toml is the source
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub out: PathBuf,

    /// Write each tool's whole definition into a description file, which is served even when the upstream's changes;
    /// else only what was decided is written, and the rest follows the upstream
    #[arg(long, help_heading = "Files")]
    pub definitions: bool,

    /// Record changed definitions as reviewed: of all tools, or of those that are named. NAMES are names or patterns
    /// (UPSTREAM/TOOL, `UPSTREAM/*`), separated by commas
    #[arg(
        long, value_name = "NAMES", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = "*", help_heading = "Files"
    )]
    pub accept_drift: Vec<String>,

    /// Write all files anew; what was written in those that are there is lost
    #[arg(long, help_heading = "Files")]
    pub replace: bool,
}

/// `init`.
#[derive(Debug, Args)]
pub struct InitArguments {
    /// The files.
    #[command(flatten)]
    pub places: PlaceArguments,

    /// Serve with this strategy; auto: the one that the client requests [default: complete lists where they are small,
    /// else search]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,

    /// Put all servers of a file behind one entry, instead of wrapping each where it stands. Those that depend on the
    /// host's folder or questions are wrapped
    #[arg(long)]
    pub gather: bool,
}

/// `undo`.
#[derive(Debug, Args)]
pub struct UndoArguments {
    /// The files.
    #[command(flatten)]
    pub places: PlaceArguments,
}

/// Which files of hosts are meant, and whether to ask.
#[derive(Debug, Args)]
pub struct PlaceArguments {
    /// The files of this host: claude-desktop, claude-code, cursor, vscode, windsurf, gemini, cline, roo, zed,
    /// opencode, continue or codex; may be repeated [default: all that are found]
    #[arg(long, value_name = "NAME", help_heading = "Files")]
    pub host: Vec<String>,

    /// A host's file; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub file: Vec<PathBuf>,

    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,

    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// `demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// The strategy to show against full
    #[arg(long, value_name = "NAME", default_value = "resource")]
    pub strategy: String,
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

/// Parses a library enum by name; help shows the documentation of its variants.
fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + FromStr<Err = strum::ParseError> + Clone + Send + Sync,
    &'static str: From<&'static T>,
{
    let values = T::VARIANTS.iter().map(|value| {
        let help = value.get_documentation().unwrap_or_default();
        PossibleValue::new(<&str>::from(value)).help(help.trim_end_matches('.').to_owned())
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_the_demonstration_does_not_mention_it() {
        let mut command = Arguments::without_demonstration("Source");
        assert!(!command.render_long_help().to_string().contains("demonstration"));
        for subcommand in command.get_subcommands_mut() {
            let help = subcommand.render_long_help().to_string();
            assert!(!help.contains("demonstration"), "{help}");
        }
    }
}
