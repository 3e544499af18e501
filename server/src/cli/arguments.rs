//! The command line's arguments.

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use super::{
    AcceptArguments, AccountArguments, CheckArguments, ClientConfigArguments, CompareArguments,
    DemoArguments, ExportArguments, InitArguments, LoginArguments, ManArguments, PlaceArguments,
    PromptArguments,
};
use crate::flags::{Given, HEADING, LogArguments, ServeArguments, limits_help};

/// One MCP server in front of any others, disclosing their tools progressively.
///
/// Put it in front of the servers that your hosts start, or of one. A model reads a short list of
/// tools as before; a long one it searches, and reads what it needs:
///
///   mcp-disclosure init
///   mcp-disclosure serve -- npx -y @modelcontextprotocol/server-everything
///
/// Without a source it serves a demonstration: a mathematics server with eleven tools.
#[derive(Debug, Parser)]
#[command(name = "mcp-disclosure", version, verbatim_doc_comment)]
pub struct Arguments {
    /// The log.
    #[command(flatten)]
    pub log: LogArguments,

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
    ///
    ///   mcp-disclosure serve -- npx -y @modelcontextprotocol/server-everything
    ///   mcp-disclosure serve --mcp-config mcp.json
    ///   mcp-disclosure serve --config disclosure.toml --transport http
    ///
    /// A client is served by the strategy that it requests. One that requests none is listed complete
    /// definitions while they are few, else it searches (--fallback adaptive).
    #[command(after_long_help = limits_help(), verbatim_doc_comment)]
    Serve(Given<ServeArguments>),
    /// Report what serve would refuse, and what would mislead a model or a host
    ///
    /// Starts the source as serve would, lists its tools, and calls none:
    ///
    ///   mcp-disclosure check -- npx -y @modelcontextprotocol/server-everything
    ///   mcp-disclosure check --config disclosure.toml --strict --allow no-example,no-returns,no-related
    ///
    /// Findings are errors (serve would not start, or would leave something out), warnings (a model
    /// or a host is likely to fail) and notes (possible improvements); docs/check.md lists
    /// all codes.
    ///
    /// Exit codes: 0; 1 if an error is found, or with --strict anything (of notes, with --notes);
    /// 64 if serve would not start.
    #[command(verbatim_doc_comment)]
    Check(CheckArguments),
    /// Write a disclosure.toml to start from, or add to one
    ///
    /// Whatever the source is, one directory holds it afterwards, with a record of every definition
    /// (disclosure.lock):
    ///
    ///   mcp-disclosure export --mcp-config mcp.json --out disclosure
    ///   mcp-disclosure serve --config disclosure/disclosure.toml
    ///
    /// Serving the result changes nothing until you do: edit a file, and the running server takes
    /// it over. What you do not decide goes on coming from the servers.
    ///
    /// Nothing is written where anything is wrong, and nothing replaced without --replace.
    #[command(verbatim_doc_comment)]
    Export(ExportArguments),
    /// Accept definitions that changed, or are new, as reviewed
    ///
    ///   mcp-disclosure accept --config disclosure.toml files/read_file
    ///   mcp-disclosure accept 'files/*'
    ///
    /// Lists the tools of the source, and writes what they are now into disclosure.lock beside the
    /// configuration. A running serve follows that file; tools that on_change = "hold" withheld exist
    /// from then on.
    ///
    /// Exit codes: 0; 1 if an upstream cannot be used (the others are accepted); 64 for a name that no
    /// tool has.
    #[command(verbatim_doc_comment)]
    Accept(AcceptArguments),
    /// Compare what each strategy costs with your tools
    ///
    ///   mcp-disclosure compare -- npx -y @modelcontextprotocol/server-everything
    ///   mcp-disclosure compare --mcp-config mcp.json --format html --out report.html
    ///   mcp-disclosure compare --mcp-config mcp.json --transcript
    ///
    /// Lists the tools of a source, and calls none. --transcript shows what a model sees and does.
    #[command(verbatim_doc_comment)]
    Compare(Box<CompareArguments>),
    /// Show what disclosure does: one task without it, and with it
    ///
    ///   mcp-disclosure demo
    ///   mcp-disclosure demo --strategy search
    #[command(verbatim_doc_comment)]
    Demo(DemoArguments),
    /// Put this program in front of the servers that your hosts start
    ///
    /// Finds the files in which Claude, Cursor, VS Code and others name their servers, shows what would change, asks,
    /// and keeps a backup:
    ///
    ///   mcp-disclosure init --dry-run
    ///   mcp-disclosure init --host cursor
    ///   mcp-disclosure init --file .vscode/mcp.json --yes
    ///
    /// Servers are started only to count what they cost, if you agree. Entries keep their variables, folders and switches;
    /// all else in the file stays as it is. `mcp-disclosure undo` gives back what was there.
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
    Undo(PlaceArguments),
    /// Print the entry by which a host connects over HTTP
    ///
    ///   mcp-disclosure client-config --host cursor --config disclosure.toml --principal ann
    ///
    /// It has the URL, and for a principal with a token the header that carries it. The token itself
    /// is not printed: hosts read it from a variable where they can.
    #[command(verbatim_doc_comment)]
    ClientConfig(ClientConfigArguments),
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
    Logout(AccountArguments),
    /// Print the system prompt guidance for hosts
    ///
    ///   mcp-disclosure prompt --strategy search -- npx -y @modelcontextprotocol/server-everything
    #[command(verbatim_doc_comment)]
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
