//! The conformance upstream, as a program: on standard streams, over `rmcp`'s own HTTP, or behind the
//! gateway in the same process.
//!
//! ```text
//! conformance-upstream stdio [ERA]
//! conformance-upstream http ADDR:PORT [ERA]
//! conformance-upstream gateway ADDR:PORT STRATEGY [ERA]
//! ```
//!
//! ERA is `session` or `stateless`; without it both are spoken. STRATEGY is a name, or `auto`.

#![allow(clippy::unwrap_used, reason = "a server for tests; where it panics, the test fails")]

use std::{env, io::Write, net::SocketAddr, sync::Arc};

use kit::conformance::Conformance;
use mcp_disclosure_core::{Era, ReceiptKey};
use mcp_disclosure_gateway::{
    backend::Scope,
    builtin,
    dispatch::{Assembly, Gateway},
    front::http::{self, Guard},
    limits::Limits,
    negotiation::{Strategies, StrategyOptions},
    upstream::Target,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

const USAGE: &str = "usage: conformance-upstream stdio [ERA] | http ADDR [ERA] | gateway ADDR STRATEGY [ERA]";

#[tokio::main]
async fn main() {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let era = match arguments.last().map(String::as_str) {
        Some("session") => Some(Era::Session),
        Some("stateless") => Some(Era::Stateless),
        _ => None,
    };
    if era.is_some() {
        arguments.pop();
    }
    let upstream = Conformance::new().of_era(era);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["stdio"] => over_stdio(upstream).await,
        ["http", address] => over_http(upstream, listen(address).await).await,
        ["gateway", address, strategy] => through_gateway(upstream, listen(address).await, strategy).await,
        _ => panic!("{USAGE}"),
    }
}

async fn over_stdio(upstream: Conformance) {
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    // A client that was refused may come back in a process of its own.
    let Ok(running) = rmcp::serve_server(upstream, streams).await else { return };
    running.waiting().await.unwrap();
}

async fn over_http(upstream: Conformance, listener: TcpListener) {
    let service = StreamableHttpService::new(
        move || Ok(upstream.for_session()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await.unwrap();
}

async fn through_gateway(upstream: Conformance, listener: TcpListener, strategy: &str) {
    let pinned = (strategy != "auto").then(|| strategy.to_owned());
    let options = StrategyOptions { pinned, ..StrategyOptions::default() };
    let strategies = Strategies::build(&builtin(), &options).unwrap();
    let mut key = [0; ReceiptKey::LEAST_BYTES];
    getrandom::fill(&mut key).unwrap();
    let assembly = Assembly {
        upstreams: vec![Target::handlers(move || upstream.for_session()).into()],
        scope: Scope::Session,
        // One address plays hundreds of clients, and leaves most of what it begins unfinished.
        limits: Limits { upstreams_per_peer: 1000, ..Limits::default() },
        ..Assembly::new(strategies, ReceiptKey::new(&key).unwrap())
    };
    let guard = Guard::new(listener.local_addr().unwrap().ip(), &[], &[]);
    let started = Gateway::start(assembly).await.unwrap();
    http::serve(started.gateway, listener, guard).await;
}

/// Listens, and says where: a port of 0 is any that is free.
async fn listen(address: &str) -> TcpListener {
    let address: SocketAddr = address.parse().expect(USAGE);
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut stderr = std::io::stderr();
    writeln!(stderr, "listening on http://{address}/mcp").unwrap();
    listener
}
