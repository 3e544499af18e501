//! Circles of gateways: a client that is a gateway is refused if this one leads to it, and learns where this one leads.

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::ErrorText;

use super::Common;
use crate::{backend::Backend, lineage::Chain};

impl Common {
    /// The gateways that the sender of a handshake with these capabilities came through; `None` if it is no gateway.
    ///
    /// # Errors
    /// If this gateway leads to one of them, or they are too many.
    pub(super) fn admit_chain(
        &self,
        backend: &Backend,
        capabilities: &RawObject,
    ) -> Result<Option<Chain>, ErrorText> {
        let Some(chain) = Chain::read(capabilities) else { return Ok(None) };
        self.lineage
            .admit(&chain, &backend.leads_to(), &self.limits)
            .inspect_err(|refused| tracing::debug!(reason = refused.message(), "a gateway is refused"))?;
        Ok(Some(chain))
    }
}

impl Backend {
    /// The gateways among its upstreams, and those that they lead to.
    pub(super) fn leads_to(&self) -> Chain {
        let upstreams = self.upstreams();
        let below = upstreams.iter().map(|upstream| &upstream.introduction().leads_to);
        below.flat_map(Chain::iter).collect()
    }
}
