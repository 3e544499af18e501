//! `export`.

use std::path::PathBuf;

use clap::Args;

use crate::flags::Given;

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The source.
    #[command(flatten)]
    pub source: Given,

    /// The directory; made if it is not there
    ///
    /// One with a disclosure.toml or description files is merged into: what is written there stays, what is new
    /// is added, and tools that changed or vanished are reported. Without a source, that disclosure.toml is the source
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub out: PathBuf,

    /// Write each tool's whole definition into a file
    ///
    /// That description file is served even when the upstream's definition changes; else only what was decided is written,
    /// and the rest follows the upstream
    #[arg(long, help_heading = "Files")]
    pub definitions: bool,

    /// Write description files and disclosure.lock anew
    ///
    /// What is held by on_change = "hold" stays so
    #[arg(long, help_heading = "Files")]
    pub replace: bool,
}
