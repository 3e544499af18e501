//! The chain of gateways that leads to this one, so that none leads back to itself (U12).
//!
//! - **Child processes** get it in the environment variable [`VARIABLE`], which wrappers such as `npx` and `sh -c` pass
//!   on. It says what each gateway serves, so that a gateway refuses to start below one that serves the same.
//! - **Other servers** get it in the capabilities of the handshake ([`Chain`]): random ids only, since paths and programs are not
//!   their business. A gateway refuses a client that it leads to itself.
//!
//! Stacks of different gateways work, up to `limits.gateway_depth`.

mod chain;

use std::sync::Arc;

pub use chain::Chain;
pub(crate) use chain::{CIRCLE, is_circle};
use mcp_disclosure_core::{
    Digest, UpstreamName,
    brief::shorten,
    digest::{hex, random_id},
};
use mcp_disclosure_transport::{ErrorText, code};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{limits::Limits, problem::Problem};

/// The environment variable with the gateways above this process, outermost first.
pub const VARIABLE: &str = "MCP_DISCLOSURE_CHAIN";

/// Maximum characters of a label: a chain must fit into an environment variable.
const LABEL: usize = 200;

/// Bytes of a source's digest: enough to tell apart what one person serves.
const DIGEST_BYTES: usize = 8;

/// Something that determines what a gateway starts: a file, a command or a URL.
#[derive(Clone, Debug)]
pub struct Source {
    label: String,
    digest: String,
}

impl Source {
    /// A source. `label` is shown in errors, and must not be secret; `parts` identify it, in one spelling.
    pub fn new<'p>(label: impl Into<String>, parts: impl IntoIterator<Item = &'p str>) -> Self {
        let digest = hex(&Digest::of_parts(parts).as_bytes()[..DIGEST_BYTES]);
        Self { label: label.into(), digest }
    }
}

/// One gateway of a chain, as passed on to child processes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Link {
    instance: Arc<str>,
    #[serde(default)]
    serves: Vec<String>,
    #[serde(default)]
    label: String,
    /// The upstream whose process the chain is for.
    #[serde(default)]
    upstream: Option<String>,
}

impl Link {
    /// Label and upstream, for errors.
    fn shown(&self) -> String {
        match &self.upstream {
            Some(upstream) => format!("{} (upstream '{upstream}')", self.label),
            None => self.label.clone(),
        }
    }

    /// The upstream that led on, and where it is declared.
    fn entry(&self) -> String {
        match &self.upstream {
            Some(upstream) => format!("upstream '{upstream}' from {}", self.label),
            None => format!("the upstream of {}", self.label),
        }
    }
}

/// One gateway, and those that lead to it.
#[derive(Clone, Debug)]
pub struct Lineage {
    ancestors: Vec<Link>,
    own: Link,
}

impl Lineage {
    /// A gateway that no other leads to.
    pub fn alone() -> Self {
        // Without randomness, what tells processes of this machine apart.
        let instance = random_id().unwrap_or_else(|_| std::process::id().to_string().into());
        let own = Link { instance, serves: Vec::new(), label: "this gateway".to_owned(), upstream: None };
        Self { ancestors: Vec::new(), own }
    }

    /// A gateway in this process, below those that the environment names.
    ///
    /// # Errors
    /// If the variable is not what a gateway sets.
    pub fn of_process() -> Result<Self, Problem> {
        let Some(text) = std::env::var_os(VARIABLE) else { return Ok(Self::alone()) };
        Self::below(&text.to_string_lossy())
    }

    fn below(text: &str) -> Result<Self, Problem> {
        let ancestors = serde_json::from_str(text).map_err(|error| {
            Problem::new(format!("environment variable {VARIABLE} cannot be read: {error}"))
                .hint("gateways set it for the programs that they start; unset it")
        })?;
        Ok(Self { ancestors, ..Self::alone() })
    }

    /// The same with what it serves: the files, commands and URLs that determine its upstreams.
    pub fn serving(mut self, sources: &[Source]) -> Self {
        if !sources.is_empty() {
            let labels: Vec<&str> = sources.iter().map(|source| &*source.label).collect();
            self.own.label = shorten(&labels.join(", "), LABEL);
            self.own.serves = sources.iter().map(|source| source.digest.clone()).collect();
        }
        self
    }

