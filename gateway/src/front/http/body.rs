//! Request and response bodies, of limited size.

use std::{io, time::Duration};

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use http_body_util::BodyExt;
use mcp_disclosure_transport::{ErrorText, code};

use super::refused::{Refused, Stage};
use crate::{
    limits::Limits,
    session::{Frames, Outlet, Peer, Place, Text},
};

/// Time-out for receiving a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// Longer messages are sent in pieces of this size, so that unread bytes remain counted.
pub(super) const PIECE: usize = 64 * 1024;

/// Reads a request body. The returned reservation of the peer's memory is held until the request is answered.
///
/// # Errors
/// Why it cannot be read.
pub(super) async fn read(body: Body, peer: &Peer, limits: &Limits) -> Result<(Vec<u8>, Place), Refused> {
    tokio::time::timeout(PATIENCE, collect(body, peer, limits.message_bytes)).await.unwrap_or_else(|_| {
        let message = format_args!("the body did not arrive within {} seconds", PATIENCE.as_secs());
        Err(Refused::because(StatusCode::REQUEST_TIMEOUT, message))
    })
}

async fn collect(mut body: Body, peer: &Peer, most: usize) -> Result<(Vec<u8>, Place), Refused> {
    let too_much = |error| Refused::at(Stage::Session, error);
    let mut place = peer.request(0).map_err(too_much)?;
    // What has not come is not counted, so little is reserved for it, whatever length the client announces.
    let announced = body.size_hint().exact().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let mut text = Vec::with_capacity(announced.min(most).min(PIECE));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let message = format_args!("the body could not be read: {error}");
            Refused::invalid(ErrorText::new(code::PARSE_ERROR, message))
        })?;
        // Trailers are ignored.
        let Ok(piece) = frame.into_data() else { continue };
        if text.len() + piece.len() > most {
            let message =
                format_args!("the body is too long; at most {most} bytes are read (limits.message_bytes)");
            return Err(Refused::because(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        place.grow(piece.len()).map_err(too_much)?;
        text.extend_from_slice(&piece);
    }
    Ok((text, place))
}

/// One JSON-RPC message.
pub(super) fn json(status: StatusCode, message: impl Into<Body>) -> Response {
    let message: Body = message.into();
    (status, [(header::CONTENT_TYPE, "application/json")], message).into_response()
}

/// One that a client may read slowly; `place` is its reservation among the peer's unread bytes. If it is lost meanwhile, its
/// connection is closed.
pub(super) fn unread(status: StatusCode, message: Text, place: Place) -> Response {
    let result = match message {
        Text::Small(message) => return json(status, message),
        Text::Large(result) => result,
    };
    let length = result.length();
    let pieces = stream::iter((0..length).step_by(PIECE)).map(move |from| {
        let _held = &place;
        let lost = || io::Error::other("the result was not read in time (limits.unread_bytes)");
        result.piece(from, PIECE).ok_or_else(lost)
    });
    let mut response = json(status, Body::from_stream(pieces));
    response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    response
}

/// The content types that a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepts {
    /// `application/json`.
    pub(super) json: bool,
    /// `text/event-stream`.
    pub(super) events: bool,
}

impl Accepts {
    /// Parses the `Accept` header; without one everything is accepted.
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let kinds: Vec<&str> = values
            .flat_map(|value| value.split(','))
            .map(|kind| kind.split(';').next().unwrap_or_default().trim())
            .filter(|kind| !kind.is_empty())
            .collect();
        let accepts = |names: [&str; 3]| {
            let is_named = |kind: &&str| names.iter().any(|name| kind.eq_ignore_ascii_case(name));
            kinds.is_empty() || kinds.iter().any(is_named)
        };
        Self {
            json: accepts(["*/*", "application/json", "application/*"]),
            events: accepts(["*/*", "text/event-stream", "text/*"]),
        }
    }

    /// The outlet for a client that accepts these types. Without a stream, messages that precede the response
    /// are dropped.
    pub(super) fn outlet(self, peer: &Peer, limits: &Limits) -> (Outlet, Frames) {
        let (outlet, frames) = Outlet::new(peer, limits);
        if self.events { (outlet, frames) } else { (outlet.for_answers_only(), frames) }
    }
}
