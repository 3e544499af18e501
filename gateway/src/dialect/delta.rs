//! The handshake of Delta-MCP (003, protocol version 0.2): it negotiates short lists and `tools/describe` in
//! its own format.
//!
//! ```text
//! → {"protocolVersion": "delta-mcp/0.2.0", "capabilities": {"tools": {"progressiveDisclosure": true, ..}, ..}, ..}
//! ← {"protocolVersion": "delta-mcp/0.2.0", "capabilities": {"tools": {"progressiveDisclosure": true,
//!    "lazyLoading": true, ..}, ..}, "encoding": {"format": "json"}, ..}
//! ```
//!
//! Only the major version matters; a client of another one is served as plain MCP, as its own server does
//! (its ADR 003). The encoding is the one that all of its clients support.

use mcp_disclosure_core::RawObject;

use super::Offer;

/// The strategy that its clients request.
const STRATEGY: &str = "describe";

const PREFIX: &str = "delta-mcp/";

/// The version in responses.
const VERSION: &str = "delta-mcp/0.2.0";

/// Whether `initialize` with this version and these capabilities is of Delta-MCP.
pub(super) fn is_asked_for(version: &str, capabilities: &RawObject) -> bool {
    let major = version.strip_prefix(PREFIX).and_then(|version| version.split('.').next());
    let tools = capabilities.object("tools").unwrap_or_default();
    major == Some("0") && tools.member("progressiveDisclosure") == Some("true")
}

/// The client's offer, with `describe` as the requested strategy. Its lists have names and descriptions, and no
/// `inputSchema`.
pub(super) fn offer(mut said: Offer) -> Offer {
    if !said.strategies.iter().any(|name| name == STRATEGY) {
        said.strategies.push(STRATEGY.to_owned());
    }
    Offer { omit_input_schema: true, shortest: true, ..said }
}

/// The `initialize` result in Delta-MCP's format, if the requested strategy was selected.
pub(super) fn answer(result: RawObject, selected: &str) -> RawObject {
    // Filters in front of it do not affect the format.
    if selected.rsplit('+').next() != Some(STRATEGY) {
        return result;
    }
    let capabilities = result.object("capabilities").unwrap_or_default();
    let tools = capabilities.object("tools").unwrap_or_default();
    let tools = tools.with("progressiveDisclosure", "true").with("lazyLoading", "true");
    result
        .with_value("protocolVersion", VERSION)
        .with("capabilities", capabilities.with("tools", tools.text()).text())
        .with("encoding", r#"{"format":"json"}"#)
}
