//! What a server listed.

use std::collections::HashMap;

use mcp_disclosure_core::RawObject;

use crate::bench::Baseline;

/// The tools that a server listed on one connection. Other connections to it receive the same.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    tools: Vec<RawObject>,
    positions: HashMap<String, usize>,
    /// Names by which tools are served whose own names the strategy uses for its own tools.
    moved: HashMap<String, String>,
}

impl Listed {
    pub(crate) fn new(tools: Vec<RawObject>, baseline: &Baseline) -> Self {
        let (mut positions, mut moved) = (HashMap::new(), HashMap::new());
        for (at, name) in tools.iter().map(|tool| tool.string("name")).enumerate() {
            let Some(name) = name else { continue };
            if !baseline.lists(&name) {
                for (separator, _) in name.match_indices("__") {
                    moved.entry(name[separator + 2..].to_owned()).or_insert_with(|| name.clone());
                }
            }
            positions.entry(name).or_insert(at);
        }
        Self { tools, positions, moved }
    }

    pub(crate) fn tools(&self) -> &[RawObject] {
        &self.tools
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&RawObject> {
        self.tools.get(*self.positions.get(name)?)
    }

    /// The name of a tool under this strategy: a tool with the name of the strategy's own tool is served as
    /// `<upstream>__<tool>`.
    pub(crate) fn served_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.moved.get(name).map_or(name, String::as_str)
    }
}
