//! Streams of notifications last no longer than the admission of the request that they answer. A stream that ends with its
//! request's response is left alone, as if that were JSON: the call was admitted.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::{HeaderMap, Method, Uri, header},
    response::Response,
};
use futures::StreamExt;

use crate::dispatch::{Admitted, Arriving, Gateway};

/// Minimum interval between repeated admissions that no change of permissions caused.
const PAUSE: Duration = Duration::from_secs(1);

/// Marks an event stream that ends with the response to its request.
#[derive(Clone, Copy, Debug)]
struct EndsByItself;

/// The same event stream, which ends with the response to its request.
pub(super) fn ends_by_itself(mut stream: Response) -> Response {
    stream.extensions_mut().insert(EndsByItself);
    stream
}

/// Whether a response is a stream of notifications, which lasts as long as the client likes.
pub(super) fn is_lasting(response: &Response) -> bool {
    let is_stream = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == STREAM);
    is_stream && response.extensions().get::<EndsByItself>().is_none()
}

/// A request that was admitted, for as long as a stream answers it.
pub(super) struct Lasting {
    gateway: Arc<Gateway>,
    admitted: Admitted,
    method: Method,
    target: Uri,
    headers: HeaderMap,
    profile: Option<String>,
}

impl Lasting {
    pub(super) fn new(gateway: &Arc<Gateway>, request: &Arriving<'_>, admitted: Admitted) -> Self {
        Self {
            gateway: Arc::clone(gateway),
            admitted,
            method: request.method.clone(),
            target: request.target.clone(),
            headers: request.headers.clone(),
            profile: request.profile.map(str::to_owned),
        }
    }

    /// The same response; if it is a stream of notifications, it ends when its request would not be admitted any more. The client asks
    /// again, and reads why not.
    pub(super) fn limit(self, response: Response) -> Response {
        if !is_lasting(&response) {
            return response;
        }
        let ended = Box::pin(self.ended());
        response.map(|body| Body::from_stream(body.into_data_stream().take_until(ended)))
    }

    async fn ended(mut self) {
        let mut permissions = self.gateway.permission_changes();
        let mut earliest = Instant::now();
        loop {
            let (until, at) = (self.admitted.until, self.admitted.at);
            let due = async {
                match until {
                    Some(until) => tokio::time::sleep_until(until.max(earliest).into()).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                // The sender lives as long as the gateway.
                _ = permissions.wait_for(|change| *change > at) => {}
                () = due => earliest = Instant::now() + PAUSE,
            }
            let Self { method, target, headers, profile, .. } = &self;
            let arriving = Arriving { method, target, headers, profile: profile.as_deref() };
            match self.gateway.admit_request(&arriving).await {
                Ok(again) if again.principal.is_same(&self.admitted.principal) => self.admitted = again,
                _ => {
                    tracing::debug!(
                        principal = self.admitted.principal.id(),
                        "stream ended: not admitted any more"
                    );
                    return;
                }
            }
        }
    }
}

const STREAM: &str = "text/event-stream";
