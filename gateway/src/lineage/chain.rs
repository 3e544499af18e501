//! The chain in handshakes: the instances of gateways that a request came through, or that a gateway leads to.
//!
//! ```text
//! → {"capabilities": {"extensions": {"io.github.mcp-disclosure/progressive-disclosure": {"chain": ["3f…", "a1…"], ..}}}}
//! ← {"capabilities": {"extensions": {"io.github.mcp-disclosure/progressive-disclosure": {"chain": ["c7…", "09…"], ..}}}}
//! ```
//!
//! A request names the gateways above, outermost first; the response names the server and the gateways below it. Both
//! are needed: of two gateways that name each other by URL, none starts the other. Capabilities are where every revision
//! has room for what a peer may not know, and where proxies pass on what they do not know. `_meta` is not: servers that
//! speak both eras take a request with `_meta` for one of the stateless era. A forged chain harms only its sender.

use mcp_disclosure_core::{EXTENSION, RawObject};
use mcp_disclosure_transport::CallError;
use serde::{Deserialize, Serialize};

/// The beginning of the message of a gateway that would lead back to itself. A gateway above recognizes it on stderr,
/// and does not try again.
pub(crate) const CIRCLE: &str = "the upstreams lead in a circle";

/// Where extensions are declared.
const PLACE: &str = "extensions";

/// The member of the extension.
const MEMBER: &str = "chain";

/// Maximum characters of an instance.
const LONGEST: usize = 64;

/// Maximum instances that are read.
const MOST: usize = 256;

/// Instances of gateways, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Chain(Vec<String>);

impl Chain {
    /// The chain in the capabilities of a handshake, of either side; `None` for a peer that is no gateway.
    pub fn read(capabilities: &RawObject) -> Option<Self> {
        let all: Vec<String> = capabilities.object(PLACE)?.object(EXTENSION)?.value(MEMBER)?;
        Some(all.iter().map(String::as_str).filter(|one| one.len() <= LONGEST).take(MOST).collect())
    }

    /// The capabilities with this chain.
    pub fn add_to(&self, capabilities: &RawObject) -> RawObject {
        let extensions = capabilities.object(PLACE).unwrap_or_default();
        let own = extensions.object(EXTENSION).unwrap_or_default().with_value(MEMBER, &self.0);
        capabilities.with(PLACE, extensions.with(EXTENSION, own.text()).text())
    }

    /// The instances.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it names no gateway.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether both name the same gateway.
    pub fn meets(&self, other: &Self) -> bool {
        self.iter().any(|one| other.0.iter().any(|two| two == one))
    }
}

impl<'i> FromIterator<&'i str> for Chain {
    fn from_iter<I: IntoIterator<Item = &'i str>>(instances: I) -> Self {
        let mut all: Vec<String> = Vec::new();
        for instance in instances {
            if all.iter().all(|known| known != instance) {
                all.push(instance.to_owned());
            }
        }
        Self(all)
    }
}

/// Whether an upstream refused because it leads back to this gateway, so that another attempt would fail like this one.
/// A child process says so on stderr, since it ends before it is asked anything. Proxies such as npm `mcp-remote` repeat the
/// message of an error, and not its data.
pub(crate) fn is_circle(error: &CallError) -> bool {
    match error {
        CallError::Answered(error) => error.message().contains(CIRCLE),
        CallError::Ended { .. } => error.in_full().contains(CIRCLE),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(instances: &[&str]) -> Chain {
        instances.iter().copied().collect()
    }

    #[test]
    fn u12_a_chain_is_read_where_it_was_written_and_nonsense_is_none() {
        let declared =
            format!(r#"{{"roots":{{}},"extensions":{{"x":{{}},"{EXTENSION}":{{"complete":true}}}}}}"#);
        let declared = RawObject::parse(declared).unwrap();
        let sent = chain(&["x", "y", "x"]).add_to(&declared);
        assert_eq!(Chain::read(&sent), Some(chain(&["x", "y"])));
        let kept = format!(
            r#"{{"roots":{{}},"extensions":{{"x":{{}},"{EXTENSION}":{{"complete":true,"chain":["x","y"]}}}}}}"#
        );
        assert_eq!(sent.text(), kept);
        assert_eq!(Chain::read(&declared), None);
        let with = |own: RawObject| {
            let extensions = RawObject::empty().with(EXTENSION, own.text());
            Chain::read(&RawObject::empty().with(PLACE, extensions.text()))
        };
        for nonsense in ["7", "{}", "[1]", "null"] {
            assert_eq!(with(RawObject::empty().with(MEMBER, nonsense)), None, "{nonsense}");
        }
        let long = "x".repeat(LONGEST + 1);
        let many: Vec<String> = (0..1000).map(|number| number.to_string()).chain([long]).collect();
        assert_eq!(with(RawObject::empty().with_value(MEMBER, &many)).unwrap().0.len(), MOST);
    }
}
