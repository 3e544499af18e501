//! How clients come in, and who may: what `serve` refuses of that, and `check` with it.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use mcp_disclosure_access::Access;
use mcp_disclosure_core::Permits;
use mcp_disclosure_gateway::negotiation::Strategies;

use crate::{
    config::{self, Serve, Transport},
    failure::Failure,
    files::Contents,
};

/// The default address for HTTP.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8848);

/// The transport and the address for HTTP: flags, else what the file says.
pub(super) fn entrance(
    (transport, listen): (Option<Transport>, Option<SocketAddr>),
    file: &Serve,
) -> (Transport, SocketAddr) {
    (transport.or(file.transport).unwrap_or_default(), listen.or(file.listen).unwrap_or(LISTEN))
}

/// Who may come in, with what files say of it, where these strategies are offered. Within a runtime.
///
/// # Errors
/// [`Failure::Configuration`] with strategies that are not offered, or every token that cannot be read.
pub(super) fn door(contents: &Contents, strategies: &Strategies) -> Result<Arc<Access>, Failure> {
    let all = Permits::all();
    let is_offered = |name: &str| strategies.is_offered_to(&all, name);
    let unknown =
        config::unknown_strategies(&contents.access, &contents.grants, is_offered, &strategies.offered());
    if !unknown.is_empty() {
        return Err(Failure::Configuration(unknown));
    }
    let made = Access::new(contents.access.clone());
    made.map(Arc::new).map_err(|errors| Failure::Configuration(config::unreadable(&errors)))
}
