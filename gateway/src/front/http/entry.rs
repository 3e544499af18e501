//! The entry: every request is admitted once, before its body is read, whatever its path.

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::Response,
};

use super::{Front, body};
use crate::{
    dispatch::{Arriving, Denied},
    session::Location,
};

/// Admits a request, and passes its principal, as admitted, and its location on as extensions.
pub(super) async fn admit(State(front): State<Front>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let location = Location::of(parts.uri.path());
    let profile = location.as_ref().and_then(|location| location.profile.as_deref());
    let arriving = Arriving { method: &parts.method, target: &parts.uri, headers: &parts.headers, profile };
    if let Some(document) = front.gateway.admission().open_document(&arriving) {
        return body::json(StatusCode::OK, document.text().to_owned());
    }
    match front.gateway.admit_request(&arriving).await {
        Ok(admitted) => {
            // For other pages that are admitted like these.
            parts.extensions.insert(admitted.principal.clone());
            parts.extensions.insert(admitted);
            parts.extensions.insert(location);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(denied) => response(denied),
    }
}

pub(super) fn response(denied: Denied) -> Response {
    tracing::debug!(status = denied.status.as_u16(), "request not admitted");
    let mut response = body::error(denied.status, &denied.error);
    if let Some(challenge) = denied.challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}
