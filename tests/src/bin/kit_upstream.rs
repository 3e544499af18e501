//! The upstream of the suite as a program: plays the scenario in the file it is given.

#![allow(clippy::unwrap_used, reason = "a stand-in that cannot play its part shall say so and end")]

mod program;
#[allow(dead_code, unreachable_pub, reason = "shared with the kit")]
#[path = "../scenario.rs"]
mod scenario;

use std::io::BufRead;

use program::Program;
use scenario::Scenario;

fn main() {
    let path = std::env::args().nth(1).expect("the path of a scenario");
    let mut program = Program::new(Scenario::read(path.as_ref()), std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        program.receive(&line.unwrap());
    }
}
