//! `export`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::SourceArguments;

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The source.
    #[command(flatten)]
    pub source: SourceArguments,

    /// The directory; made if it is not there
    ///
    /// One with a disclosure.toml or description files is merged into: what is written there stays, tools that are new
    /// are added, and tools that changed or vanished are reported. Without a source, that disclosure.toml is the source
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub out: PathBuf,

    /// Write each tool's whole definition into a file
    ///
    /// That description file is served even when the upstream's definition changes; else only what was decided is written,
    /// and the rest follows the upstream
    #[arg(long, help_heading = "Files")]
    pub definitions: bool,

    /// Record changed definitions as reviewed
    ///
    /// Of all tools, or of those that are named. NAMES are names or patterns (UPSTREAM/TOOL, `UPSTREAM/*`), separated by
    /// commas
    #[arg(
        long, value_name = "NAMES", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = "*", help_heading = "Files"
    )]
    pub accept_drift: Vec<String>,

    /// Write anew what exports wrote about tools
    ///
    /// Records, sections of tools that are not listed, description files; what else stands in a disclosure.toml stays
    #[arg(long, help_heading = "Files")]
    pub replace: bool,
}
