//! The gateway as a library in front of the echo handler, in one process, as an embedding program would build it.

use std::{io, net::IpAddr, net::Ipv4Addr, sync::Arc};

use mcp_disclosure_benches::echo::Echo;
use mcp_disclosure_core::ReceiptKey;
use mcp_disclosure_gateway::{
    dispatch::{Assembly, Gateway},
    front::http,
    negotiation::{Strategies, StrategyOptions},
    upstream::Target,
};

#[allow(clippy::print_stdout, reason = "prints its address on stdout")]
fn main() -> io::Result<()> {
    let pinned = Some("full".to_owned());
    let options = StrategyOptions { pinned, ..StrategyOptions::default() };
    let strategies = Strategies::build(&mcp_disclosure_gateway::builtin(), &options);
    let strategies = strategies.map_err(|problems| io::Error::other(format!("{problems:?}")))?;
    let key = ReceiptKey::new(&[1; 32]).ok_or_else(|| io::Error::other("no key"))?;
    // As many threads as the program has.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let upstreams = vec![Target::handler(Echo::default()).into()];
        let assembly = Assembly { upstreams, ..Assembly::new(strategies, key) };
        let started = Gateway::start(assembly).await.map_err(io::Error::other)?;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        let guard = http::Guard::new(IpAddr::V4(Ipv4Addr::LOCALHOST), &[], &[]);
        http::serve(Arc::clone(&started.gateway), listener, guard).await;
        Ok(())
    })
}
