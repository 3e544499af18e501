//! The MCP extension that negotiates strategies.

/// The extension's id, in `capabilities.extensions` and under the same key in `capabilities.experimental`.
pub const EXTENSION: &str = "io.github.mcp-disclosure/progressive-disclosure";
