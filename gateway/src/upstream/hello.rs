//! What a handshake says of this gateway, and of the client that it is for.

use std::sync::Arc;

use mcp_disclosure_core::{Notes, RawObject};

use crate::{
    dialect::Offer,
    lineage::{Chain, Lineage},
    session::{Chosen, Client},
};

/// This gateway's half of a handshake with an upstream.
#[derive(Clone, Debug)]
pub(super) struct Hello {
    /// The capabilities of the client that the connection is dedicated to, or what is common to all.
    pub(super) of_clients: RawObject,
    /// The capabilities to declare: these, that complete definitions are asked for, and the chain.
    pub(super) capabilities: RawObject,
    /// The gateways that lead to the upstream.
    pub(super) chain: Chain,
    /// The client's choices of concerns.
    pub(super) chosen: Chosen,
}

impl Hello {
    pub(super) fn new(
        client: Option<&Arc<Client>>,
        common: RawObject,
        tells: bool,
        lineage: &Lineage,
    ) -> Self {
        let of_clients = client.map_or(common, |client| client.capabilities().clone());
        let chain = lineage.chain(&client.map(|client| client.chain()).unwrap_or_default());
        let chosen = client.map(|client| client.chosen().borrow().clone());
        let chosen = chosen.unwrap_or_else(|| Chosen { number: u64::MAX, values: Notes::new() });
        let values = if tells { chosen.values } else { Notes::new() };
        Self {
            capabilities: chain.add_to(&Offer::ours(&of_clients)),
            of_clients,
            chosen: Chosen { values, ..chosen },
            chain,
        }
    }
}
