//! Plays faults of upstreams, and prints how it went as a table.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use programs::{
    beside,
    faults::{Fault, Lab, Row, all, fleet, table},
    log, print,
};

/// Plays faults of upstreams in front of mcp-disclosure, with real MCP servers.
///
/// Prints a Markdown table; the exit code is 1 if anything did not hold.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program [default: mcp-disclosure next to this one]
    #[arg(long, value_name = "PATH")]
    bin: Option<PathBuf>,

    /// Faults whose description holds this text
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// List the faults, and play none
    #[arg(long)]
    list: bool,

    /// Run 50 upstreams instead, of which ten flap, hang and are dead by turns
    #[arg(long)]
    fleet: bool,

    /// How long, in seconds; at least three rounds of half a minute
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(20..))]
    seconds: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let wanted =
        |fault: &Fault| arguments.name.as_ref().is_none_or(|text| fault.done.contains(text.as_str()));
    let faults: Vec<Fault> = all().into_iter().filter(wanted).collect();
    if arguments.list {
        faults.iter().for_each(|fault| print(&format!("{}  {}", fault.rule, fault.done)));
        return ExitCode::SUCCESS;
    }
    let gateway = arguments.bin.unwrap_or_else(|| beside("mcp-disclosure"));
    let lab = Lab { gateway, upstream: beside("odd-upstream") };
    for program in [&lab.gateway, &lab.upstream] {
        if !program.is_file() {
            log(&format!("no {}: cargo build --workspace --bins makes it", program.display()));
            return ExitCode::from(2);
        }
    }
    // A fault that panics did not hold, and its row says so.
    std::panic::set_hook(Box::new(|_| {}));
    let held = if arguments.fleet { play_fleet(&lab, arguments.seconds) } else { play(&lab, &faults) };
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn play(lab: &Lab, faults: &[Fault]) -> bool {
    let rows = lab.play(faults);
    let failed = rows.iter().filter(|row| !Row::held(row)).count();
    print(&table(&rows));
    print(&format!("{} faults, {failed} not held.", rows.len()));
    failed == 0
}

fn play_fleet(lab: &Lab, seconds: u64) -> bool {
    let outcome = std::panic::catch_unwind(|| fleet::play(lab, Duration::from_secs(seconds)));
    let outcome = outcome.unwrap_or_else(|_| Err("the fleet does not start".to_owned()));
    let (Ok(seen) | Err(seen)) = &outcome;
    print(seen);
    print(if outcome.is_ok() { "\nHeld." } else { "\n**NOT HELD.**" });
    outcome.is_ok()
}
