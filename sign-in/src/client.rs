//! HTTP to authorization servers: by HTTPS only, of limited size and time, without redirects.
//!
//! Their URLs come from the server that asks for sign-in, so that they are not the operator's choice. Plain HTTP, and
//! any address of this machine, is for servers on this machine only; addresses of a private network for servers that are
//! on one.

use std::{collections::HashMap, net::SocketAddr, sync::Arc, time::Duration};

use mcp_disclosure_transport::http::{Zone, body, builder};
use oauth2::{HttpRequest, HttpResponse};
use parking_lot::Mutex;
use reqwest::{
    Client, Url,
    dns::{Name, Resolve, Resolving},
    header::CONTENT_TYPE,
    redirect::Policy,
};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};

use crate::Error;

/// The largest answer: metadata and tokens have a few kB.
const LARGEST: usize = 1024 * 1024;

/// How long an answer may take, to its end.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(15);

/// A client for the authorization servers of one server.
#[derive(Debug)]
pub(crate) struct BoundedClient {
    client: Client,
    names: Names,
    /// Where the server is that asks for sign-in.
    zone: Zone,
}

impl BoundedClient {
    /// A client for a server in this zone.
    ///
    /// # Errors
    /// If the system's TLS cannot be used.
    pub(crate) fn new(zone: Zone) -> Result<Self, Error> {
        let names = Names::least(zone);
        Ok(Self { client: http_client(&names)?, names, zone })
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, OAuthHttpClientError> {
        let request = reqwest::Request::try_from(request)?;
        if !is_safe(request.url(), self.zone) {
            let origin = request.url().origin().ascii_serialization();
            let why = "it is not https, or it is at a private address and the server is not";
            return Err(format!("{origin} is not used: {why}").into());
        }
        self.names.ask_for(request.url().host_str().unwrap_or_default());
        let response = self.client.execute(request).await.map_err(reqwest::Error::without_url)?;
        let mut answer = http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        // An MCP server may open its event stream, which has no end.
        let is_stream = content_type.is_some_and(|kind| kind.starts_with("text/event-stream"));
        if is_stream {
            return Ok(answer.body(Vec::new())?);
        }
        let body = body(response, LARGEST).await.map_err(reqwest::Error::without_url)?;
        Ok(answer.body(body.ok_or_else(|| format!("more than {LARGEST} bytes were sent"))?)?)
    }
}

impl OAuthHttpClient for BoundedClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let answer = tokio::time::timeout(TIMEOUT, self.exchange(request.request)).await;
            answer.unwrap_or_else(|_| Err(format!("no answer within {} seconds", TIMEOUT.as_secs()).into()))
        })
    }
}

/// A client that follows no redirects, and resolves names so.
pub(crate) fn http_client(names: &Names) -> Result<Client, Error> {
    let client = builder()
        .redirect(Policy::none())
        .connect_timeout(TIMEOUT)
        .pool_max_idle_per_host(0)
        .dns_resolver(Arc::new(names.clone()))
        .build();
    client.map_err(|error| Error::Unreachable(error.to_string()))
}

/// Whether a server in this zone may name a URL that secrets are sent to: by HTTPS, or within this machine; and no closer
/// than the server is. A name's addresses are checked when it is resolved.
pub(crate) fn is_safe(url: &Url, server: Zone) -> bool {
    let zone = Zone::named(url);
    match url.scheme() {
        "https" => zone.is_none_or(|zone| zone >= server),
        "http" => (server, zone) == (Zone::Machine, Some(Zone::Machine)),
        _ => false,
    }
}

/// A parameter of a URL.
pub(crate) fn parameter(url: &str, name: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}

/// Resolves names by the system. Of hosts that are asked for, the addresses closer than the server are left out. What is checked is
/// what is connected to: a name that was checked before could resolve to another address a moment later (DNS rebinding).
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

    #[test]
    fn a6_no_server_names_what_is_closer_than_itself() {
        for (url, safe_for) in [
            ("https://auth.example/token", [true, true, true]),
            ("http://auth.example/token", [false, false, false]),
            ("http://127.0.0.1:9/token", [true, false, false]),
            ("https://localhost/token", [true, false, false]),
            ("https://10.0.0.1/token", [true, true, false]),
            ("http://10.0.0.1/", [false, false, false]),
            ("http://localhost.example/", [false, false, false]),
            ("file:///etc/passwd", [false, false, false]),
        ] {
            let parsed = Url::parse(url).unwrap();
            let of = [Zone::Machine, Zone::Private, Zone::Public].map(|server| is_safe(&parsed, server));
            assert_eq!(of, safe_for, "{url}");
        }
    }

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
