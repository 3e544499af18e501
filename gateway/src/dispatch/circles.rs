//! Circles of gateways: a client that is a gateway is refused if this one leads to it, and learns where this one leads.

use std::sync::Arc;

use mcp_disclosure_core::RawObject;
use mcp_disclosure_transport::{ErrorText, Json, printable::Short};

use super::Gateway;
use crate::{backend::Backend, lineage::Chain};

impl Gateway {
    /// The gateways that the sender of a handshake with these capabilities came through; `None` if it is no gateway.
    ///
    /// # Errors
    /// If this gateway leads to one of them, or they are too many.
    pub(super) fn admit(
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

    /// Ends the sessions of gateways that this one leads to since they were admitted. Two gateways that start at the same
    /// time admit each other; the one whose session ends is refused when it comes again.
    pub(super) fn end_circles(self: &Arc<Self>) {
        let shared = self.backends.shared().leads_to();
        if shared.is_empty() {
            return;
        }
        for session in self.sessions.all() {
            let leads_to = session.backend().leads_to();
            let chain = session.client.chain();
            // One of them ends the other's session, and not both: else both would come again at the same time.
            let is_first = chain.iter().all(|other| self.lineage.instance() < other);
            if is_first && chain.meets(&leads_to) {
                tracing::warn!(session = %Short(session.id()), "session ended: it is of a gateway that this one leads to");
                let (gateway, id) = (Arc::clone(self), Arc::clone(session.id()));
                // What fails is tried again by itself.
                tokio::spawn(async move { drop(gateway.end_everywhere(&id).await) });
            }
        }
    }

    /// The result of a handshake, for a gateway with the gateways that this one leads to.
    pub(super) fn led_on(&self, backend: &Backend, is_gateway: bool, result: Json) -> Json {
        match RawObject::parse(result.as_str()) {
            Ok(object) if is_gateway => {
                let capabilities = object.object("capabilities").unwrap_or_default();
                let chain = self.lineage.below_and_own(&backend.leads_to());
                object.with("capabilities", chain.add_to(&capabilities).text()).into()
            }
            _ => result,
        }
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
