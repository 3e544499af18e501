//! What metrics, the log of calls as JSON and the audit log cost together, and how long a scrape takes.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    Effort,
    http_call::{Compared, compared},
};
use crate::{
    http_client::{Era, HttpClient},
    process::{Process, beside},
    sample::Sample,
    table::{Table, Target},
};

const ROUNDS: usize = 20;
const CONCURRENT: usize = 32;

/// Open while the metrics are read.
const SESSIONS: usize = 10_000;
const SCRAPES: usize = 20;

/// A gateway, and where its operators look, if it has an address for them.
struct Gateway {
    process: Process,
    address: SocketAddr,
    admin: Option<SocketAddr>,
}

impl Gateway {
    fn start(audit: Option<&str>) -> io::Result<Self> {
        let [address, admin] = free()?;
        let (listen, operators, upstream) =
            (address.to_string(), admin.to_string(), beside("bench-upstream")?);
        let log = if audit.is_some() { "info" } else { "error,mcp_disclosure_server::cli=info" };
        let mut arguments = vec!["--log", log, "--log-format", "json", "serve", "--strategy", "full"];
        arguments.extend(["--transport", "http", "--listen", &listen, "--max-sessions", "100000"]);
        // All sessions are of one address.
        arguments.extend(["--limit", "sessions_per_peer=100000", "--limit", "unused_session=3600"]);
        if let Some(file) = audit {
            arguments.extend(["--admin", &operators, "--audit", file]);
        }
        arguments.extend(["--", &upstream]);
        let (process, _) = Process::listening("bench-gateway", &arguments)?;
        Ok(Self { process, address, admin: audit.map(|_| admin) })
    }
}

/// Calls a tool through a gateway with all of it and through one without, alternating; then reads the metrics of the
/// first while it has many sessions.
///
/// # Errors
/// If a program cannot be started or fails.
pub fn operating(effort: Effort) -> io::Result<Table> {
    let audit = std::env::temp_dir().join(format!("gateway-bench-{}.jsonl", std::process::id()));
    let gateways = [Gateway::start(None)?, Gateway::start(audit.to_str())?];
    let servers = [0, 1].map(|who| (&gateways[who].process, gateways[who].address));
    let Compared { samples: [without, with], throughput, processor } =
        compared(servers, effort.of(ROUNDS), Era::Session, CONCURRENT)?;
    let mut table =
        Table::new("Metrics, JSON log and audit log together, at 32 concurrent", "calls/s, µs or ms");
    table.base("calls/s without", &without.per_second);
    table.ratio("calls/s with all of them", &with.per_second, throughput.median(), Target::AtLeast(0.95));
    table.base("processor µs a call without", &without.processor);
    table.ratio("processor µs a call with all of them", &with.processor, processor.median(), Target::None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let scrapes = runtime.block_on(scrapes(&gateways[1], effort))?;
    table.own("ms for a scrape, with 10,000 sessions", &scrapes, Target::AtMost(50.0));
    drop(gateways);
    // A file of one run, which may be gone already.
    let _gone = std::fs::remove_file(audit);
    Ok(table)
}

async fn scrapes(gateway: &Gateway, effort: Effort) -> io::Result<Sample> {
    let admin = gateway.admin.ok_or_else(|| io::Error::other("no address for operators"))?;
    let mut client = HttpClient::connect(gateway.address).await?;
    for _ in 0..effort.of(SESSIONS) {
        client.initialize().await?;
    }
    let mut times = Sample::new();
    for _ in 0..SCRAPES {
        let begun = Instant::now();
        let mut stream = TcpStream::connect(admin).await?;
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        if !answer.contains("mcp_disclosure_sessions{strategy=\"full\"}") {
            return Err(io::Error::other("no sessions in the metrics"));
        }
        times.add(begun.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(times)
}

/// Two addresses that nothing listens on.
fn free() -> io::Result<[SocketAddr; 2]> {
    let listeners = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
    Ok([listeners[0].local_addr()?, listeners[1].local_addr()?])
}
