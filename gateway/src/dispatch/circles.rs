//! Circles of gateways: a client that is a gateway is refused if this one leads to it, and learns where this one leads.

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{ErrorText, Json};

use super::{Common, sessions::ServedSession};
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

    /// The sessions of gateways that this one leads to, and has to end. One of both ends the other's session: else both would
    /// come again at the same time.
    pub(super) fn closed_circles(&self, sessions: Vec<Arc<ServedSession>>) -> Vec<Arc<ServedSession>> {
        let mut closed = sessions;
        if self.backends.shared().leads_to().is_empty() {
            return Vec::new();
        }
        closed.retain(|session| {
            let chain = session.client.chain();
            let is_first = chain.iter().all(|other| self.lineage.instance() < other);
            is_first && chain.meets(&session.backend().leads_to())
        });
        closed
    }

    /// The result of a handshake, for a gateway with the gateways that this one leads to.
    pub(super) fn led_on(&self, backend: &Backend, is_gateway: bool, result: Json) -> Json {
        if !is_gateway {
            return result;
        }
        let Ok(object) = RawObject::parse(result.as_str()) else { return result };
        let capabilities = object.object("capabilities").unwrap_or_default();
        let chain = self.lineage.below_and_own(&backend.leads_to());
        object.with("capabilities", chain.add_to(&capabilities).text()).into()
    }
}

impl Backend {
    /// The gateways among its upstreams, and those that they lead to.
    fn leads_to(&self) -> Chain {
        let upstreams = self.upstreams();
        let below = upstreams.iter().map(|upstream| &upstream.introduction().leads_to);
        below.flat_map(Chain::iter).collect()
    }
}
