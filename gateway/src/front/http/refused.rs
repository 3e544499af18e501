//! Requests that are refused, and the HTTP status by which each error is answered.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use mcp_disclosure_core::Era;
use mcp_disclosure_transport::{ErrorText, Id, Response as RpcResponse, code};

use super::body;
use crate::dispatch::{Denied, RETRY_AFTER};

/// After how many seconds a request may be tried again whose limit does not say when it will pass.
const PATIENCE: u64 = 5;

/// Limits are of a minute.
const LONGEST_WAIT: u64 = 61;

/// A request that is refused: the response is a JSON-RPC error with this status.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    error: ErrorText,
    /// The request that the error answers; `None` if it is about the session, or about another message.
    id: Option<Id>,
    /// The `WWW-Authenticate` header.
    challenge: Option<HeaderValue>,
}

/// What could not be done for a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// Opening a session.
    Opening,
    /// Finding its session, or keeping what it says in it.
    Session,
    /// Finding out who serves a request without a session.
    Serving,
    /// Answering it, in this era.
    Answering(Era),
}

impl Stage {
    /// The status of an error with this code.
    pub(super) fn status(self, code: i64) -> StatusCode {
        match (self, code) {
            (_, code::LIMIT_REACHED) => StatusCode::TOO_MANY_REQUESTS,
            (_, code::STORE_UNAVAILABLE) => StatusCode::SERVICE_UNAVAILABLE,
            (Self::Opening, code::INVALID_PARAMS | code::INVALID_REQUEST)
            | (Self::Serving, code::INVALID_REQUEST)
            | (Self::Answering(Era::Stateless), code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION) => {
                StatusCode::BAD_REQUEST
            }
            (Self::Answering(Era::Stateless), code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
            (Self::Opening | Self::Session, _) => StatusCode::SERVICE_UNAVAILABLE,
            (Self::Serving | Self::Answering(_), _) => StatusCode::OK,
        }
    }
}

impl Refused {
    pub(super) fn new(status: StatusCode, error: ErrorText) -> Self {
        Self { status, error, id: None, challenge: None }
    }

    /// For an error at this stage.
    pub(super) fn at(stage: Stage, error: ErrorText) -> Self {
        Self::new(stage.status(error.code()), error)
    }

    /// For this reason, with this status.
    pub(super) fn because(status: StatusCode, reason: impl std::fmt::Display) -> Self {
        Self::new(status, ErrorText::new(code::INVALID_REQUEST, reason))
    }

    /// For an error of the request itself (400).
    pub(super) fn invalid(error: ErrorText) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    /// As the answer to the request of this id.
    pub(super) fn answering(self, id: &Id) -> Self {
        Self { id: Some(id.clone()), ..self }
    }
}

impl From<Denied> for Refused {
    fn from(Denied { status, challenge, error }: Denied) -> Self {
        Self { challenge, ..Self::new(status, error) }
    }
}

/// Why a response refuses its request, for the log.
#[derive(Clone, Debug)]
pub(super) struct Reason(pub(super) String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self { status, error, id, challenge } = self;
        let answer = RpcResponse { id, outcome: Err(error.clone()) }.encode();
        let mut response = refusing(body::json(status, answer), &error);
        if let Some(challenge) = challenge {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// Whether a request with this response may succeed later.
pub(super) fn may_pass(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

/// The response, with why it refuses its request, and with `Retry-After` if the same request may succeed later.
pub(super) fn refusing(mut response: Response, error: &ErrorText) -> Response {
    if may_pass(response.status()) {
        let known = error.data().and_then(|data| data.member(RETRY_AFTER)?.parse::<u64>().ok());
        // An upstream's error may say anything.
        let known = known.filter(|seconds| *seconds <= LONGEST_WAIT);
        response.headers_mut().insert(header::RETRY_AFTER, known.unwrap_or(PATIENCE).into());
    }
    response.extensions_mut().insert(Reason(error.message()));
    response
}
