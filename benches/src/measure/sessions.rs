//! The memory of idle HTTP sessions.

use std::{io, net::SocketAddr};

use super::Effort;
use crate::{
    http_client::HttpClient,
    process::Process,
    sample::Sample,
    table::{Table, Target},
};

const SESSIONS: usize = 2_000;

/// With a stream each, which needs descriptors of two connections.
const STREAMS: usize = 200;

/// Opened before the measurement: allocators and tables grow in steps.
const WARM_UP: usize = 200;

/// Opens sessions on the program and on a bare `rmcp` server, and reads their resident sets.
///
/// # Errors
/// If a server cannot be started or fails.
pub fn sessions(effort: Effort) -> io::Result<Table> {
    let gateway =
        ["--log", "error,mcp_disclosure_server::cli=info", "serve", "--transport", "http", "--listen"];
    // All sessions are of one address.
    let limits = ["--max-sessions", "100000", "--limit", "sessions_per_peer=100000"];
    let gateway = [&gateway[..], &["127.0.0.1:0"], &limits].concat();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut table = Table::new("Resident memory of an idle HTTP session", "kB");
    let mut bare = (Sample::new(), Sample::new());
    let mut ours = (Sample::new(), Sample::new());
    // A process keeps memory that it has allocated, so each round has new processes.
    for _ in 0..3 {
        for (program, arguments, samples) in
            [("bare-rmcp", &[][..], &mut bare), ("bench-gateway", &gateway[..], &mut ours)]
        {
            let server = Process::listening(program, arguments)?;
            let (idle, listening) = runtime.block_on(one_round(&server, effort))?;
            samples.0.add(idle);
            samples.1.add(listening);
        }
    }
    table.base("bare `rmcp`", &bare.0);
    table.own("gateway", &ours.0, Target::AtMost(80.0));
    table.base("bare `rmcp`, with an open stream", &bare.1);
    table.own("gateway, with an open stream", &ours.1, Target::None);
    Ok(table)
}

async fn one_round(server: &(Process, SocketAddr), effort: Effort) -> io::Result<(f64, f64)> {
    let (process, address) = server;
    let mut client = HttpClient::connect(*address).await?;
    for _ in 0..WARM_UP {
        client.initialize().await?;
    }
    let count = effort.of(SESSIONS);
    let before = process.resident()?;
    for _ in 0..count {
        client.initialize().await?;
    }
    let after = process.resident()?;
    let mut streams = Vec::new();
    for _ in 0..effort.of(STREAMS) {
        let mut client = HttpClient::connect(*address).await?;
        client.initialize().await?;
        streams.push(client.listen().await?);
    }
    let listening = (process.resident()? - after) / streams.len() as f64;
    Ok(((after - before) / count as f64, listening))
}
