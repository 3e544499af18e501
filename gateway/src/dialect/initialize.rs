//! A client's `initialize`.

use mcp_disclosure_client::Revision;
use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::ErrorText;

use super::{Offer, delta};

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
        let delta = delta::is_asked_for(&asked, &capabilities);
        let offer = Offer::read(&capabilities).with_concerns(params);
        Ok(Self {
            revision: revision.unwrap_or(Revision::LATEST_WITH_SESSIONS),
            offer: if delta { delta::offer(offer) } else { offer },
            client: params.object("clientInfo").and_then(|info| info.string("name")).unwrap_or_default(),
            delta,
        })
    }

    /// The result of `initialize`, in the client's format.
    pub(crate) fn answer(&self, result: RawObject, selected: &str) -> RawObject {
        if self.delta { delta::answer(result, selected) } else { result }
    }
}
