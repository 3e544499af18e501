//! Requests that are refused: counted by the observer, and logged, of each status at most once in [`QUIET`].

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    extract::{ConnectInfo, Request},
    http::StatusCode,
    response::Response,
};
use parking_lot::Mutex;

use super::{Guard, refused::Reason};
use crate::observe::{Observer, protected};

/// How long a status is not logged again.
const QUIET: Duration = Duration::from_secs(10);

/// Marks a response whose status is what was asked for, such as that of a service that is not ready.
#[derive(Clone, Copy, Debug)]
pub struct Asked;

/// When a status was logged, and how often it was sent since.
type Logged = HashMap<StatusCode, (Option<Instant>, u64)>;

/// Lets the guard admit requests, and notes what is refused.
#[derive(Clone, Debug)]
pub(super) struct Refusals {
    observer: Arc<dyn Observer>,
    guard: Arc<Guard>,
    logged: Arc<Mutex<Logged>>,
}

impl Refusals {
    pub(super) fn new(observer: Arc<dyn Observer>, guard: Guard) -> Self {
        Self { observer, guard: Arc::new(guard), logged: Arc::default() }
    }

    /// The [guarded](Guard::answering) answer to a request from this address, which is noted if it refuses it.
    pub(super) async fn guarded<A: Future<Output = Response>>(
        &self,
        request: Request,
        answer: impl FnOnce(Request, Option<IpAddr>) -> A,
    ) -> Response {
        let connection = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0);
        let peer = connection.map(|peer| self.guard.proxies.client(peer, request.headers()));
        let response = self.guard.answering(request, |request| answer(request, peer)).await;
        let is_error = response.status().is_client_error() || response.status().is_server_error();
        if is_error && response.extensions().get::<Asked>().is_none() {
            let reason = response.extensions().get::<Reason>().map(|reason| reason.0.as_str());
            self.note(response.status(), reason, peer);
        }
        response
    }

    /// Notes a refusal, for this reason, of a request from this peer.
    pub(super) fn note(&self, status: StatusCode, reason: Option<&str>, peer: Option<IpAddr>) {
        protected(|| self.observer.turned_away(status.as_u16()));
        let peer = peer.map(|peer| peer.to_string());
        // Clients ask for what does not exist: a page, a stream that was never opened.
        let is_usual =
            status == StatusCode::METHOD_NOT_ALLOWED || (status == StatusCode::NOT_FOUND && reason.is_none());
        if is_usual {
            tracing::debug!(status = status.as_u16(), peer, reason, "request refused");
            return;
        }
        let Some(count) = self.count(status, Instant::now()) else { return };
        // A session that has ended is no fault of anybody's.
        if status == StatusCode::NOT_FOUND {
            return tracing::info!(status = status.as_u16(), count, last = peer, reason, "requests refused");
        }
        tracing::warn!(status = status.as_u16(), count, last = peer, reason, "requests refused");
    }

    /// How often a status was sent since it was logged, if it is to be logged now.
    fn count(&self, status: StatusCode, now: Instant) -> Option<u64> {
        let mut all = self.logged.lock();
        let (logged, since) = all.entry(status).or_default();
        *since += 1;
        if logged.is_some_and(|at| now.duration_since(at) < QUIET) {
            return None;
        }
        *logged = Some(now);
        Some(std::mem::take(since))
    }
}
