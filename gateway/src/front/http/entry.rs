//! The entry: every request is admitted once, before its body is read, whatever its path.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::Response,
};

use super::{Front, body, connections::Connection, lasting::Lasting};
use crate::{
    dispatch::{Admission, Arriving, Denied},
    session::Location,
};

/// Admits a request, and passes its principal, as admitted, the peer that it counts against, and its location on as extensions.
pub(super) async fn admit(
    State(front): State<Front>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let location = Location::of(parts.uri.path());
    let profile = location.as_ref().and_then(|location| location.profile.as_deref());
    let arriving = Arriving { method: &parts.method, target: &parts.uri, headers: &parts.headers, profile };
    if let Some(document) = front.gateway.admission().open_document(&arriving) {
        return body::json(StatusCode::OK, document.text().to_owned());
    }
    match front.gateway.admit_request(&arriving).await {
        Ok(admitted) => {
            let lasting = Lasting::new(&front.gateway, &arriving, admitted.clone());
            let peer = front.peer(from, &parts.headers, &admitted.principal);
            if let Some(connection) = parts.extensions.get::<Arc<Connection>>() {
                connection.belongs_to(peer.name());
            }
            parts.extensions.insert(admitted);
            parts.extensions.insert(peer);
            parts.extensions.insert(location);
            lasting.limit(next.run(Request::from_parts(parts, body)).await)
        }
        Err(denied) => response(denied),
    }
}

/// Admits a request to other pages, and passes its principal on as an extension.
pub(super) async fn admit_to_pages(
    State(admission): State<Arc<dyn Admission>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let arriving =
        Arriving { method: &parts.method, target: &parts.uri, headers: &parts.headers, profile: None };
    if let Some(document) = admission.open_document(&arriving) {
        return body::json(StatusCode::OK, document.text().to_owned());
    }
    match admission.admit(&arriving).await {
        Ok(admitted) => {
            parts.extensions.insert(admitted.principal);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(denied) => response(denied),
    }
}

pub(super) fn response(denied: Denied) -> Response {
    let mut response = body::error(denied.status, &denied.error);
    if let Some(challenge) = denied.challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
