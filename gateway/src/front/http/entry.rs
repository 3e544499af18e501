//! The entry: every request is admitted once, before its body is read, whatever its path.
//!
//! Streams of notifications last no longer than the admission of the request that they answer. A stream that ends with its
//! request's response is left alone, as if that were JSON: the call was admitted.

use std::{
    future::pending,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{StatusCode, request::Parts},
    middleware::Next,
    response::Response,
};
use futures::StreamExt;

use super::{Front, body, connections::Connection, nothing_here, refused::Refused};
use crate::{
    dispatch::{Admission, Admitted, Arriving, Gateway, arriving},
    session::{Location, Peer},
};

/// A request that was admitted, without its body.
#[derive(Debug)]
pub(super) struct Arrived {
    /// As of its head, or of its whole body once that was read.
    pub(super) admitted: Admitted,
    /// The peer that it counts against.
    pub(super) peer: Peer,
    pub(super) location: Location,
    pub(super) head: Arc<Parts>,
}

impl Arrived {
    /// The request, to be admitted again.
    pub(super) fn arriving(&self) -> Arriving<'_> {
        arriving(&self.head, Some(&self.location))
    }
}

/// The document at a request's path that anyone may read, if there is one.
fn open_document(admission: &dyn Admission, arriving: &Arriving<'_>) -> Option<Response> {
    let document = admission.open_document(arriving)?;
    Some(body::json(StatusCode::OK, document.text().to_owned()))
}

impl Front {
    /// Admits a request from this address, and answers it.
    pub(super) async fn serve(&self, request: Request, from: Option<IpAddr>) -> Result<Response, Refused> {
        let (mut head, body) = request.into_parts();
        let location = Location::of(head.uri.path());
        let arriving = arriving(&head, location.as_ref());
        if let Some(document) = open_document(self.gateway.admission(), &arriving) {
            return Ok(document);
        }
        let admitted = self.gateway.admit_request(&arriving).await?;
        let Some(from) = from else {
            let message = "internal error: the address of the connection is not known";
            return Err(Refused::because(StatusCode::INTERNAL_SERVER_ERROR, message));
        };
        let peer = self.peer(from, &admitted.principal);
        if let Some(connection) = head.extensions.get::<Arc<Connection>>() {
            connection.belongs_to(peer.name());
        }
        let Some(location) = location else { return Ok(nothing_here()) };
        // It may outlast its connection, which is among these.
        head.extensions.clear();
        let mut arrived = Arrived { admitted, peer, location, head: Arc::new(head) };
        let response = self.answer(&mut arrived, body).await?;
        if !is_lasting(&response) {
            return Ok(response);
        }
        // It ends when its request would not be admitted any more. The client asks again, and reads why not.
        let ended = Box::pin(ended(Arc::clone(&self.gateway), arrived));
        Ok(response.map(|body| Body::from_stream(body.into_data_stream().take_until(ended))))
    }
}

/// Admits a request to other pages, and passes its principal on as an extension.
pub(super) async fn admit_to_pages(
    State(admission): State<Arc<dyn Admission>>,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    let (mut head, body) = request.into_parts();
    let arriving = arriving(&head, None);
    if let Some(document) = open_document(&*admission, &arriving) {
        return Ok(document);
    }
    let admitted = admission.admit(&arriving).await?;
    head.extensions.insert(admitted.principal);
    Ok(next.run(Request::from_parts(head, body)).await)
}

/// Minimum interval between repeated admissions that no change of permissions caused.
const PAUSE: Duration = Duration::from_secs(1);

/// Marks a stream of notifications, which lasts as long as the client likes, and not until the response to its request.
#[derive(Clone, Copy, Debug)]
struct Lasting;

/// The same stream, which is one of notifications.
pub(super) fn lasting(mut stream: Response) -> Response {
    stream.extensions_mut().insert(Lasting);
    stream
}

/// Whether a response is such a stream.
pub(super) fn is_lasting(response: &Response) -> bool {
    response.extensions().get::<Lasting>().is_some()
}

/// Waits until a request would not be admitted any more.
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
