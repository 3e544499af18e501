//! One gateway of a chain: who it is, what it serves, and the upstream that leads on.

use std::sync::Arc;

use mcp_disclosure_core::{Digest, UpstreamName, brief::shorten, digest::hex};
use serde::{Deserialize, Serialize};

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
pub(super) struct Link {
    pub(super) instance: Arc<str>,
    #[serde(default)]
    serves: Vec<String>,
    #[serde(default)]
    pub(super) label: String,
    /// The upstream whose process the chain is for.
    #[serde(default)]
    upstream: Option<String>,
}

impl Link {
    /// A gateway that serves nothing yet.
    pub(super) fn new(instance: Arc<str>) -> Self {
        Self { instance, serves: Vec::new(), label: "this gateway".to_owned(), upstream: None }
    }

    pub(super) fn serving(self, sources: &[Source]) -> Self {
        if sources.is_empty() {
            return self;
        }
        let labels: Vec<&str> = sources.iter().map(|source| source.label.as_str()).collect();
        let serves = sources.iter().map(|source| source.digest.clone()).collect();
        Self { serves, label: shorten(&labels.join(", "), LABEL), ..self }
    }

    pub(super) fn leading_to(self, upstream: Option<&UpstreamName>) -> Self {
        Self { upstream: upstream.map(|name| shorten(name, LABEL)), ..self }
    }

    /// Whether it serves everything that the other one does, so that it starts whatever that one started.
    pub(super) fn includes(&self, other: &Self) -> bool {
        !other.serves.is_empty() && other.serves.iter().all(|source| self.serves.contains(source))
    }

    /// Label and upstream, for errors.
    pub(super) fn shown(&self) -> String {
        match &self.upstream {
            Some(upstream) => format!("{} (upstream '{upstream}')", self.label),
            None => self.label.clone(),
        }
    }

    /// The upstream that led on, and where it is declared.
    pub(super) fn entry(&self) -> String {
        match &self.upstream {
            Some(upstream) => format!("upstream '{upstream}' from {}", self.label),
            None => format!("the upstream of {}", self.label),
        }
    }
}
