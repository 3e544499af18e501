//! What grants newly cover, for the log: a pattern such as `a/*` permits what did not exist when it was written.

use std::sync::Arc;

use mcp_disclosure_access::Access;
use mcp_disclosure_gateway::observe::{Observer, ToolChanges};

/// Says which principals and profiles may use a tool that is new.
#[derive(Debug)]
pub struct Grants(pub Arc<Access>);

impl Observer for Grants {
    fn tools_changed(&self, ToolChanges { upstream, new, .. }: &ToolChanges<'_>) {
        let settings = self.0.settings();
        for (name, permits) in settings.permits() {
            for tool in *new {
                if let Some(pattern) = permits.naming(upstream, tool) {
                    tracing::info!("{name}: '{pattern}' covers '{upstream}/{tool}' now, which is new");
                }
            }
        }
    }
}
