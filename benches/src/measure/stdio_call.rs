//! A tool call over stdio: the latency that the gateway adds between a client and a child process, compared with a
//! program that only copies bytes.

use std::{io, path::Path};

use serde_json::{Value, json};

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

/// A server, and the times of its calls.
struct Partner {
    name: String,
    client: LineClient,
    single: Sample,
    burst: Sample,
}

impl Partner {
    fn start(name: &str, program: &str, arguments: &[&str]) -> io::Result<Self> {
        let mut client = LineClient::start(program, arguments)?;
        client.initialize()?;
        // Only `resource` has this resource; the others respond with an error, or with an empty result.
        let uri = format!("resource:///tool_descriptions?tools={}", catalogue::CALLED);
        let _unknown = client.request("resources/read", &json!({"uri": uri}));
        Ok(Self { name: name.to_owned(), client, single: Sample::new(), burst: Sample::new() })
    }
}

/// Calls a tool directly, through a program that copies bytes, through `full` and through `resource`, alternating; and
/// through another build of the gateway if `before` names its folder.
///
/// # Errors
/// If a program cannot be started or fails.
pub fn stdio_call(effort: Effort, before: Option<&Path>) -> io::Result<Table> {
    let (upstream, ours) = (beside("bench-upstream")?, beside("bench-gateway")?);
    let before = before.map(|folder| folder.join("bench-gateway").to_string_lossy().into_owned());
    let serve = |strategy| ["--log", "error", "serve", "--strategy", strategy, "--", &upstream];
    let mut partners = vec![
        Partner::start("direct", &upstream, &[])?,
        Partner::start("through a copy of the bytes", &beside("copy-hop")?, &[&upstream])?,
    ];
    for (what, program) in [("", Some(&*ours)), ("before: ", before.as_deref())] {
        for strategy in ["full", "resource"] {
            let start =
                |program| Partner::start(&format!("{what}through `{strategy}`"), program, &serve(strategy));
            partners.extend(program.map(start).transpose()?);
        }
    }
    measure(&mut partners, effort)?;
    Ok(table(&partners))
}

fn measure(partners: &mut [Partner], effort: Effort) -> io::Result<()> {
    let params: Value = json!({"name": catalogue::CALLED, "arguments": catalogue::arguments()});
    for partner in &mut *partners {
        (0..effort.of(500)).try_for_each(|_| partner.client.request("tools/call", &params).map(drop))?;
    }
    let mut orders = Orders::of(partners.len());
    for _ in 0..effort.of(CALLS) {
        for &turn in orders.next() {
            let partner = &mut partners[turn];
            partner.single.time(partner.client.request("tools/call", &params)?);
        }
    }
    for _ in 0..effort.of(BURSTS) {
        for &turn in orders.next() {
            let partner = &mut partners[turn];
            partner.burst.time(partner.client.burst("tools/call", &params, IN_FLIGHT)? / IN_FLIGHT as u32);
        }
    }
    Ok(())
}

/// Orders of the partners, another one each round, the same in every run.
///
/// Not a rotation: in one, each partner follows the same other one, whose processes decide which cores are awake and
/// where the next ones run. On an idle machine of two cores that was a difference of 30 µs a call between strategies
/// whose calls take the same time on one core (within 1 µs).
struct Orders {
    order: Vec<usize>,
    state: u64,
}

impl Orders {
    fn of(count: usize) -> Self {
        Self { order: (0..count).collect(), state: 1 }
    }

    fn next(&mut self) -> &[usize] {
        for last in (1..self.order.len()).rev() {
            // Knuth's generator (MMIX); its high bits are the random ones.
            self.state =
                self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.order.swap(last, (self.state >> 33) as usize % (last + 1));
        }
        &self.order
    }
}

fn table(partners: &[Partner]) -> Table {
    let mut table = Table::new("tools/call over stdio", "ms");
    let [direct, copy, through @ ..] = partners else { return table };
    table.base(format!("{}, one at a time", direct.name), &direct.single);
    table.added(format!("{}, one at a time", copy.name), &copy.single, &direct.single, Target::None);
    for partner in through {
        let name = format!("{}, one at a time", partner.name);
        table.added(name, &partner.single, &direct.single, Target::AtMost(0.15));
    }
    table.base(format!("{}, {IN_FLIGHT} in flight, each", direct.name), &direct.burst);
    for partner in &partners[1..] {
        let name = format!("{}, {IN_FLIGHT} in flight, each", partner.name);
        table.added(name, &partner.burst, &direct.burst, Target::None);
    }
    table
}
