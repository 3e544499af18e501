//! Plays faults of upstreams that take time to be seen, and prints what was seen.

use std::process::ExitCode;

use programs::{
    Programs,
    faults::{Outcome, starts},
};

/// With real MCP servers, and the gateway, which are beside this program. The exit code is 1 if anything did not hold.
fn main() -> ExitCode {
    let Some(programs) = Programs::found() else { return ExitCode::from(2) };
    // A fault that panics did not hold, and what it says is printed.
    std::panic::set_hook(Box::new(|_| {}));
    // One by one, since milliseconds are measured.
    let faults: [fn(&Programs) -> Outcome; 3] =
        [starts::one_of_eight_hangs, starts::one_is_killed, starts::one_fails_five_times];
    let held = faults.map(|fault| programs.play(fault)) == [true; 3];
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
