//! The MCP extension that negotiates strategies.

use crate::raw::RawObject;

/// The extension's id, in `capabilities.extensions` and under the same key in `capabilities.experimental`.
pub const EXTENSION: &str = "io.github.mcp-disclosure/progressive-disclosure";

/// The id of the extension by which servers offer groups of tools, prompts and resources (docs/drafts.md).
pub const GROUPS: &str = "io.modelcontextprotocol/groups";

/// Whether a server with these capabilities offers groups.
pub fn offers_groups(capabilities: &RawObject) -> bool {
    capabilities.object("extensions").is_some_and(|extensions| extensions.object(GROUPS).is_some())
}
