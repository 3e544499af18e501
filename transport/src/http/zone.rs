//! Where an address is, by who can reach it: this machine, a private network, or the public one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use serde::{Deserialize, Serialize};

/// The networks that an address can be on, the closest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// This machine: loopback, and addresses that stand for it.
    Machine,
    /// What the public cannot reach: private and shared networks, the link, unique local addresses; and what is no address
    /// of one host.
    Private,
    /// Everything else.
    #[default]
    Public,
}

impl Zone {
    /// The zone of an address. IPv6 addresses that contain one of IPv4 are where that is.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => Self::of_v6(address),
        }
    }

    /// The zone of a URL's host where its text tells: an address, or a name of this machine. Any other name is where it
    /// resolves to.
    pub fn named(url: &Url) -> Option<Self> {
        // Of a URL of http or https, an IPv6 address is in brackets.
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        match host.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(address) => Some(Self::of(address)),
            Err(_) => (host == "localhost" || host.ends_with(".localhost")).then_some(Self::Machine),
        }
    }

    fn of_v4(address: Ipv4Addr) -> Self {
        let [first, second, third, _] = address.octets();
        match (first, second, third) {
            (0 | 127, ..) => Self::Machine,
            // RFC 1918, RFC 6598 (shared by a carrier's customers), RFC 3927.
            (10, ..) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) | (169, 254, _) => {
                Self::Private
            }
            // RFC 6890 and RFC 2544, multicast, and reserved.
            (192, 0, 0) | (198, 18 | 19, _) | (224.., ..) => Self::Private,
            _ => Self::Public,
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let within = |high: u16, low: u16| {
            let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
            Self::of_v4(Ipv4Addr::new(a, b, c, d))
        };
        match address.segments() {
            [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Self::Machine,
            // Mapped and compatible (RFC 4291), translated (RFC 2765, RFC 6052), 6to4 (RFC 3056).
            [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
            | [0, 0, 0, 0, 0xffff, 0, high, low]
            | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
            | [0x2002, high, low, ..] => within(high, low),
            // Local translation (RFC 8215), unique local, link-local and site-local, multicast.
            [0x64, 0xff9b, 1, ..] | [0xfc00..=0xfdff | 0xfe80..=0xffff, ..] => Self::Private,
            _ => Self::Public,
        }
    }
}

/// Whether a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    Zone::named(url) == Some(Zone::Machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_where_who_can_reach_it_is() {
        for (zone, addresses) in [
            (
                Zone::Machine,
                "127.0.0.1 127.9.9.9 0.0.0.0 0.1.2.3 ::1 :: ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::",
            ),
            (
                Zone::Private,
                "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255 192.0.0.8 \
                 198.18.0.1 224.0.0.1 255.255.255.255 fc00::1 fdff::1 fe80::1 fec0::1 ff02::1 ::ffff:10.0.0.1 \
                 ::10.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:c0a8:101::1",
            ),
            (
                Zone::Public,
                "1.1.1.1 172.15.0.1 172.32.0.1 192.169.0.1 100.63.255.255 100.128.0.1 169.253.0.1 198.20.0.1 223.255.0.1 \
                 2001:4860::8888 2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::808:808 2002:808:808::1",
            ),
        ] {
            for address in addresses.split_whitespace() {
                assert_eq!(Zone::of(address.parse().unwrap()), zone, "{address}");
            }
        }
    }

    #[test]
    fn a_name_tells_nothing_but_this_machine() {
        for (url, zone) in [
            ("http://localhost:1/", Some(Zone::Machine)),
            ("http://a.localhost./", Some(Zone::Machine)),
            ("http://[::1]/", Some(Zone::Machine)),
            ("http://0x7f.1/", Some(Zone::Machine)),
            ("http://2130706433/", Some(Zone::Machine)),
            ("https://[fd00::1]:8/", Some(Zone::Private)),
            ("https://1.1.1.1/", Some(Zone::Public)),
            ("https://localhost.example/", None),
            ("https://auth.example/", None),
        ] {
            assert_eq!(Zone::named(&Url::parse(url).unwrap()), zone, "{url}");
        }
    }
}
