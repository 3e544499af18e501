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
use mcp_disclosure_transport::{CallError, ErrorText, code};
use serde_json::json;

use super::{CIRCLE, Lineage};
use crate::limits::Limits;

/// Where extensions are declared.
const PLACE: &str = "extensions";

/// The member of the extension.
const MEMBER: &str = "chain";

/// Maximum characters of an instance.
const LONGEST: usize = 64;

/// Maximum instances that are read.
const MOST: usize = 256;

/// Instances of gateways, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain(Vec<String>);

impl Chain {
    /// The chain in the capabilities of a handshake, of either side; `None` for a peer that is no gateway.
    pub fn read(capabilities: &RawObject) -> Option<Self> {
        let member = capabilities.object(PLACE)?.object(EXTENSION)?.member(MEMBER)?.to_owned();
        let all: Vec<String> = serde_json::from_str(&member).ok()?;
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

impl Lineage {
    /// What this gateway answers to another one: itself, and the gateways that it leads to.
    pub fn below_and_own(&self, below: &Chain) -> Chain {
        [self.instance()].into_iter().chain(below.iter()).collect()
    }

    /// Checks that a client that came through `chain` may be served by a gateway that leads to `below`.
    ///
    /// # Errors
    /// -32000 with `{"circle": true}` if it would lead back to the client, -32005 if too many are in a row.
    pub fn admit(&self, chain: &Chain, below: &Chain, limits: &Limits) -> Result<(), ErrorText> {
        if self.below_and_own(below).meets(chain) {
            let message = format_args!("{CIRCLE}: this gateway leads to the client that asks");
            return Err(ErrorText::new(code::UPSTREAM_FAILED, message).with_data(&json!({"circle": true})));
        }
        let most = limits.gateway_depth;
        if chain.0.len() < most {
            return Ok(());
        }
        let message = format_args!(
            "{} gateways in a row lead to this one; at most {most} may stand in a row (limits.gateway_depth)",
            chain.0.len()
        );
        Err(ErrorText::new(code::LIMIT_REACHED, message))
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

    #[test]
    fn u12_whoever_is_led_to_is_refused_and_nobody_else() {
        let (lineage, limits) = (Lineage::alone(), Limits::default());
        let own = lineage.instance();
        let below = chain(&["c"]);
        assert!(lineage.admit(&chain(&[]), &below, &limits).is_ok());
        assert!(lineage.admit(&chain(&["a", "b"]), &below, &limits).is_ok());
        for circle in [chain(&[own]), chain(&["a", own]), chain(&["a", "c"])] {
            let refused = lineage.admit(&circle, &below, &limits).unwrap_err();
            let repeated = ErrorText::new(-32603, format_args!("proxy: {}", refused.message()));
            assert!(is_circle(&CallError::Answered(refused)) && is_circle(&CallError::Answered(repeated)));
        }
        let deep: Vec<String> = (0..limits.gateway_depth).map(|number| number.to_string()).collect();
        let refused = lineage.admit(&deep.iter().map(String::as_str).collect(), &below, &limits).unwrap_err();
        assert!(refused.message().contains("limits.gateway_depth"), "{refused:?}");
        assert!(!is_circle(&CallError::Answered(refused)));
    }
}
