//! JSON-RPC connections, independent of the transport: ids, pending requests, progress, cancellation and
//! time-outs.

mod incoming;
mod listen;
mod malformed;
mod pending;
mod queue;
mod sending;
#[cfg(test)]
pub(crate) mod tests;

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use mcp_disclosure_core::RawObject;
use parking_lot::Mutex;
use pending::Pending;
pub(crate) use queue::{Headers, Kind, Outgoing, Queued, Room, Taken};
use queue::{Queue, queue};
use scopeguard::ScopeGuard;
use tokio::{
    sync::{SetOnce, oneshot},
    task::AbortHandle,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    Bounds, CallError, Direction, Handler, Id, Json, Notification, Passage, PassageKind, Reason, RequestId,
    Settled, line_limit::LineLimit,
};

/// Why a connection ends whose HTTP session is lost.
pub(crate) const LOST_SESSION: &str = "the server no longer knows the session";

/// A connection to an MCP server.
///
/// It is opened by [`child::connect`](crate::child::connect), [`http::connect`](crate::http::connect) and their like, and
/// ends when it is closed, or its transport breaks.
pub struct Connection {
    pub(crate) handler: Arc<dyn Handler>,
    bounds: Bounds,
    outgoing: Queue,
    /// Requests without a response yet.
    pending: Mutex<HashMap<RequestId, Pending>>,
    next_id: AtomicU64,
    /// Unanswered requests of the peer, by its ids.
    asked: Mutex<HashMap<Id, AbortHandle>>,
    /// Why it ended, once it has.
    reason: SetOnce<Reason>,
    /// Cancelled to close the transport.
    closing: CancellationToken,
    /// The revision negotiated by `initialize`.
    revision: OnceLock<String>,
    carrier: Carrier,
    /// Whether HTTP is HTTP+SSE (2024-11-05).
    over_sse: AtomicBool,
    lacks_session: AtomicBool,
    /// The first output that is not JSON-RPC.
    foreign_output: OnceLock<String>,
    /// Limits the log of output that is not as it should be.
    skipped: LineLimit,
}

/// What carries a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// Byte streams, such as those of a child process.
    Streams,
    /// HTTP.
    Http,
    /// Values in this process.
    Memory,
}

/// A request to the peer.
#[derive(Debug)]
pub struct Call {
    /// Its id, which [`Connection::call`] assigns.
    pub id: RequestId,
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: RawObject,
    /// Arguments to repeat in HTTP headers (SEP-2243): names and values. Other transports ignore them.
    pub mirrored: Vec<(String, String)>,
    /// Whether to request progress notifications.
    pub wants_progress: bool,
    /// Whom it is for. On byte streams each has a share of the queue ([`Bounds::queue_share_bytes`]), and so have all
    /// requests without an owner together.
    pub owner: Option<Arc<str>>,
}

