//! Requests in progress, by id, so that they can be cancelled.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use mcp_disclosure_transport::Id;
use parking_lot::Mutex;
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

/// Maximum requests in progress per client: a client that sends faster than responses arrive would fill
/// memory. Measured: 7 KiB per call, for its future.
const MOST: usize = 10_000;

/// Why a request was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginError {
    /// A request with this id is in progress.
    #[error("a request with this id is still in progress")]
    Taken,
    /// The client has too many requests in progress.
    #[error("too many requests: {MOST} are under way; wait for answers")]
    Full,
    /// The session has ended.
    #[error("this session has ended; initialize a new one")]
    Ended,
}

/// The unanswered requests of one client.
#[derive(Clone, Debug, Default)]
pub struct InFlight(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    by_id: Mutex<HashMap<Id, CancellationToken>>,
    running: TaskTracker,
    /// Cancels all, and refuses others.
    ended: CancellationToken,
}

/// A request in progress; dropping it removes the request.
#[derive(Debug)]
pub struct Ticket {
    requests: InFlight,
    id: Id,
    cancelled: CancellationToken,
    _running: TaskTrackerToken,
}

impl InFlight {
    /// Registers a request.
    ///
    /// # Errors
    /// If the id is in use, there are too many requests, or the client's session has ended.
    pub fn begin(&self, id: &Id) -> Result<Ticket, BeginError> {
        if self.has_ended() {
            return Err(BeginError::Ended);
        }
        let mut requests = self.0.by_id.lock();
        let is_full = requests.len() >= MOST;
        let Entry::Vacant(place) = requests.entry(id.clone()) else { return Err(BeginError::Taken) };
        if is_full {
            return Err(BeginError::Full);
        }
        let cancelled = place.insert(self.0.ended.child_token()).clone();
        // While the table is locked: who sees that it is in progress can wait for its end.
        Ok(Ticket { requests: self.clone(), id: id.clone(), cancelled, _running: self.0.running.token() })
    }

    /// Cancels a request. Unknown ids are ignored, as the specification requires; `false` for one.
    pub fn cancel(&self, id: &Id) -> bool {
        let requests = self.0.by_id.lock();
        let request = requests.get(id);
        request.iter().for_each(|request| request.cancel());
        request.is_some()
    }

    /// Cancels all, and refuses others from now on.
    pub fn end(&self) {
        self.0.ended.cancel();
    }

    /// Whether others are refused.
    pub fn has_ended(&self) -> bool {
        self.0.ended.is_cancelled()
    }

    /// The ids of all.
    pub fn ids(&self) -> Vec<Id> {
        self.0.by_id.lock().keys().cloned().collect()
    }

    /// Whether no request is in progress.
    pub fn is_empty(&self) -> bool {
        self.0.by_id.lock().is_empty()
    }

    /// Waits until no request is in progress.
    pub async fn emptied(&self) {
        // Who waits needs one that is closed; others may begin all the same.
        self.0.running.close();
        self.0.running.wait().await;
    }
}

impl Ticket {
    /// Runs the request to completion; `None` if it is cancelled first.
    pub async fn run<T>(self, request: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            // First: what waits goes no step further, and sends nothing to an upstream any more.
            () = self.cancelled.cancelled() => None,
            done = request => Some(done),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.requests.0.by_id.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, pin::pin};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn k1_a_request_that_comes_while_its_session_ends_is_refused() {
        let requests = InFlight::default();
        let running = requests.begin(&Id::number(1)).unwrap();
        requests.end();
        assert_eq!(running.run(async {}).await, None, "cancelled");
        assert_eq!(requests.begin(&Id::number(2)).unwrap_err(), BeginError::Ended);
    }

    #[tokio::test]
    async fn f3_a_request_that_was_cancelled_goes_no_step_further() {
        let (requests, (answer, answered)) = (InFlight::default(), oneshot::channel());
        let (id, goes_on) = (Id::number(1), Cell::new(false));
        let request = async {
            answered.await.unwrap();
            goes_on.set(true);
        };
        let mut running = pin!(requests.begin(&id).unwrap().run(request));
        assert!(futures::poll!(running.as_mut()).is_pending());
        assert!(requests.cancel(&id));
        answer.send(()).unwrap();
        assert!(running.await.is_none() && !goes_on.get());
    }
}
