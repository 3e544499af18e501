//! Pending requests, and their cancellation.

use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use super::Connection;
use crate::{CallError, Json, RequestId, Settled};

/// A request without a response yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) method: String,
    pub(super) answer: oneshot::Sender<Result<Json, CallError>>,
    /// The time of its last progress notification.
    pub(super) progressed: Option<Instant>,
    /// Whether it is cancelled by a notification.
    pub(super) is_cancelled_by_message: bool,
    /// For transports that need to know when it is settled: sent `true` if it is answered, and closed in any
    /// case.
    pub(super) settled: Option<watch::Sender<bool>>,
    /// Whether the peer refused it unprocessed, because the connection is about to end.
    pub(super) is_refused: bool,
}

impl Connection {
    /// Takes a request that is pending, which is settled by whoever took it.
    pub(super) fn take_pending(&self, id: RequestId) -> Option<Pending> {
        self.pending.lock().remove(&id)
    }

    /// Delivers the result or error of a request that was taken to its caller.
    pub(super) fn settle_taken(
        &self,
        id: RequestId,
        taken: Pending,
        how: Settled,
        outcome: Result<Json, CallError>,
    ) {
        self.handler.settled(id, how);
        if let Some(settled) = taken.settled.filter(|_| how == Settled::Answered) {
            settled.send_replace(true);
        }
        // The receiver is gone if the request was cancelled meanwhile.
        let _cancelled = taken.answer.send(outcome);
    }

    /// Records progress of a request, if it is pending.
    pub(super) fn note_progress(&self, id: RequestId) {
        if let Some(pending) = self.pending.lock().get_mut(&id) {
            pending.progressed = Some(Instant::now());
        }
    }

    /// Whether a pending request is for one of the peer's lists.
    pub(crate) fn is_list(&self, id: RequestId) -> bool {
        self.pending.lock().get(&id).is_some_and(|pending| pending.method.ends_with("/list"))
    }

    /// Notes that the peer refused a request without processing it. For the owner it ends with the connection,
    /// so that it is not sent again on this one.
    pub(crate) fn note_refused(&self, id: RequestId) {
        if let Some(pending) = self.pending.lock().get_mut(&id) {
            pending.is_refused = true;
        }
    }

    /// Waits until a request is settled; `true` if it was answered.
    pub(crate) fn settled(&self, id: RequestId) -> impl Future<Output = bool> + Send + use<> {
        let mut pending = self.pending.lock();
        let pending = pending.get_mut(&id);
        let settled = pending.map(|pending| pending.settled.get_or_insert_default().subscribe());
        async move {
            match settled {
                Some(mut settled) => settled.changed().await.is_ok(),
                None => false,
            }
        }
    }
}
