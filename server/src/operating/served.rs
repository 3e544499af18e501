//! The gateway that operators look at: before it serves, its upstreams; afterwards all of it.

use std::sync::{Arc, Weak};

use mcp_disclosure_gateway::{
    Gateway,
    slot::{Slot, Witness},
};
use parking_lot::Mutex;
use tokio::sync::SetOnce;

/// What there is of a gateway so far. It does not keep the gateway alive.
#[derive(Debug, Default)]
pub(super) struct Served {
    starting: Mutex<Option<Arc<[Arc<Slot>]>>>,
    gateway: SetOnce<Weak<Gateway>>,
}

impl Served {
    /// The gateway serves from now on.
    pub(super) fn serves(&self, gateway: &Arc<Gateway>) {
        let _once = self.gateway.set(Arc::downgrade(gateway));
        *self.starting.lock() = None;
    }

    /// The gateway, while it serves.
    pub(super) fn gateway(&self) -> Option<Arc<Gateway>> {
        self.gateway.get()?.upgrade()
    }

    /// The upstreams that clients share, or that the next session is served from, in the order of the configuration.
    pub(super) fn slots(&self) -> Arc<[Arc<Slot>]> {
        match self.gateway() {
            Some(gateway) => gateway.backends().shared().slots(),
            None => self.starting.lock().clone().unwrap_or_default(),
        }
    }

    /// Waits until the gateway served, and was given its time to end.
    pub(super) async fn ending(&self) {
        let drained = self.gateway.wait().await.upgrade().map(|gateway| gateway.drained().clone());
        if let Some(drained) = drained {
            drained.cancelled().await;
        }
    }
}

impl Witness for Served {
    fn starting(&self, slots: &Arc<[Arc<Slot>]>) {
        *self.starting.lock() = Some(Arc::clone(slots));
    }
}
