//! The entry: every request is admitted once, before its body is read, whatever its path.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{StatusCode, request::Parts},
    middleware::Next,
    response::Response,
};

use super::{
    Front, body,
    connections::Connection,
    lasting::{is_lasting, limited},
    nothing_here,
    refused::Refused,
};
use crate::{
    dispatch::{Admission, Admitted, Arriving},
    session::{Location, Peer},
};

/// A request that was admitted, of which the body is not read yet.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) admitted: Admitted,
    /// The peer that it counts against.
    pub(super) peer: Peer,
    pub(super) location: Location,
    pub(super) head: Parts,
}

impl Arrived {
    /// The request, to be admitted again.
    pub(super) fn arriving(&self) -> Arriving<'_> {
        arriving(&self.head, Some(&self.location))
    }
}

fn arriving<'a>(head: &'a Parts, location: Option<&'a Location>) -> Arriving<'a> {
    let profile = location.and_then(|location| location.profile.as_deref());
    Arriving { method: &head.method, target: &head.uri, headers: &head.headers, profile }
}

/// The document at a request's path that anyone may read, if there is one.
fn open_document(admission: &dyn Admission, arriving: &Arriving<'_>) -> Option<Response> {
    let document = admission.open_document(arriving)?;
    Some(body::json(StatusCode::OK, document.text().to_owned()))
}

/// Admits a request, and answers it.
pub(super) async fn serve(
    State(front): State<Front>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
) -> Result<Response, Refused> {
    let (head, body) = request.into_parts();
    let location = Location::of(head.uri.path());
    let arriving = arriving(&head, location.as_ref());
    if let Some(document) = open_document(front.gateway.admission(), &arriving) {
        return Ok(document);
    }
    let admitted = front.gateway.admit_request(&arriving).await?;
    let peer = front.peer(from, &head.headers, &admitted.principal);
    if let Some(connection) = head.extensions.get::<Arc<Connection>>() {
        connection.belongs_to(peer.name());
    }
    let Some(location) = location else { return Ok(nothing_here()) };
    let arrived = Arrived { admitted, peer, location, head };
    let response = front.answer(&arrived, body).await?;
    Ok(if is_lasting(&response) { limited(response, front.gateway, arrived) } else { response })
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
