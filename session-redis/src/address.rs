//! Where the store is.

use std::{fmt, str::FromStr};

use percent_encoding::percent_decode_str;

/// The prefix of keys, unless the URL has another.
const PREFIX: &str = "mcp-disclosure";

/// Longest prefix of keys.
const LONGEST_PREFIX: usize = 64;

/// Where the store is. Neither `Display` nor `Debug` shows a user or a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) kind: Kind,
    /// URLs of the servers, as the client library reads them.
    pub(crate) nodes: Vec<String>,
    pub(crate) prefix: String,
    shown: String,
}

/// How the servers work together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One server.
    One,
    /// A cluster; any of its nodes are named.
    Cluster,
    /// Sentinels, which know the master of this name. `nodes` are the sentinels, `master` how the master is connected to.
    Sentinel { name: String, master: String },
}

/// What is wrong with a URL. It quotes nothing of it but the scheme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The scheme is unknown.
    #[error(
        "the URL of a session store begins with redis://, rediss:// (TLS), redis+cluster:// or redis+sentinel://"
    )]
    Scheme,
    /// No server is named.
    #[error("the URL of a session store must name a server: redis://HOST:PORT")]
    NoServer,
    /// The master's name is missing.
    #[error("the URL of sentinels must name the master: redis+sentinel://HOST:26379,HOST:26379/MASTER")]
    NoMaster,
    /// A parameter of the query is unknown.
    #[error("the URL of a session store can have one parameter only: prefix")]
    Parameter,
    /// The prefix is not usable.
    #[error(
        "the prefix of a session store must have 1 to {LONGEST_PREFIX} letters, digits, '-', '_', '.' or ':'"
    )]
    Prefix,
    /// The client library does not understand it.
    #[error(
        "the URL of a session store cannot be read: redis://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded"
    )]
    Unreadable,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
        let (base, kind) = scheme.split_once('+').unwrap_or((scheme, ""));
        let base = match base {
            "redis" | "valkey" => "redis",
            "rediss" | "valkeys" => "rediss",
            _ => return Err(AddressError::Scheme),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let prefix = prefix(query)?;
        // A password may have a slash only if it is encoded, as in any URL.
        let (servers, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, hosts) = servers.rsplit_once('@').map_or(("", servers), |(user, hosts)| (user, hosts));
        let user = if user.is_empty() { String::new() } else { format!("{user}@") };
        let hosts: Vec<&str> = hosts.split(',').map(str::trim).filter(|host| !host.is_empty()).collect();
        if hosts.is_empty() {
            return Err(AddressError::NoServer);
        }
        let shown = format!("{scheme}://{}", hosts.join(","));
        let (kind, nodes) = match kind {
            "" if hosts.len() == 1 => (Kind::One, vec![format!("{base}://{user}{}/{path}", hosts[0])]),
            "cluster" => (Kind::Cluster, hosts.iter().map(|host| format!("{base}://{user}{host}")).collect()),
            "sentinel" => {
                let (name, database) = path.split_once('/').unwrap_or((path, ""));
                let name = percent_decode_str(name).decode_utf8().map_err(|_| AddressError::NoMaster)?;
                if name.is_empty() {
                    return Err(AddressError::NoMaster);
                }
                let master = format!("{base}://{user}{}/{database}", hosts[0]);
                let sentinels = hosts.iter().map(|host| format!("{base}://{host}")).collect();
                (Kind::Sentinel { name: name.into_owned(), master }, sentinels)
            }
            "" => return Err(AddressError::NoServer),
            _ => return Err(AddressError::Scheme),
        };
        let address = Self { kind, nodes, prefix, shown };
        let master = match &address.kind {
            Kind::Sentinel { master, .. } => Some(master),
            _ => None,
        };
        let readable =
            address.nodes.iter().chain(master).all(|node| redis::Client::open(node.as_str()).is_ok());
        if readable { Ok(address) } else { Err(AddressError::Unreadable) }
    }
}

fn prefix(query: &str) -> Result<String, AddressError> {
    let mut prefix = PREFIX.to_owned();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        prefix = parameter.strip_prefix("prefix=").ok_or(AddressError::Parameter)?.to_owned();
    }
    let is_usable = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    match (1..=LONGEST_PREFIX).contains(&prefix.len()) && prefix.bytes().all(is_usable) {
        true => Ok(prefix),
        false => Err(AddressError::Prefix),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Address").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Address, AddressError> {
        text.parse()
    }

    #[test]
    fn k1_one_server_a_cluster_and_sentinels_are_named_by_urls() {
        let one = read("rediss://user:p%40ss@store.example:6380/2?prefix=team-a").unwrap();
        assert_eq!((one.kind, one.prefix.as_str()), (Kind::One, "team-a"));
        assert_eq!(one.nodes, ["rediss://user:p%40ss@store.example:6380/2"]);
        let cluster = read("redis+cluster://:secret@a:1,b:2").unwrap();
        assert_eq!((&cluster.kind, cluster.nodes.len()), (&Kind::Cluster, 2));
        let sentinel = read("valkey+sentinel://u:p@a:26379,b:26379/main/1").unwrap();
        assert_eq!(sentinel.nodes, ["redis://a:26379", "redis://b:26379"]);
        let master = "redis://u:p@a:26379/1".to_owned();
        assert_eq!(sentinel.kind, Kind::Sentinel { name: "main".into(), master });
    }

    #[test]
    fn p11_neither_a_user_nor_a_password_is_shown() {
        for url in
            ["redis://user:secret@h:1/0", "redis+sentinel://user:secret@h:1/main", "redis://user:se@cret@h"]
        {
            let address = read(url).unwrap();
            for shown in [address.to_string(), format!("{address:?}")] {
                assert!(!shown.contains("se") || !shown.contains("cret"), "{shown}");
                assert!(!shown.contains("user"), "{shown}");
            }
        }
    }

    #[test]
    fn k1_a_url_that_cannot_be_meant_is_refused() {
        for (url, error) in [
            ("http://h", AddressError::Scheme),
            ("h:6379", AddressError::Scheme),
            ("redis+magic://h", AddressError::Scheme),
            ("redis://", AddressError::NoServer),
            ("redis://a,b", AddressError::NoServer),
            ("redis+sentinel://a:1", AddressError::NoMaster),
            ("redis://h?cluster=true", AddressError::Parameter),
            ("redis://h?prefix=a%20b", AddressError::Prefix),
            ("redis://h?prefix=", AddressError::Prefix),
            ("redis://h/one", AddressError::Unreadable),
        ] {
            assert_eq!(read(url), Err(error), "{url}");
        }
    }
}
