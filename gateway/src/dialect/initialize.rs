//! A client's `initialize`.
//!
//! Delta-MCP (003, protocol version 0.2) has a handshake of its own, which negotiates short lists and `tools/describe`:
//!
//! ```text
//! → {"protocolVersion": "delta-mcp/0.2.0", "capabilities": {"tools": {"progressiveDisclosure": true, ..}, ..}, ..}
//! ← {"protocolVersion": "delta-mcp/0.2.0", "capabilities": {"tools": {"progressiveDisclosure": true,
//!    "lazyLoading": true, ..}, ..}, "encoding": {"format": "json"}, ..}
//! ```
//!
//! Only the major version matters; a client of another one is served as plain MCP, as its own server does
//! (its ADR 003). The encoding is the one that all of its clients support.

use mcp_disclosure_client::Revision;
use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::ErrorText;

use super::Offer;

/// An `initialize` request.
#[derive(Clone, Debug)]
pub(crate) struct InitializeRequest {
    /// The negotiated revision.
    pub revision: Revision,
    /// The client's disclosure offer.
    pub offer: Offer,
    /// The client's name, from `clientInfo`.
    pub client: String,
    /// Whether it is a Delta-MCP client.
    delta: bool,
}

impl InitializeRequest {
    /// Parses the parameters of `initialize`.
    ///
    /// # Errors
    /// -32602 if the protocol version is missing.
    pub(crate) fn read(params: &RawObject) -> Result<Self, ErrorText> {
        let asked = params
            .string("protocolVersion")
            .ok_or_else(|| ErrorText::invalid_params("params.protocolVersion must be a string"))?;
        let revision = Revision::parse(&asked).filter(|revision| revision.has_sessions());
        let capabilities = params.object("capabilities").unwrap_or_default();
        let delta = is_delta(&asked, &capabilities);
        let offer = Offer::read(&capabilities).with_concerns(params);
        Ok(Self {
            revision: revision.unwrap_or(Revision::LATEST_WITH_SESSIONS),
            offer: if delta { delta_offer(offer) } else { offer },
            client: params.object("clientInfo").and_then(|info| info.string("name")).unwrap_or_default(),
            delta,
        })
    }

    /// The result of `initialize`, in the client's format.
    pub(crate) fn answer(&self, result: RawObject, selected: &str) -> RawObject {
        if self.delta { delta_answer(result, selected) } else { result }
    }
}

/// The strategy that its clients request.
const STRATEGY: &str = "describe";

const DELTA: &str = "delta-mcp/";

/// The version in responses.
const VERSION: &str = "delta-mcp/0.2.0";

/// Whether `initialize` with this version and these capabilities is of Delta-MCP.
fn is_delta(version: &str, capabilities: &RawObject) -> bool {
    let major = version.strip_prefix(DELTA).and_then(|version| version.split('.').next());
    let tools = capabilities.object("tools").unwrap_or_default();
    major == Some("0") && tools.member("progressiveDisclosure") == Some("true")
}

/// The client's offer, with `describe` as the requested strategy. Its lists have names and descriptions, and no
/// `inputSchema`.
fn delta_offer(mut said: Offer) -> Offer {
    if !said.strategies.iter().any(|name| name == STRATEGY) {
        said.strategies.push(STRATEGY.to_owned());
    }
    Offer { omit_input_schema: true, shortest: true, ..said }
}

/// The `initialize` result in Delta-MCP's format, if the requested strategy was selected.
fn delta_answer(result: RawObject, selected: &str) -> RawObject {
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