impl Connection {
    /// A connection that a task of its own carries, until that returns why the connection ended.
    pub(crate) fn carried<C: Future<Output = Reason> + Send + 'static>(
        handler: Arc<dyn Handler>,
        bounds: Bounds,
        carrier: Carrier,
        carry: impl FnOnce(Arc<Self>, Queued) -> C,
    ) -> Arc<Self> {
        let (outgoing, queued) = queue(bounds.queue_bytes.most, bounds.queue_share_bytes.most);
        let connection = Arc::new(Self {
            handler,
            bounds,
            outgoing,
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
            asked: Mutex::default(),
            reason: SetOnce::new(),
            closing: CancellationToken::new(),
            revision: OnceLock::new(),
            carrier,
            over_sse: AtomicBool::new(false),
            lacks_session: AtomicBool::new(false),
            foreign_output: OnceLock::new(),
            skipped: LineLimit::new("lines on its output", bounds.stderr_lines),
        });
        // However the task ends.
        let ending = scopeguard::guard(Arc::clone(&connection), |connection| {
            connection.end("the task that carried it was dropped");
        });
        let carrying = carry(Arc::clone(&connection), queued);
        tokio::spawn(async move {
            let reason = carrying.await;
            ending.end(reason);
        });
        connection
    }

    /// The next message to send; `None` once the connection is to be closed.
    pub(crate) async fn next_queued(&self, queued: &mut Queued) -> Option<Taken> {
        self.closing.run_until_cancelled(queued.next()).await
    }

    /// A request with a new id.
    pub fn call(&self, method: impl Into<String>, params: RawObject) -> Call {
        let id = RequestId(self.next_id.fetch_add(1, Ordering::Relaxed));
        Call { id, method: method.into(), params, mirrored: Vec::new(), wants_progress: false, owner: None }
    }

    /// Sends a request and waits for its result, which is an object. Each progress notification restarts the
    /// time-out.
    ///
    /// If the future is dropped, or the request times out, the peer is sent a cancellation.
    ///
    /// # Errors
    /// Why there is no result.
    pub async fn request(self: Arc<Self>, call: Call, timeout: Duration) -> Result<Json, CallError> {
        let (id, outgoing) = (call.id, self.prepare(&call));
        let room = match self.admit(&outgoing) {
            Ok(room) => room,
            Err(refused) => {
                self.handler.settled(id, Settled::Unsent);
                return Err(refused);
            }
        };
        self.observe(Direction::Sent, PassageKind::Request, &call.method, &outgoing.text);
        let (answer, mut result) = oneshot::channel();
        let pending = Pending {
            answer,
            progressed: None,
            // MCP forbids cancelling `initialize`.
            is_cancelled_by_message: outgoing.headers.is_none() && call.method != "initialize",
            settled: None,
            is_refused: false,
            method: call.method,
        };
        self.pending.lock().insert(id, pending);
        // Cancelled if its caller no longer waits.
        let waiting = scopeguard::guard((), |()| {
            let _is_unsent = self.withdraw(id, false);
        });
        let is_queued = self.outgoing.push(outgoing, room);
        if !is_queued || self.is_ended() {
            ScopeGuard::into_inner(waiting);
            // Whoever ended the connection may have settled it.
            let Some(is_unsent) = self.withdraw(id, !is_queued) else {
                return result.await.unwrap_or_else(|_| Err(self.how_it_ended(false)));
            };
            // The transport is closing and will provide the reason.
            let _said = tokio::time::timeout(timeout, self.ended()).await;
            return Err(self.how_it_ended(is_unsent));
        }
        let mut since = Instant::now();
        loop {
            tokio::select! {
                biased;
                answered = &mut result => {
                    ScopeGuard::into_inner(waiting);
                    return answered.unwrap_or_else(|_| Err(self.how_it_ended(false)));
                }
                () = tokio::time::sleep_until(since + timeout) => {}
            }
            let progressed = self.pending.lock().get(&id).and_then(|pending| pending.progressed);
            since = match progressed {
                Some(progressed) if progressed > since => progressed,
                _ if self.handler.extends_timeouts() => Instant::now(),
                _ => return Err(CallError::TimedOut { waited: timeout }),
            };
        }
    }

    /// Sends a notification. It is dropped if the peer is gone or its queue is full.
    pub fn notify(&self, method: &'static str, params: RawObject) {
        let notification = Notification::new(method, params);
        let text = notification.encode();
        self.send_or_drop(
            method,
            Outgoing { kind: Kind::Notification(notification.method), text, headers: None, owner: None },
        );
    }

    /// Sets the revision negotiated by `initialize`, which later HTTP requests in the session carry.
    pub fn negotiated(&self, revision: &str) {
        let _once = self.revision.set(revision.to_owned());
    }

    /// Closes the connection and waits until its transport is gone: the child process has exited, or the
    /// session is deleted.
    pub async fn close(&self) {
        self.closing.cancel();
        self.ended().await;
    }

    /// Cancelled to close the connection; see [`close`](Self::close).
    pub fn closing(&self) -> &CancellationToken {
        &self.closing
    }

    /// Whether the transport is gone.
    pub fn is_ended(&self) -> bool {
        self.reason.initialized()
    }

    /// Waits until the transport is gone.
    pub async fn ended(&self) {
        self.reason.wait().await;
    }

    /// Whether it ended because the HTTP server no longer knows the session.
    pub fn has_lost_session(&self) -> bool {
        self.reason.get() == Some(&LOST_SESSION.into())
    }

    /// Why the connection ended.
    pub fn reason(&self) -> Reason {
        self.reason.get().cloned().unwrap_or_else(|| "the connection was closed".into())
    }

    /// Whether `initialize` over HTTP was answered without a session id.
    pub fn lacks_session(&self) -> bool {
        self.lacks_session.load(Ordering::Relaxed)
    }

    /// The first output of the peer that is not JSON-RPC, shortened.
    pub fn foreign_output(&self) -> Option<&str> {
        self.foreign_output.get().map(String::as_str)
    }

    /// The limits of the connection.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// What its owner calls the peer.
    pub fn name(&self) -> String {
        self.handler.name()
    }

    pub(crate) fn revision(&self) -> Option<&str> {
        self.revision.get().map(String::as_str)
    }

    /// Whether stateless requests (2026-07-28) can be sent on this connection. HTTP+SSE does not have them.
    pub fn carries_stateless(&self) -> bool {
        !self.over_sse.load(Ordering::Relaxed)
    }

    /// Whether requests of both eras can be sent. On byte streams the first request decides for the whole
    /// connection, by the rules of the stdio transport.
    pub fn carries_both_eras(&self) -> bool {
        self.carrier != Carrier::Streams && self.carries_stateless()
    }

    pub(crate) fn note_sse(&self) {
        self.over_sse.store(true, Ordering::Relaxed);
    }

    /// Whether a request with this id was made.
    fn was_sent(&self, id: RequestId) -> bool {
        (1..self.next_id.load(Ordering::Relaxed)).contains(&id.0)
    }

    pub(crate) fn note_session(&self, is_there: bool) {
        self.lacks_session.store(!is_there, Ordering::Relaxed);
    }

    /// Fails a pending request whose exchange failed.
    pub(crate) fn fail(&self, id: RequestId, error: CallError) {
        if let Some(pending) = self.take_pending(id) {
            self.settle_taken(id, pending, Settled::GivenUp, Err(error));
        }
    }

    /// Marks the connection as ended and fails all pending requests. The first reason is kept.
    pub(crate) fn end(&self, reason: impl Into<Reason>) {
        // Set before the requests are removed, so that one added later sees it.
        let is_first = self.reason.set(reason.into()).is_ok();
        self.closing.cancel();
        let left = std::mem::take(&mut *self.pending.lock());
        for (id, pending) in left {
            let unprocessed = self.outgoing.remove(id) || pending.is_refused;
            let how = if unprocessed { Settled::Unsent } else { Settled::GivenUp };
            self.settle_taken(id, pending, how, Err(self.how_it_ended(unprocessed)));
        }
        self.asked.lock().drain().for_each(|(_, task)| task.abort());
        if is_first {
            self.skipped.finish(&self.name());
        }
    }

    fn observe(&self, direction: Direction, kind: PassageKind, method: &str, text: &[u8]) {
        self.handler.observe(&Passage { direction, kind, method, text });
    }

    fn how_it_ended(&self, unprocessed: bool) -> CallError {
        CallError::Ended { reason: self.reason(), unprocessed }
    }

    /// Takes a request back: it is pending no more, and is not sent if it is still queued, or was `never_queued`. One that was
    /// sent is cancelled. Returns whether the peer has not processed it, and never will; `None` if it was settled before.
    fn withdraw(&self, id: RequestId, never_queued: bool) -> Option<bool> {
        let pending = self.take_pending(id)?;
        let is_unsent = self.outgoing.remove(id) || never_queued || pending.is_refused;
        self.handler.settled(id, if is_unsent { Settled::Unsent } else { Settled::GivenUp });
        if !is_unsent && pending.is_cancelled_by_message && !self.is_ended() {
            self.notify("notifications/cancelled", RawObject::empty().with("requestId", &id.to_string()));
        }
        Some(is_unsent)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = self.reason.get();
        formatter.debug_struct("Connection").field("handler", &self.handler).field("ended", &ended).finish()
    }
}
