//! `--admin`.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    str::FromStr,
};

use mcp_disclosure_gateway::Problem;

/// Where operators look. A port alone is one of this machine's loopback address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminAddress(pub SocketAddr);

impl AdminAddress {
    /// Whether only users of this machine reach it.
    pub(super) fn is_local(&self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }

    /// Why it cannot be listened on where clients use this address: if it is the same.
    pub fn refused_beside(&self, listen: SocketAddr) -> Option<Problem> {
        let (own, other) = (self.0.ip().to_canonical(), listen.ip().to_canonical());
        // All of IPv6 is all of IPv4, too, on most systems.
        let includes = |all: IpAddr, one: IpAddr| all.is_unspecified() && (all.is_ipv6() || one.is_ipv4());
        let is_same_host = own == other || includes(own, other) || includes(other, own);
        let is_taken = listen.port() != 0 && self.0.port() == listen.port() && is_same_host;
        is_taken.then(|| {
            let message = format!("--admin {}: clients are served there (--listen {listen})", self.0);
            Problem::new(message).hint("choose another port for one of them")
        })
    }

    /// Why it may not be listened on where nothing asks clients for credentials: if others could reach it.
    pub fn refused_to_all(&self) -> Option<Problem> {
        if self.is_local() {
            return None;
        }
        let message = format!(
            "--admin {}: the address is reachable from elsewhere, and asks for no credentials",
            self.0
        );
        let hint =
            format!("--admin {} is this machine only; or write [auth] into the configuration", self.0.port());
        Some(Problem::new(message).hint(&hint))
    }
}

impl FromStr for AdminAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(port) = text.parse::<u16>() {
            return Ok(Self(SocketAddr::from((Ipv4Addr::LOCALHOST, port))));
        }
        text.parse().map(Self).map_err(|_| "it must be a port, or ADDRESS:PORT such as 127.0.0.1:9090")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_a_port_alone_is_on_loopback() {
        let parsed = |text: &str| text.parse::<AdminAddress>().map(|address| address.0.to_string());
        assert_eq!(parsed("9090").as_deref(), Ok("127.0.0.1:9090"));
        assert_eq!(parsed("[::1]:9090").as_deref(), Ok("[::1]:9090"));
        assert_eq!(parsed("0.0.0.0:1").as_deref(), Ok("0.0.0.0:1"));
        for wrong in ["", "localhost", "65536", "127.0.0.1", ":9090"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        for (address, allowed) in
            [("9090", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("10.0.0.1:1", false)]
        {
            assert_eq!(
                address.parse::<AdminAddress>().unwrap().refused_to_all().is_none(),
                allowed,
                "{address}"
            );
        }
    }

    #[test]
    fn o1_operators_have_an_address_of_their_own() {
        let is_refused = |admin: &str, listen: &str| {
            let admin: AdminAddress = admin.parse().unwrap();
            admin.refused_beside(listen.parse().unwrap()).is_some()
        };
        for listen in ["127.0.0.1:8848", "0.0.0.0:8848", "[::]:8848", "[::ffff:127.0.0.1]:8848"] {
            assert!(is_refused("8848", listen), "{listen}");
        }
        for listen in ["127.0.0.1:8849", "127.0.0.1:0", "10.0.0.1:8848", "[::1]:8848"] {
            assert!(!is_refused("8848", listen), "{listen}");
        }
        assert!(!is_refused("0", "127.0.0.1:0"), "the system chooses two");
    }
}
