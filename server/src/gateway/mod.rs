//! The gateway: where requests meet strategies, and calls meet upstreams.
//!
//! A [`Caller`] comes from a front with a request; what goes back is a result or an error, in the
//! caller's era. Every path to a tool passes `call`, and in it
//! [`before_call`](mcp_disclosure_core::DisclosureStrategy::before_call).

mod admission;
mod call;
mod caller;
mod fetches;
mod news;
mod read;
mod requests;
mod start;
mod subscriptions;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

pub use admission::{Admission, Open};
pub use caller::Caller;
pub use fetches::FetchLimits;
use mcp_disclosure_core::{RawObject, ReceiptKey};
pub use start::{Assembly, Started};
use tokio_util::sync::CancellationToken;

use crate::{
    catalogue::Catalogue,
    negotiation::Strategies,
    session::{Listeners, Sessions},
    upstream::Upstream,
};

/// Everything that serves clients. Shared by all of them.
#[derive(Debug)]
pub struct Gateway {
    strategies: Strategies,
    catalogue: Catalogue,
    upstreams: Vec<Upstream>,
    sessions: Sessions,
    listeners: Listeners,
    subscriptions: subscriptions::Subscriptions,
    receipts: ReceiptSettings,
    fetches: FetchLimits,
    admission: Arc<dyn Admission>,
    server_info: RawObject,
    shutdown: CancellationToken,
    /// Kept so that the directory stays watched.
    watcher: Mutex<Option<notify::PollWatcher>>,
}

/// How handles are signed.
#[derive(Clone, Debug)]
pub struct ReceiptSettings {
    /// The key.
    pub key: ReceiptKey,
    /// How long handles are valid.
    pub lifetime: Duration,
}

impl Gateway {
    /// Which strategy serves whom.
    pub fn strategies(&self) -> &Strategies {
        &self.strategies
    }

    /// The catalogue in force.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Who may come in, and as whom.
    pub fn admission(&self) -> &dyn Admission {
        &*self.admission
    }

    /// Set when the program ends; long-lived streams end with it.
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Ends everything: streams get their farewell, upstreams are closed.
    pub async fn close(&self) {
        self.shutdown.cancel();
        self.watcher.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        futures::future::join_all(self.upstreams.iter().map(|upstream| upstream.connection().close())).await;
    }
}
