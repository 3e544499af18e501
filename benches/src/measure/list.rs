//! Lists over stdio: the cost of computing a page, and of sending it each time.

use std::io;

use serde_json::json;

use super::Effort;
use crate::{
    line_client::LineClient,
    process::beside,
    sample::Sample,
    table::{Table, Target},
};

/// The number of tools, and of requests.
const TOOLS: usize = 10_000;
const REQUESTS: usize = 60;

/// The number of processes, for what happens once in each.
const PROCESSES: usize = 5;

#[derive(Default)]
struct Samples {
    first: Sample,
    later: Sample,
    bytes: usize,
}

/// Lists tools directly, under `full` and under `resource`, alternating.
///
/// # Errors
/// If a program cannot be started or fails.
pub fn list(effort: Effort) -> io::Result<Table> {
    let mut samples: [Samples; 3] = Default::default();
    for _ in 0..PROCESSES {
        one_round(effort.of(REQUESTS).div_ceil(PROCESSES), &mut samples)?;
    }
    Ok(table(&samples))
}

fn one_round(times: usize, samples: &mut [Samples; 3]) -> io::Result<()> {
    let (upstream, count) = (beside("bench-upstream")?, TOOLS.to_string());
    let through = |strategy: &str| {
        let arguments = ["--log", "error", "serve", "--strategy", strategy, "--", &upstream, &count];
        LineClient::start("bench-gateway", &arguments)
    };
    let mut clients =
        [LineClient::start("bench-upstream", &[&count])?, through("full")?, through("resource")?];
    // The gateway connects and lists before it answers anything; that is not measured here.
    clients.iter_mut().try_for_each(|client| client.request("ping", &json!({})).map(drop))?;
    for (client, samples) in clients.iter_mut().zip(samples.iter_mut()) {
        client.initialize()?;
        samples.first.time(client.request("tools/list", &json!({}))?);
        samples.bytes = client.answer_length();
    }
    for round in 0..times {
        for turn in 0..3 {
            let who = (turn + round) % 3;
            samples[who].later.time(clients[who].request("tools/list", &json!({}))?);
        }
    }
    Ok(())
}

fn table(samples: &[Samples; 3]) -> Table {
    let mut table = Table::new("tools/list over stdio", "ms");
    let [direct, full, resource] = samples;
    let about = |samples: &Samples, name: &str, when: &str| {
        format!("{TOOLS} tools, {name} ({} kB){when}", samples.bytes / 1000)
    };
    table.base(about(direct, "direct", ""), &direct.later);
    // A baseline of the first time would be the child's own, which is the cost of the child's memory.
    table.base(about(full, "`full`", ", first time"), &full.first);
    table.added(about(full, "`full`", ", later"), &full.later, &direct.later, Target::None);
    table.base(about(resource, "`resource`", ", first time"), &resource.first);
    table.own(about(resource, "`resource`", ", later"), &resource.later, Target::AtMost(10.0));
    table
}
