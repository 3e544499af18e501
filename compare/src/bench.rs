//! State that is common to all connections of a comparison.

use std::collections::{HashMap, HashSet};

use mcp_disclosure_core::{RawObject, is_withheld};

use crate::{Error, HostKind, Subject, listed::shows_parameters, probe::Probe, tokenizer::Counter};

/// State that is common to all connections of a comparison.
pub(crate) struct Bench<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) counter: Counter,
    /// What hosts show of a listed tool.
    pub(crate) host: HostKind,
    /// Whether to request lists without `inputSchema`, where the strategy supports that.
    pub(crate) omits_schemas: bool,
    /// The lists of `full`; empty until they are known.
    pub(crate) baseline: Baseline,
}

/// The lists of `full`.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    schemas: HashMap<String, String>,
    resources: HashSet<String>,
}

impl Baseline {
    /// The lists on this connection to `full`.
    pub(crate) async fn of(probe: &Probe<'_>) -> Result<Self, Error> {
        let schema = |tool: &RawObject| Some((tool.string("name")?, tool.member("inputSchema")?.to_owned()));
        let resources = probe.resources().await?;
        Ok(Self {
            schemas: probe.listed.tools().iter().filter_map(schema).collect(),
            resources: resources.iter().map(|resource| resource.text().to_owned()).collect(),
        })
    }

    /// Whether a tool of this name is listed.
    pub(crate) fn lists(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
    }

    /// Whether a tool is listed with its complete schema.
    pub(crate) fn is_complete(&self, tool: &RawObject) -> bool {
        let name = tool.string("name").unwrap_or_default();
        tool.member("inputSchema") == self.schemas.get(&name).map(String::as_str)
    }

    /// Whether the list shows how the tool is called: its schema is complete, or at least describes parameters. Where
    /// schemas are withheld, another stands for them, also for a tool that has no other.
    pub(crate) fn shows_use(&self, tool: &RawObject) -> bool {
        let schema = tool.member("inputSchema").filter(|schema| !is_withheld(schema));
        schema.is_some_and(|_| self.is_complete(tool) || shows_parameters(tool))
    }

    /// The listed resources that a strategy adds. The source's own are the same under every strategy.
    pub(crate) fn added(&self, resources: Vec<RawObject>) -> Vec<RawObject> {
        resources.into_iter().filter(|resource| !self.resources.contains(resource.text())).collect()
    }
}