    /// Checks that it may start.
    ///
    /// # Errors
    /// If a gateway above serves the same, or there are too many above.
    pub fn check(&self, limits: &Limits) -> Result<(), Problem> {
        // Whoever serves everything that one above does starts whatever that one started.
        let is_included = |above: &Link| {
            !above.serves.is_empty() && above.serves.iter().all(|source| self.own.serves.contains(source))
        };
        if let Some(at) = self.ancestors.iter().position(is_included) {
            let last = self.ancestors.last().map(Link::entry).unwrap_or_default();
            let hint = format!("remove {last}; where this process was started by hand, unset {VARIABLE}");
            return Err(Problem::new(format!("{CIRCLE}: {}", self.path(at))).hint(hint));
        }
        let most = limits.gateway_depth;
        if self.ancestors.len() < most {
            return Ok(());
        }
        let message = format!("{}: {}", too_many(self.ancestors.len(), most), self.path(0));
        Err(Problem::new(message).hint(format!(
            "an upstream of one of them starts this program again; where this process was started by hand, unset {VARIABLE}"
        )))
    }

    /// The gateways from the one at this position to this one.
    fn path(&self, at: usize) -> String {
        let above = self.ancestors[at..].iter().map(Link::shown);
        above.chain([self.own.label.clone()]).collect::<Vec<_>>().join(" -> ")
    }

    /// The value of [`VARIABLE`] for the process of this upstream.
    pub fn variable(&self, upstream: Option<&UpstreamName>) -> String {
        let own = Link { upstream: upstream.map(|name| shorten(name, LABEL)), ..self.own.clone() };
        serde_json::to_string(&self.ancestors.iter().chain([&own]).collect::<Vec<_>>()).unwrap_or_default()
    }

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
        if chain.len() < most {
            return Ok(());
        }
        Err(ErrorText::new(code::LIMIT_REACHED, too_many(chain.len(), most)))
    }

    /// The chain for a handshake with an upstream, on behalf of a client that came through `client`.
    pub fn chain(&self, client: &Chain) -> Chain {
        let above = self.ancestors.iter().map(|link| &*link.instance).chain(client.iter());
        above.chain([&*self.own.instance]).collect()
    }

    /// The id of this gateway.
    pub(crate) fn instance(&self) -> &str {
        &self.own.instance
    }
}

/// What is said where more gateways lead to one than may.
fn too_many(above: usize, most: usize) -> String {
    format!(
        "{above} gateways in a row lead to this one; at most {most} may stand in a row (limits.gateway_depth)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Source {
        Source::new(path, ["file", path])
    }

    fn below(parent: &Lineage, upstream: &str, sources: &[Source]) -> Lineage {
        let name = UpstreamName::parse(upstream).unwrap();
        Lineage::below(&parent.variable(Some(&name))).unwrap().serving(sources)
    }

    fn refusal(lineage: &Lineage) -> Option<String> {
        lineage.check(&Limits::default()).err().map(|problem| problem.to_string())
    }

    #[test]
    fn u12_whoever_serves_all_that_one_above_serves_leads_in_a_circle() {
        let top = Lineage::alone().serving(&[file("/a.json")]);
        assert_eq!(refusal(&top), None);
        let same = below(&top, "me", &[file("/a.json")]);
        assert!(refusal(&same).is_some());
        let more = below(&top, "me", &[file("/a.json"), file("/b.json")]);
        assert!(refusal(&more).is_some(), "it starts everything that the one above starts, itself included");
        let other = below(&top, "b", &[file("/b.json")]);
        assert_eq!(refusal(&other), None, "gateways that serve different things may be stacked");
        let back = below(&other, "a", &[file("/a.json")]);
        let text = refusal(&back).unwrap();
        assert!(text.contains("/a.json (upstream 'b') -> /b.json (upstream 'a') -> /a.json"), "{text}");
        assert!(text.contains("remove upstream 'a' from /b.json"), "{text}");
    }
}
