//! Stages: the gateways on which strategies are compared, and links to them.

use std::{io, sync::Arc};

use mcp_disclosure_client::{Error, Link};
use mcp_disclosure_compare::{LinkFactory, Subject};
use mcp_disclosure_core::ReceiptKey;
use mcp_disclosure_gateway::{
    Assembly, FetchLimits, Gateway,
    catalogue::Declared,
    front::{http, stdio::Stdio},
    slot::Witness,
    upstream::{Target, UpstreamConfig},
};
use tokio::net::TcpListener;

use super::{contestants::Contestants, progress::Progress, stand_in::StandIn, subject};
use crate::{
    cli::{serve::receipt_key, source::Source},
    config::Transport,
    failure::Failure,
};

/// Buffer for messages not yet read, in bytes: that of a pipe of the operating system.
const PIPE: usize = 64 * 1024;

type StandIns = Vec<UpstreamConfig>;

/// A gateway, exactly as `serve` runs it, and links to it.
pub(in crate::cli) struct Stage {
    name: String,
    gateway: Arc<Gateway>,
    /// The URL of its HTTP endpoint, if it listens.
    address: Option<String>,
}

impl Stage {
    /// A gateway in front of the source itself; clients choose the strategy.
    ///
    /// # Errors
    /// See [`Gateway::start`].
    pub(in crate::cli) async fn real(
        source: &Source,
        declared: Declared,
        contestants: &Contestants<'_>,
        progress: &Arc<Progress>,
    ) -> Result<Self, Failure> {
        let assembly = source.clone().assembly(declared, contestants.negotiated()?, fresh_key()?);
        let witness: Arc<dyn Witness> = Arc::clone(progress) as _;
        let assembly = Assembly { witness: Some(witness), fetches: unlimited(), ..assembly };
        let count = assembly.upstreams.len();
        progress
            .upstreams(&format!("starting {count} {}", if count == 1 { "upstream" } else { "upstreams" }));
        let started = Gateway::start(assembly).await?;
        for missing in started.missing {
            tracing::error!("{missing}; it is left out, the others are compared");
        }
        Ok(Self { name: String::new(), gateway: started.gateway, address: None })
    }

    /// The subject of the comparison, and a stand-in for each upstream.
    ///
    /// # Errors
    /// [`Failure::Upstreams`] for the first upstream that does not list again.
    pub(in crate::cli) async fn read(&self) -> Result<(Subject, StandIns), Failure> {
        let backend = self.gateway.backends().shared();
        let upstreams = backend.upstreams();
        let subject = subject::of(backend.catalogue().current().snapshot(), &upstreams);
        let mut stand_ins = StandIns::new();
        for upstream in &upstreams {
            let stand_in =
                StandIn::of(upstream).await.map_err(|error| Failure::Upstreams(vec![Arc::new(error)]))?;
            let target = Target::Responder(Arc::new(stand_in));
            stand_ins.push(UpstreamConfig::new(upstream.name().clone(), target));
        }
        Ok((subject, stand_ins))
    }

    /// A gateway in front of stand-ins for each strategy that can serve them; the others are left out.
    ///
    /// # Errors
    /// If the baseline cannot be served, or no port can be bound.
    pub(in crate::cli) async fn stand_ins(
        source: &Source,
        declared: &Declared,
        upstreams: StandIns,
        contestants: &mut Contestants<'_>,
        transport: Transport,
    ) -> Result<Vec<Self>, Failure> {
        let mut stages = Vec::new();
        for name in contestants.names() {
            let strategies = contestants.pinned(&name)?;
            let assembly = source.clone().assembly(declared.clone(), strategies, fresh_key()?);
            let assembly = Assembly { upstreams: upstreams.clone(), fetches: unlimited(), ..assembly };
            let gateway = match Gateway::start(assembly).await {
                Ok(started) => started.gateway,
                Err(error) if stages.is_empty() => return Err(error.into()),
                Err(error) => {
                    contestants.leave_out(&name, error.into())?;
                    continue;
                }
            };
            let address = match transport {
                Transport::Stdio => None,
                Transport::Http => Some(listen(&gateway).await?),
            };
            stages.push(Self { name, gateway, address });
        }
        Ok(stages)
    }

    /// The strategy that serves every client; empty for the source itself.
    pub(in crate::cli) fn name(&self) -> &str {
        &self.name
    }

    /// The gateway.
    pub(in crate::cli) fn gateway(&self) -> &Gateway {
        &self.gateway
    }

    /// Links to the gateway.
    pub(in crate::cli) fn links(&self) -> LinkFactory {
        let (gateway, address) = (Arc::clone(&self.gateway), self.address.clone());
        Arc::new(move |_strategy| match &address {
            Some(address) => Link::url(address),
            None => Ok(over_stdio(&gateway)),
        })
    }

    /// Closes the gateway and its upstreams.
    pub(in crate::cli) async fn close(&self) {
        self.gateway.close().await;
    }
}

/// Which upstreams disclose progressively themselves: it is their complete definitions that are compared.
pub(in crate::cli) fn disclosing(gateway: &Gateway) -> Vec<String> {
    let upstreams = gateway.backends().shared().upstreams();
    let found = upstreams.iter().filter_map(|upstream| {
        let introduction = upstream.introduction();
        let how = match (introduction.extension().is_some(), upstream.channel()) {
            (true, _) => "it is mcp-disclosure".to_owned(),
            (false, Some(channel)) => format!("by {channel}"),
            (false, None) => return None,
        };
        let name = upstream.name();
        Some(format!(
            "upstream '{name}' discloses progressively already ({how}); compared are complete definitions"
        ))
    });
    found.collect()
}

/// The error for a link to a strategy that was left out.
pub(in crate::cli) fn left_out(strategy: &str) -> Error {
    Error::Ended { reason: format!("no gateway serves '{strategy}'") }
}

/// Rates are not limited: an ordinary client asks in an hour what is measured here in a second.
fn unlimited() -> FetchLimits {
    FetchLimits::per_minute(0)
}

fn fresh_key() -> Result<ReceiptKey, Failure> {
    receipt_key(None).map_err(|problem| Failure::Configuration(vec![problem]))
}

/// The front that `serve` has on its standard streams, on streams within this process.
fn over_stdio(gateway: &Arc<Gateway>) -> Link {
    let (near, far) = tokio::io::duplex(PIPE);
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        if let Err(error) = Stdio::new(input, output, gateway.limits()).serve(&gateway).await {
            tracing::debug!(%error, "a client's stream broke");
        }
    });
    let (input, output) = tokio::io::split(near);
    Link::streams(input, output)
}

/// Listens on a free local port; the URL.
async fn listen(gateway: &Arc<Gateway>) -> Result<String, Failure> {
    let failed = |source: io::Error| Failure::Listen { address: "127.0.0.1:0".to_owned(), source };
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let guard = http::Guard::new(address.ip(), &[], &[]);
    tokio::spawn(http::serve(Arc::clone(gateway), listener, guard));
    Ok(format!("http://{address}/mcp"))
}
