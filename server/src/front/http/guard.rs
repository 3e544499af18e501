//! The checks against DNS rebinding: which hosts and origins may reach us.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, header};

/// Names that mean this machine.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]"];

/// Which `Host` and `Origin` headers are let through.
///
/// A rebound name resolves to us but is not ours, so names have to be listed; addresses cannot be rebound
/// and are let through where we listen on all of them.
#[derive(Clone, Debug)]
pub struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
    any_address: bool,
}

impl Guard {
    /// Lets through what names this machine, the address listened on, and these.
    pub fn new(listening: IpAddr, hosts: &[String], origins: &[String]) -> Self {
        let own = match listening {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let ours = LOOPBACK.iter().map(|name| (*name).to_owned()).chain([own]);
        Self {
            hosts: ours.chain(hosts.iter().map(|host| host.to_ascii_lowercase())).collect(),
            origins: origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase()).collect(),
            any_address: listening.is_unspecified(),
        }
    }

    /// Whether a request may come in; the reason if not.
    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<(), String> {
        let host = text(headers, &header::HOST);
        if !host.is_some_and(|host| self.is_ours(&host)) {
            return Err(
                "the Host header does not name this server; --allow-host lets a name through".to_owned()
            );
        }
        let Some(origin) = text(headers, &header::ORIGIN) else { return Ok(()) };
        let local = origin.split_once("://").is_some_and(|(_, host)| LOOPBACK.contains(&without_port(host)));
        if local || self.origins.contains(&origin) {
            return Ok(());
        }
        Err(format!("requests from origin '{origin}' are refused; --allow-origin lets one through"))
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host);
        let is_address = || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        self.hosts.iter().any(|known| known == host || known == name) || (self.any_address && is_address())
    }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_ascii_lowercase())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn admits(guard: &Guard, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        guard.admit(&headers).is_ok()
    }

    #[test]
    fn lets_ours_through_and_nothing_rebound() {
        let local = Guard::new(
            Ipv4Addr::LOCALHOST.into(),
            &["proxy.example".into()],
            &["https://app.example/".into()],
        );
        for host in ["127.0.0.1:8848", "localhost", "LOCALHOST:1", "[::1]:8848", "proxy.example:443"] {
            assert!(admits(&local, host, None), "{host}");
        }
        for host in ["evil.example", "evil.example:8848", "10.0.0.7", "127.0.0.1.evil.example", ""] {
            assert!(!admits(&local, host, None), "{host}");
        }
        for (origin, admitted) in [
            ("http://localhost:5173", true),
            ("https://app.example", true),
            ("https://evil.example", false),
            ("http://localhost.evil.example", false),
            ("null", false),
        ] {
            assert_eq!(admits(&local, "localhost", Some(origin)), admitted, "{origin}");
        }
        let everywhere = Guard::new(Ipv4Addr::UNSPECIFIED.into(), &[], &[]);
        assert!(admits(&everywhere, "10.0.0.7:8848", None) && !admits(&everywhere, "evil.example", None));
        assert!(everywhere.admit(&HeaderMap::new()).is_err());
    }
}
