//! A tool call over stdio: what the gateway adds between a client and a child process.

use std::io;

use serde_json::json;

use super::Effort;
use crate::{
    catalogue,
    line_client::LineClient,
    process::beside,
    sample::Sample,
    table::{Table, Target},
};

const CALLS: usize = 5_000;
const BURSTS: usize = 200;
const IN_FLIGHT: usize = 32;

/// Calls a tool directly, through `full` and through `resource`, by turns.
///
/// # Errors
/// If a program cannot be started or fails.
pub fn stdio_call(effort: Effort) -> io::Result<Table> {
    let upstream = beside("bench-upstream")?;
    let through = |strategy: &str| {
        LineClient::start(
            "bench-gateway",
            &["--log", "error", "serve", "--strategy", strategy, "--", &upstream],
        )
    };
    let mut clients = [LineClient::start("bench-upstream", &[])?, through("full")?, through("resource")?];
    for client in &mut clients {
        client.initialize()?;
        // Only `resource` knows it; the others answer that they do not, or that they do not care.
        let uri = format!("resource:///tool_descriptions?tools={}", catalogue::CALLED);
        let _unknown = client.request("resources/read", &json!({"uri": uri}));
    }
    let params = json!({"name": catalogue::CALLED, "arguments": catalogue::arguments()});
    for client in &mut clients {
        (0..effort.of(500)).try_for_each(|_| client.request("tools/call", &params).map(drop))?;
    }
    let mut single = [const { Sample::new() }; 3];
    let mut burst = [const { Sample::new() }; 3];
    for round in 0..effort.of(CALLS) {
        for turn in 0..3 {
            // Nobody always comes after the same one.
            let who = (turn + round) % 3;
            single[who].time(clients[who].request("tools/call", &params)?);
        }
    }
    for round in 0..effort.of(BURSTS) {
        for turn in 0..3 {
            let who = (turn + round) % 3;
            burst[who].time(clients[who].burst("tools/call", &params, IN_FLIGHT)? / IN_FLIGHT as u32);
        }
    }
    let mut table = Table::new("tools/call over stdio", "ms");
    let names = ["direct", "through `full`", "through `resource`"];
    for (samples, how) in [(&single, "one at a time"), (&burst, "32 in flight, each")] {
        let [direct, through @ ..] = samples;
        table.base(format!("{}, {how}", names[0]), direct);
        let target = if how.starts_with("one") { Target::AtMost(0.15) } else { Target::None };
        for (sample, name) in through.iter().zip(&names[1..]) {
            table.added(format!("{name}, {how}"), sample, direct, target);
        }
    }
    Ok(table)
}
