//! Plays faults of upstreams that take time to be seen, and prints what was seen.

use std::{process::ExitCode, time::Duration};

use clap::Parser;
use programs::{
    Programs,
    faults::{Outcome, fleet, starts},
};

/// Plays faults of upstreams in front of mcp-disclosure, with real MCP servers, both of which are beside this program.
///
/// The exit code is 1 if anything did not hold.
#[derive(Debug, Parser)]
struct Arguments {
    /// Run 50 upstreams instead, of which ten flap, hang and are dead by turns
    #[arg(long)]
    fleet: bool,

    /// How long the fleet runs, in seconds; at least three rounds of half a minute
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(20..))]
    seconds: u64,
}

fn main() -> ExitCode {
    let Arguments { fleet, seconds } = Arguments::parse();
    let Some(programs) = Programs::found() else { return ExitCode::from(2) };
    // A fault that panics did not hold, and what it says is printed.
    std::panic::set_hook(Box::new(|_| {}));
    let held = if fleet {
        programs.play(|programs| fleet::play(programs, Duration::from_secs(seconds)))
    } else {
        // One by one, since milliseconds are measured.
        let faults: [fn(&Programs) -> Outcome; 3] =
            [starts::one_of_eight_hangs, starts::one_is_killed, starts::one_fails_five_times];
        faults.map(|fault| programs.play(fault)) == [true; 3]
    };
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
