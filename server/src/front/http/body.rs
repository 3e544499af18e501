//! Bodies in and out, bounded.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::mpsc;

use crate::{
    session::{Frame, Outlet},
    wire::{self, ErrorText, LONGEST_MESSAGE, code},
};

/// A client may take so long to send its body.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a body.
///
/// # Errors
/// The response that says what is wrong.
pub(super) async fn read(body: Body) -> Result<Vec<u8>, Response> {
    let limited = Limited::new(body, LONGEST_MESSAGE);
    match tokio::time::timeout(PATIENCE, limited.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes().to_vec()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let told = format_args!("the body is too long; at most {LONGEST_MESSAGE} bytes are read");
            Err(self::error(StatusCode::PAYLOAD_TOO_LARGE, &ErrorText::new(code::INVALID_REQUEST, told)))
        }
        Ok(Err(error)) => {
            let told = format_args!("the body could not be read: {error}");
            Err(self::error(StatusCode::BAD_REQUEST, &ErrorText::new(code::PARSE_ERROR, told)))
        }
        Err(_) => {
            let told = format_args!("the body did not arrive within {} seconds", PATIENCE.as_secs());
            Err(self::error(StatusCode::REQUEST_TIMEOUT, &ErrorText::new(code::INVALID_REQUEST, told)))
        }
    }
}

/// One JSON-RPC message.
pub(super) fn json(status: StatusCode, message: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(message));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// An error that belongs to no request.
pub(super) fn error(status: StatusCode, error: &ErrorText) -> Response {
    json(status, wire::Response { id: None, outcome: Err(error.clone()) }.encode())
}

/// Nothing but a status.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// What a client accepts for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepts {
    /// `application/json`.
    pub(super) json: bool,
    /// `text/event-stream`.
    pub(super) events: bool,
}

impl Accepts {
    /// Reads the `Accept` header; without one everything is accepted.
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let kinds: Vec<String> = values
            .flat_map(|value| value.split(','))
            .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
            .filter(|kind| !kind.is_empty())
            .collect();
        let accepts = |names: [&str; 2]| {
            kinds.is_empty() || kinds.iter().any(|kind| kind == "*/*" || names.contains(&kind.as_str()))
        };
        Self {
            json: accepts(["application/json", "application/*"]),
            events: accepts(["text/event-stream", "text/*"]),
        }
    }

    /// The way back to a client that accepts this: without a stream there is no place for what is told
    /// before the answer.
    pub(super) fn outlet(self) -> (Outlet, mpsc::Receiver<Frame>) {
        let (outlet, frames) = Outlet::new();
        if self.events { (outlet, frames) } else { (outlet.for_answers_only(), frames) }
    }
}
