//! Streams of notifications last no longer than the admission of the request that they answer. A stream that ends with its
//! request's response is left alone, as if that were JSON: the call was admitted.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{body::Body, http::header, response::Response};
use futures::StreamExt;

use super::entry::Arrived;
use crate::dispatch::{Admitted, Gateway};

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

/// The same stream of notifications, which ends when its request would not be admitted any more. The client asks again, and
/// reads why not.
pub(super) fn limited(stream: Response, gateway: Arc<Gateway>, request: Arrived) -> Response {
    let ended = Box::pin(ended(gateway, request));
    stream.map(|body| Body::from_stream(body.into_data_stream().take_until(ended)))
}

async fn ended(gateway: Arc<Gateway>, mut request: Arrived) {
    let mut permissions = gateway.permission_changes();
    let mut earliest = Instant::now();
    loop {
        let Admitted { until, at, .. } = request.admitted;
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
        let again = gateway.admit_request(&request.arriving()).await;
        let former = &request.admitted.principal;
        match again {
            Ok(again) if again.principal.is_same(former) => request.admitted = again,
            _ => {
                tracing::debug!(principal = former.id(), "stream ended: not admitted any more");
                return;
            }
        }
    }
}

const STREAM: &str = "text/event-stream";
