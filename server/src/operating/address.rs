//! `--admin`.

use std::{
    net::{Ipv4Addr, SocketAddr},
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
}
