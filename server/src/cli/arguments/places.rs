//! `init` and `undo`, which edit hosts' files.

use std::path::PathBuf;

use clap::{Args, builder::PossibleValuesParser};

use crate::init::places::host_names;

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

    /// Wrap each server where it stands, instead of gathering all servers of a file behind one entry
    #[arg(long)]
    pub each: bool,

    /// Start the servers once, to count what their tools cost a model before and after
    #[arg(long, conflicts_with = "no_count")]
    pub count: bool,

    /// Do not start the servers, nor ask whether to
    #[arg(long)]
    pub no_count: bool,
}

/// Which files of hosts are meant, and whether to ask.
#[derive(Debug, Args)]
pub struct PlaceArguments {
    /// The files of this host: claude-desktop, claude-code, cursor, vscode, windsurf, gemini, cline, roo, zed,
    /// opencode, continue or codex; may be repeated [default: all that are found; init leaves those of hosts that defer
    /// tools by themselves]
    #[arg(
        long, value_name = "NAME", help_heading = "Files",
        value_parser = PossibleValuesParser::new(host_names()), hide_possible_values = true
    )]
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
