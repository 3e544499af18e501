//! `accept`.

use clap::Args;

use crate::flags::Given;

/// `accept`.
#[derive(Debug, Args)]
pub struct AcceptArguments {
    /// Tools as UPSTREAM/TOOL, or patterns such as 'UPSTREAM/*' [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The source; by default the disclosure.toml of the current folder.
    #[command(flatten)]
    pub source: Given,
}
