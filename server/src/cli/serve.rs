//! `serve`.

use std::{path::Path, sync::Arc};

use mcp_disclosure_core::{ReceiptKey, Registry};
use tokio::net::TcpListener;

use super::{ServeArguments, Transport, runtime};
use crate::{
    failure::{Failure, Problem},
    front::{http, stdio},
    gateway::{Assembly, FetchLimits, Gateway},
    negotiation::{Strategies, StrategyOptions},
    session::Bounds,
};

/// Serves until the client goes (stdio) or the process is asked to end (HTTP).
///
/// # Errors
/// Everything that keeps it from serving, before any client is answered.
pub fn serve(registry: &Registry, arguments: ServeArguments) -> Result<(), Failure> {
    let options = StrategyOptions {
        pinned: Some(arguments.strategy.clone()).filter(|name| name != "auto"),
        offered: arguments.offer.clone(),
        fallback: arguments.fallback.clone(),
        bridge: arguments.bridge,
        ..StrategyOptions::default()
    };
    let strategies = Strategies::build(registry, &options).map_err(Failure::Usage)?;
    let key = receipt_key(arguments.receipt_key_file.as_deref())?;
    let source = arguments.source.resolve()?;
    let assembly = Assembly {
        targets: source.targets,
        files: source.files,
        patience: source.patience,
        sessions: Bounds { most: arguments.max_sessions, idle: arguments.session_idle },
        fetches: FetchLimits::per_minute(arguments.fetches_per_minute),
        receipt_lifetime: arguments.receipt_lifetime,
        ..Assembly::new(strategies, key)
    };
    let guard = http::Guard::new(arguments.listen.ip(), &arguments.allow_host, &arguments.allow_origin);
    runtime(2)?.block_on(async {
        match arguments.transport {
            Transport::Stdio => over_stdio(assembly).await,
            Transport::Http => over_http(assembly, arguments.listen, guard).await,
        }
    })
}

async fn over_stdio(assembly: Assembly) -> Result<(), Failure> {
    let gateway = start(assembly).await?;
    end_on_signal(&gateway);
    let streams = stdio::standard_streams();
    let (input, output) =
        streams.map_err(|source| Failure::Io { what: "cannot open stdin and stdout", source })?;
    let served = stdio::serve(&gateway, input, output).await;
    gateway.close().await;
    served.map_err(|source| Failure::Io { what: "cannot read stdin", source })
}

async fn over_http(
    assembly: Assembly,
    listen: std::net::SocketAddr,
    guard: http::Guard,
) -> Result<(), Failure> {
    let failed = |source| Failure::Listen { address: listen.to_string(), source };
    let gateway = start(assembly).await?;
    let bound = async {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    let served = match bound.await {
        Ok((listener, address)) => {
            tracing::info!("listening on http://{address}/mcp");
            end_on_signal(&gateway);
            http::serve(Arc::clone(&gateway), listener, guard).await
        }
        Err(error) => Err(error),
    };
    gateway.close().await;
    served.map_err(failed)
}

async fn start(assembly: Assembly) -> Result<Arc<Gateway>, Failure> {
    let started = Gateway::start(assembly).await?;
    for missing in started.missing {
        tracing::error!("{missing}; it is left out, the others are served");
    }
    let gateway = started.gateway;
    let tools = gateway.catalogue().current().snapshot().tool_count();
    let offered = gateway.strategies().offered();
    tracing::info!(tools, strategies = offered.join(", "), "ready");
    Ok(gateway)
}

/// Ends the gateway when the process is asked to end.
fn end_on_signal(gateway: &Arc<Gateway>) {
    let shutdown = gateway.shutdown().clone();
    tokio::spawn(async move {
        asked_to_end().await;
        tracing::info!("asked to end; running calls finish first");
        shutdown.cancel();
    });
}

#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => wait_for_interrupt().await,
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    wait_for_interrupt().await;
}

async fn wait_for_interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals only the end of the input, or the process, ends us.
        std::future::pending::<()>().await;
    }
}

/// The key in the file, or a new one.
fn receipt_key(file: Option<&Path>) -> Result<ReceiptKey, Failure> {
    let Some(path) = file else {
        let mut bytes = [0; ReceiptKey::LEAST_BYTES];
        let filled = getrandom::fill(&mut bytes);
        let source = |error: getrandom::Error| std::io::Error::other(error.to_string());
        filled.map_err(|error| Failure::Io { what: "cannot make a receipt key", source: source(error) })?;
        return ReceiptKey::new(&bytes).ok_or_else(|| Failure::Configuration(Vec::new()));
    };
    let problem = |told: String| {
        let hint = "head -c 32 /dev/urandom > FILE makes one";
        Failure::Configuration(vec![
            Problem::new(format!("--receipt-key-file {}: {told}", path.display())).hint(hint),
        ])
    };
    let bytes = std::fs::read(path).map_err(|error| problem(error.to_string()))?;
    let least = ReceiptKey::LEAST_BYTES;
    ReceiptKey::new(&bytes)
        .ok_or_else(|| problem(format!("{} bytes are no key; it needs {least}", bytes.len())))
}
