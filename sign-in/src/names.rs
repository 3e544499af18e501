//! Names, resolved to the addresses that may be connected to.
//!
//! The addresses that are checked are those that are connected to: a name that was checked before could resolve to
//! another address a moment later (DNS rebinding).

use std::{collections::HashMap, net::SocketAddr, sync::Arc};

use mcp_disclosure_transport::http::Zone;
use parking_lot::Mutex;
use reqwest::dns::{Name, Resolve, Resolving};

/// Resolves names by the system. Of hosts that are asked for, the addresses closer than the server are left out.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The zone of the server that asks for sign-in.
    least: Zone,
    /// Hosts that requests are for, with where they were found. Others are proxies, which the operator chose.
    hosts: Arc<Mutex<HashMap<String, Option<Zone>>>>,
}

impl Names {
    /// Names of hosts in this zone, or in one that more can reach.
    pub(crate) fn least(least: Zone) -> Self {
        Self { least, hosts: Arc::default() }
    }

    /// A request is for this host.
    pub(crate) fn ask_for(&self, host: &str) {
        self.hosts.lock().entry(host.to_owned()).or_default();
    }

    /// Where a host was found: the zone of its most public address. `None` if it was not resolved, as behind a proxy.
    pub(crate) fn zone(&self, host: &str) -> Option<Zone> {
        self.hosts.lock().get(host).copied().flatten()
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { least, hosts } = self.clone();
        Box::pin(async move {
            let name = name.as_str();
            let all: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
            let mut hosts = hosts.lock();
            let Some(found) = hosts.get_mut(name) else { return Ok(Box::new(all.into_iter()) as _) };
            let zone = |address: &SocketAddr| Zone::of(address.ip());
            *found = all.iter().map(zone).max();
            let fit: Vec<SocketAddr> = all.into_iter().filter(|address| zone(address) >= least).collect();
            match fit.is_empty() {
                true => {
                    Err(format!("{name} is at a private address, and the server that names it is not").into())
                }
                false => Ok(Box::new(fit.into_iter()) as _),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn resolved(names: &Names) -> Result<Vec<SocketAddr>, String> {
        let name = "localhost".parse().unwrap();
        names.resolve(name).await.map(Iterator::collect).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a6_names_of_a_private_network_resolve_for_servers_in_it_only() {
        for least in [Zone::Public, Zone::Private] {
            let names = Names::least(least);
            // As a proxy.
            assert!(!resolved(&names).await.unwrap().is_empty());
            names.ask_for("localhost");
            let refused = resolved(&names).await.unwrap_err();
            assert_eq!(refused, "localhost is at a private address, and the server that names it is not");
        }
        let names = Names::least(Zone::Machine);
        assert_eq!(names.zone("localhost"), None);
        names.ask_for("localhost");
        assert!(!resolved(&names).await.unwrap().is_empty());
        assert_eq!(names.zone("localhost"), Some(Zone::Machine));
    }
}
