//! Measures the gateway and prints tables.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, ValueEnum};
use mcp_disclosure_benches::{measure, table::Table};

/// Measures the gateway against the same servers without it.
#[derive(Debug, Parser)]
#[command(name = "gateway-bench")]
struct Arguments {
    /// What to measure [default: everything]
    what: Vec<What>,

    /// A tenth of the repetitions, for a quick check
    #[arg(long)]
    quick: bool,

    /// The folder of another build of these programs: its calls alternate with those of this one
    #[arg(long, value_name = "FOLDER")]
    before: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// A call over stdio, direct and through the gateway
    StdioCall,
    /// Lists of 10,000 tools over stdio
    List,
    /// Calls over HTTP, against a bare rmcp server
    HttpCall,
    /// Memory of idle HTTP sessions
    Sessions,
    /// Time from process start to the first response
    Start,
}

impl What {
    fn run(self, quick: bool, before: Option<&Path>) -> io::Result<Table> {
        let effort = measure::Effort { quick };
        match self {
            Self::StdioCall => measure::stdio_call(effort, before),
            Self::List => measure::list(effort),
            Self::HttpCall => measure::http_call(effort, before),
            Self::Sessions => measure::sessions(effort),
            Self::Start => measure::start(effort),
        }
    }
}

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "this program prints tables")]
fn main() -> ExitCode {
    let Arguments { what, quick, before } = Arguments::parse();
    if cfg!(debug_assertions) {
        eprintln!("gateway-bench: this is a debug build; its figures are meaningless");
    }
    let all = if what.is_empty() { What::value_variants() } else { &what };
    for what in all {
        match what.run(quick, before.as_deref()) {
            Ok(table) => println!("{table}"),
            Err(error) => {
                eprintln!("gateway-bench: {what:?}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
