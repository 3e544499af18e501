//! From process start to the first response.

use std::{io, time::Instant};

use super::Effort;
use crate::{
    line_client::LineClient,
    sample::Sample,
    table::{Table, Target},
};

const STARTS: usize = 20;

/// Starts the gateway with its demonstration, and a program that does nothing, alternating.
///
/// # Errors
/// If a program cannot be started or fails.
pub fn start(effort: Effort) -> io::Result<Table> {
    let programs = [("bench-upstream", ["0"]), ("bench-gateway", ["serve"])];
    let mut samples = [const { Sample::new() }; 2];
    for _ in 0..=effort.of(STARTS) {
        for ((program, arguments), sample) in programs.into_iter().zip(&mut samples) {
            let start = Instant::now();
            LineClient::start(program, &arguments)?.initialize()?;
            sample.time(start.elapsed());
        }
    }
    let mut table = Table::new("From process start to the answer to initialize", "ms");
    table.base("a program that does nothing", &samples[0]);
    table.own("gateway, demonstration, `auto`", &samples[1], Target::AtMost(50.0));
    Ok(table)
}
