//! Calls over HTTP: the gateway with an in-process handler against the same handler behind `rmcp`.

use std::{
    io,
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use mcp_disclosure_core::Era;
use tokio::task::JoinSet;

use super::Effort;
use crate::{
    catalogue,
    http_client::HttpClient,
    process::Process,
    sample::Sample,
    table::{Table, Target},
};

const ROUNDS: usize = 10;
const ROUND: Duration = Duration::from_millis(500);
const PROGRAMS: [&str; 2] = ["bare-rmcp", "echo-gateway"];

#[derive(Default)]
struct Samples {
    per_second: Sample,
    /// Processor time of the server per call, in microseconds.
    processor: Sample,
}

/// Two servers under the same calls.
#[derive(Default)]
struct Compared {
    samples: [Samples; 2],
    /// The second one's calls per second against the first one's, round by round.
    throughput: Sample,
    /// The same of its processor time.
    processor: Sample,
}

/// Calls tools of both servers, alternating, with 1 and 32 concurrent callers, in both eras. If `before` names the folder of
/// another build, its gateway takes the place of the bare server.
///
/// # Errors
/// If a server cannot be started or fails.
pub fn http_call(effort: Effort, before: Option<&Path>) -> io::Result<Table> {
    let other = before.map(|folder| folder.join(PROGRAMS[1]).to_string_lossy().into_owned());
    let servers = [
        Process::listening(other.as_deref().unwrap_or(PROGRAMS[0]), &[])?,
        Process::listening(PROGRAMS[1], &[])?,
    ];
    let base = if before.is_some() { "before" } else { "bare `rmcp`" };
    let mut table =
        Table::new("tools/call over HTTP: calls per second, and the server's share", "calls/s or µs");
    for era in [Era::Session, Era::Stateless] {
        for concurrent in [1, 32] {
            let servers = [0, 1].map(|who| (&servers[who].0, servers[who].1));
            let compared = compared(servers, effort.of(ROUNDS), era, concurrent)?;
            report(&mut table, base, era, concurrent, &compared);
        }
    }
    Ok(table)
}

/// Calls both, alternating, for this many rounds.
fn compared(
    servers: [(&Process, SocketAddr); 2],
    rounds: usize,
    era: Era,
    concurrent: usize,
) -> io::Result<Compared> {
    // One thread for the client leaves at least one of two cores to the server.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut compared = Compared::default();
    for round in 0..=rounds {
        let mut now: [Samples; 2] = Default::default();
        for turn in 0..2 {
            let who = (turn + round) % 2;
            let (process, address) = servers[who];
            now[who] = runtime.block_on(one_round(process, address, era, concurrent))?;
        }
        // The first round warms up.
        if round > 0 {
            compared.throughput.add(now[1].per_second.median() / now[0].per_second.median());
            compared.processor.add(now[1].processor.median() / now[0].processor.median());
            compared.samples.iter_mut().zip(now).for_each(|(all, now)| all.extend(now));
        }
    }
    Ok(compared)
}

impl Samples {
    fn extend(&mut self, other: Self) {
        self.per_second.extend(other.per_second);
        self.processor.extend(other.processor);
    }
}

async fn one_round(
    process: &Process,
    address: SocketAddr,
    era: Era,
    concurrent: usize,
) -> io::Result<Samples> {
    let mut clients = Vec::new();
    for _ in 0..concurrent {
        let mut client = HttpClient::connect(address).await?;
        if era == Era::Session {
            client.initialize().await?;
        }
        clients.push(client);
    }
    let processor = process.processor_time()?;
    let start = Instant::now();
    let mut running = JoinSet::new();
    for mut client in clients {
        running.spawn(async move {
            let (mut count, arguments) = (0, catalogue::arguments());
            while start.elapsed() < ROUND {
                count += 1;
                client.call(era, count, catalogue::CALLED, &arguments).await?;
            }
            Ok::<_, io::Error>(count)
        });
    }
    let mut samples = Samples::default();
    let mut count = 0.0;
    while let Some(done) = running.join_next().await {
        count += done.map_err(io::Error::other)?? as f64;
    }
    samples.per_second.add(count / start.elapsed().as_secs_f64());
    samples.processor.add((process.processor_time()? - processor) * 1e6 / count);
    Ok(samples)
}

fn report(table: &mut Table, base: &str, era: Era, concurrent: usize, compared: &Compared) {
    let Compared { samples: [bare, gateway], throughput, processor } = compared;
    let about = format!("{} at {concurrent}", if era == Era::Session { "sessions" } else { "stateless" });
    table.base(format!("{about}: calls/s, {base}"), &bare.per_second);
    let target = Target::AtLeast(0.8);
    table.ratio(format!("{about}: calls/s, gateway"), &gateway.per_second, throughput.median(), target);
    table.base(format!("{about}: processor µs a call, {base}"), &bare.processor);
    let ratio = processor.median();
    table.ratio(format!("{about}: processor µs a call, gateway"), &gateway.processor, ratio, Target::None);
}
